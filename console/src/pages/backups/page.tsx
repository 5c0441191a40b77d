import { t } from '../../language/words.ts'
import './page.css'
import { useState } from 'preact/hooks'
import { type Backup, useBackupStatus } from '../../data/backups.ts'
import { pb } from '../../data/client.ts'
import { useSettings } from '../../data/settings.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useTask } from '../../data/use/use-task.ts'
import { Button } from '../../parts/form/button.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { SettingsCard } from '../../parts/rows/settings-card.tsx'
import { toast } from '../../parts/toast.tsx'
import { BackupList } from './backup-list.tsx'
import { STORAGE, schedule } from './parts.tsx'
import { RestoreDialog } from './restore-dialog.tsx'
import { State } from './state.tsx'
import { UploadDialog } from './upload-dialog.tsx'

const EVERY_MS = 2_000

/** Backups of the whole installation: create, schedule, store and restore. */
export function Page() {
  const status = useBackupStatus(EVERY_MS)
  const backups = useAnswer<readonly Backup[]>('/api/backups')
  const settings = useSettings()
  const [isUploading, setUploading] = useState(false)
  const [restoring, setRestoring] = useState<Backup>()
  const reload = async () => void (await Promise.all([status.reload(), backups.reload()]))
  const make = useTask(async () => {
    const made = pb.backups.create('')
    setTimeout(() => void status.reload(), 300)
    await made.finally(reload)
    toast(t('Backup created'))
  })
  const tryStore = useTask(async () => {
    await pb.settings.testS3('backups')
    toast(t('The S3 store took a file, listed it and deleted it'))
  })
  const test = (
    <Button busy={tryStore.busy} onClick={() => void tryStore.run()}>
      {t('Test the store')}
    </Button>
  )
  const isBusy = make.busy || Boolean(status.value?.running)
  return (
    <Frame
      title={t('Backups')}
      text={t('Everything in one file: messages, people, devices, sessions, settings, files.')}
      actions={
        <>
          <Button icon="upload" onClick={() => setUploading(true)}>
            {t('Upload')}
          </Button>
          <Button kind="primary" icon="plus" busy={isBusy} onClick={() => void make.run()}>
            {t('Back up now')}
          </Button>
        </>
      }
    >
      {make.fault && <Notice kind="wrong">{make.fault.message}</Notice>}
      <State status={status} />
      <BackupList backups={backups} isBusy={isBusy} onRestore={setRestoring} />
      {settings.value && (
        <>
          <SettingsCard
            part={schedule(settings.value.backups.cron, status.value?.next ?? '')}
            settings={settings.value}
            onSaved={status.reload}
          />
          <SettingsCard
            part={STORAGE}
            settings={settings.value}
            actions={settings.value.backups.s3.enabled && test}
            onSaved={() => Promise.all([settings.reload(), backups.reload()])}
          >
            {tryStore.fault && <Notice kind="wrong">{tryStore.fault.message}</Notice>}
          </SettingsCard>
        </>
      )}
      {isUploading && <UploadDialog onClose={() => setUploading(false)} onDone={reload} />}
      {restoring && (
        <RestoreDialog backup={restoring} status={status} onClose={() => setRestoring(undefined)} />
      )}
    </Frame>
  )
}
