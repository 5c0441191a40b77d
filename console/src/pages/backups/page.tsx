import { useState } from 'preact/hooks'
import { type Backup, type BackupStatus, formatBytes, useBackupStatus } from '../../data/backups.ts'
import { pb } from '../../data/client.ts'
import { useSettings } from '../../data/settings.ts'
import { type Answer, useAnswer } from '../../data/use/use-answer.ts'
import { useTask } from '../../data/use/use-task.ts'
import { inWords } from '../../data/words/fault-sentences.ts'
import { t, tx } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Field } from '../../parts/form/field.tsx'
import { Button, Form, FormActions, Notice } from '../../parts/form/form.tsx'
import { Card, Facts, Page as Frame, Loading, Progress } from '../../parts/page.tsx'
import { SettingsCard, type SettingsPart } from '../../parts/rows/settings-card.tsx'
import type { Values } from '../../parts/rows/values.ts'
import { Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { BackupList, RestoreDialog } from './backup-list.tsx'
import './page.css'

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

const JOBS = { backup: t('Making a backup'), restore: t('Restoring a backup') } as const
const FAILED = { backup: t('The last backup failed'), restore: t('The last restore failed') } as const

function State({ status: { value, fault } }: { status: Answer<BackupStatus> }) {
  if (!value) return fault ? <Notice kind="wrong">{fault.message}</Notice> : <Loading />
  const { lastBackup, lastRestore, lastFailure, running, overdue, next } = value
  return (
    <Card>
      <div class="stack">
        {lastFailure && (
          <Notice kind="warning">
            {FAILED[lastFailure.action]} <Time at={lastFailure.at} />: {inWords(lastFailure.message)}
          </Notice>
        )}
        {overdue && (
          <Notice kind="warning">{t('There is no recent backup. Make one now, or set a schedule.')}</Notice>
        )}
        <Facts
          facts={[
            [t('Last backup'), <Time at={lastBackup?.at ?? ''} none={t('None yet')} />],
            lastBackup !== null && [t('Size'), formatBytes(lastBackup.size)],
            lastBackup !== null && [
              t('Created by'),
              lastBackup.by === 'schedule' ? t('the schedule') : lastBackup.by,
            ],
            next !== '' && [t('Next'), <Time at={next} />],
            lastRestore !== null && [
              t('Last restored'),
              tx('{when}, from {name}', { when: <Time at={lastRestore.at} />, name: lastRestore.key }),
            ],
          ]}
        />
        {running && (
          <Progress
            value={running.done}
            max={running.total}
            label={`${JOBS[running.action]}${toldStep(running.step, running.done, running.total)}`}
          />
        )}
      </div>
    </Card>
  )
}

const toldStep = (step: string, done: number, total: number) =>
  step === ''
    ? '…'
    : `: ${step.replaceAll('_', ' ').trim()}, ${t('{count} of {total}', { count: done, total })}`

function UploadDialog({ onClose, onDone }: { onClose: () => void; onDone: () => Promise<void> }) {
  const [file, setFile] = useState<File>()
  const upload = useTask(async () => {
    if (!file) return
    await pb.backups.upload({ file })
    toast(t('Backup uploaded'))
    onClose()
    await onDone()
  })
  return (
    <Dialog title={t('Upload a backup')} onClose={onClose}>
      <Form onSubmit={upload.run} fault={upload.fault} names={['file']}>
        <Field
          label={t('A backup of pocketsms')}
          name="file"
          hint={t('It is read through and kept. Nothing is restored yet.')}
          fault={upload.fault}
        >
          {(ties) => (
            <input
              {...ties}
              type="file"
              accept=".zip,application/zip"
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

const OTHER = 'other'
const CHOICES = [
  ['', t('Never')],
  ['0 */6 * * *', t('Every 6 hours')],
  ['0 3 * * *', t('Every day at 3:00 UTC')],
  ['0 3 * * 0', t('Every Sunday at 3:00 UTC')],
  [OTHER, t('Something else…')],
] as const
const PLAIN = { autocomplete: 'off', spellcheck: false } as const

const schedule = (cron: string, next: string): SettingsPart => ({
  key: 'backups.schedule',
  title: t('Schedule'),
  action: t('Save schedule'),
  saved: t('Schedule saved'),
  rows: [
    [
      {
        ...{ name: 'choice', label: t('Automatic backups'), choices: CHOICES, kind: 'select' },
        hint: next && tx('The next one is made {when}.', { when: <Time at={next} /> }),
        read: () => (CHOICES.some(([known]) => known === cron) ? cron : OTHER),
        write: () => undefined,
      },
      {
        ...{ name: 'backups.cronMaxKeep', label: t('Automatic backups to keep'), kind: 'number', min: 1 },
        hint: t('Older ones are deleted. Those that you made yourself stay.'),
      },
    ],
    {
      ...{ name: 'backups.cron', label: t('Cron expression'), ...PLAIN },
      hint: t('Minute, hour, day, month, day of the week, in UTC: 30 1 * * 1-5 is 1:30 on working days.'),
      shown: ({ choice }) => choice === OTHER,
      write: (typed, { choice }) => (choice === OTHER ? String(typed).trim() : choice),
    },
  ],
})

const isElsewhere = (values: Values) => values['backups.s3.enabled'] === true
const IN_S3 = { shown: isElsewhere, ...PLAIN }

/** Where backups are kept: on the server's disk, or in an S3-compatible store. */
const STORAGE: SettingsPart = {
  key: 'backups.storage',
  title: t('Storage'),
  action: t('Save storage'),
  saved: t('Storage saved'),
  rows: [
    { name: 'backups.s3.enabled', label: t('Keep backups in an S3-compatible store'), kind: 'check' },
    ({ values }) =>
      !isElsewhere(values) && (
        <Notice>
          {t(
            'Backups are on the same disk as the server. If that disk fails, they are lost too: download some, or use a store elsewhere.',
          )}
        </Notice>
      ),
    [
      {
        ...{ name: 'backups.s3.endpoint', label: t('Endpoint'), ...IN_S3 },
        hint: t('Such as https://s3.eu-central-1.amazonaws.com'),
      },
      { name: 'backups.s3.bucket', label: t('Bucket'), ...IN_S3 },
    ],
    [
      { name: 'backups.s3.region', label: t('Region'), ...IN_S3 },
      { name: 'backups.s3.accessKey', label: t('Access key'), ...IN_S3 },
    ],
    {
      ...{ name: 'backups.s3.secret', label: t('Secret'), kind: 'password', ...IN_S3 },
      ...{ autocomplete: 'new-password', hint: t('Empty: it stays as it is.') },
    },
    {
      ...{ name: 'backups.s3.forcePathStyle', kind: 'check', shown: isElsewhere },
      label: t('The bucket is a part of the path, not of the host name (MinIO, most stores of one’s own)'),
    },
  ],
}
