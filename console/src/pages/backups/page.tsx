import { useState } from 'preact/hooks'
import {
  type Backup,
  type BackupStatus,
  describeBackupFailure,
  useBackupStatus,
} from '../../data/backups.ts'
import { pb } from '../../data/client.ts'
import { useSettings } from '../../data/settings.ts'
import { type Answer, useAnswer } from '../../data/use/use-answer.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t, tx } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Field } from '../../parts/form/field.tsx'
import { Button, FaultNotice, Form, FormActions, Notice } from '../../parts/form/form.tsx'
import { Card, Facts, Page as Frame, Loading, Progress } from '../../parts/page.tsx'
import { SettingsCard } from '../../parts/rows/settings-card.tsx'
import { Time } from '../../parts/time.tsx'
import { showToast } from '../../parts/toast.tsx'
import { BackupList } from './backup-list.tsx'
import { RestoreDialog } from './restore-dialog.tsx'
import './page.css'
import { makeSchedulePart, STORAGE } from './storage.tsx'

const EVERY_MS = 2_000

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
    showToast(t('Backup created'))
  })
  const tryStore = useTask(async () => {
    await pb.settings.testS3('backups')
    showToast(t('The S3 store works: it took a file, listed it and deleted it'))
  })
  const test = <Button task={tryStore}>{t('Test the store')}</Button>
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
          <Button kind="primary" icon="plus" task={make} busy={isBusy}>
            {t('Back up now')}
          </Button>
        </>
      }
    >
      <FaultNotice fault={make.fault} />
      <State status={status} />
      <BackupList backups={backups} isBusy={isBusy} onRestore={setRestoring} />
      {settings.value && (
        <>
          <SettingsCard
            part={makeSchedulePart(settings.value.backups.cron, status.value?.next ?? '')}
            settings={settings.value}
            onSaved={status.reload}
          />
          <SettingsCard
            part={STORAGE}
            settings={settings.value}
            actions={settings.value.backups.s3.enabled && test}
            onSaved={() => Promise.all([settings.reload(), backups.reload()])}
          >
            <FaultNotice fault={tryStore.fault} />
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

const JOBS = { backup: t('Creating a backup'), restore: t('Restoring a backup') } as const
const FAILED = {
  backup: t('The last backup failed'),
  restore: t('The last restore failed'),
} as const

function State({ status: { value, fault } }: { status: Answer<BackupStatus> }) {
  if (!value) return fault ? <Notice kind="wrong">{fault.message}</Notice> : <Loading />
  const { lastBackup, lastRestore, lastFailure, running, overdue, next } = value
  return (
    <Card title={t('State')}>
      <div class="stack">
        {lastFailure && (
          <Notice kind="warning">
            {FAILED[lastFailure.action]} <Time at={lastFailure.at} />:{' '}
            {describeBackupFailure(lastFailure.message)}
          </Notice>
        )}
        {overdue && (
          <Notice kind="warning">
            {t('There is no recent backup. Create one now, or set a schedule.')}
          </Notice>
        )}
        <Facts
          facts={[
            [t('Last backup'), <Time at={lastBackup?.at ?? ''} none={t('None yet')} />],
            lastBackup !== null && [
              t('Created by'),
              lastBackup.by === 'schedule' ? t('the schedule') : lastBackup.by,
            ],
            next !== '' && [t('Next'), <Time at={next} />],
            lastRestore !== null && [
              t('Last restored'),
              tx('{when}, from {name}', {
                when: <Time at={lastRestore.at} />,
                name: lastRestore.key,
              }),
            ],
          ]}
        />
        {running && (
          <Progress
            value={running.done}
            max={running.total}
            label={`${JOBS[running.action]}${describeStep(running.step, running.done, running.total)}`}
          />
        )}
      </div>
    </Card>
  )
}

/** Steps without a table, whose names are the server's own. */
const OWN_STEPS = ['fetching', 'storing']

function describeStep(step: string, done: number, total: number): string {
  if (step === '') return '…'
  const table = OWN_STEPS.includes(step) ? '' : `${step.replaceAll('_', ' ').trim()}, `
  return `: ${table}${t('{count} of {total}', { count: done, total })}`
}

function UploadDialog({ onClose, onDone }: { onClose: () => void; onDone: () => Promise<void> }) {
  const [file, setFile] = useState<File>()
  const upload = useTask(async () => {
    if (!file) return
    await pb.backups.upload({ file })
    showToast(t('Backup uploaded'))
    onClose()
    await onDone()
  })
  return (
    <Dialog title={t('Upload a backup')} onClose={onClose}>
      <Form onSubmit={upload.run} fault={upload.fault} names={['file']}>
        <Field
          label={t('A backup of pocketsms')}
          name="file"
          hint={t('The server checks the backup and stores it. Nothing is restored yet.')}
          fault={upload.fault}
        >
          {(ties) => (
            <input
              {...ties}
              type="file"
              accept=".zip,.age,application/zip"
              onChange={(event) => setFile(event.currentTarget.files?.[0])}
            />
          )}
        </Field>
        <FormActions busy={upload.busy} disabled={!file} onCancel={onClose}>
          {t('Upload')}
        </FormActions>
      </Form>
    </Dialog>
  )
}
