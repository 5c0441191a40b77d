import { useEffect, useRef, useState } from 'preact/hooks'
import { type Backup, type BackupStatus, describeBackupFailure } from '../../data/backups.ts'
import { countRecords, pb } from '../../data/client.ts'
import { formatBytes } from '../../data/text/format-bytes.ts'
import type { Answer } from '../../data/use/use-answer.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t, tx } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Field, TextField } from '../../parts/form/field.tsx'
import { Actions, Button, Form, FormActions, Notice } from '../../parts/form/form.tsx'
import { Loading } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'

const COUNTED = [
  ['users', t('Users')],
  ['sms_messages', t('Messages')],
  ['contacts', t('Contacts')],
  ['devices', t('Devices')],
] as const

/** How the name of a sealed backup ends. */
const SEALED_ENDING = '.age'
/** Matches the text of a key file with a secret key. */
const SECRET_KEY = /^\s*AGE-SECRET-KEY-1/im

/**
 * Asks the user to type the backup's name, and for the key file of a sealed backup. Restores the backup, and
 * waits until this is done.
 */
export function RestoreDialog({
  backup,
  status,
  onClose,
}: {
  backup: Backup
  status: Answer<BackupStatus>
  onClose: () => void
}) {
  const [typed, setTyped] = useState('')
  const [begun, setBegun] = useState(false)
  const [identity, setIdentity] = useState<string>()
  const isSealed = backup.key.endsWith(SEALED_ENDING)
  const here = useCounts()
  const restore = useTask(async () => {
    await pb.backups.restore(backup.key, isSealed ? { body: { identity } } : {})
    setBegun(true)
  })
  if (begun) return <Waiting status={status} onClose={onClose} />
  return (
    <Dialog title={t('Restore this backup?')} onClose={onClose}>
      <Form onSubmit={restore.run} fault={restore.fault}>
        <p>
          {tx('{name}, made {when} ({size}), replaces everything that is here now ({here}).', {
            name: <strong class="backups-key">{backup.key}</strong>,
            when: <Time at={backup.modified} />,
            size: formatBytes(backup.size),
            here,
          })}
        </p>
        <p>
          {t(
            'What came after the backup is lost, sessions and keys included. Messages that were not finished when it was made end as failed, so that nothing is sent twice. While it runs, nothing is sent or accepted.',
          )}
        </p>
        {isSealed && (
          <Field
            label={t('Key file of the sealed backup')}
            name="identity"
            hint={t(
              'The file that age-keygen made. The server uses it for this restore and does not store it.',
            )}
            error={
              identity === undefined || SECRET_KEY.test(identity)
                ? undefined
                : t('This file has no secret key of age: no line begins with AGE-SECRET-KEY-1.')
            }
          >
            {(ties) => (
              <input
                {...ties}
                type="file"
                onChange={async (event) =>
                  setIdentity(await event.currentTarget.files?.[0]?.text())
                }
              />
            )}
          </Field>
        )}
        <TextField
          label={t('Type the name of the backup to confirm')}
          name="confirm"
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onValue={setTyped}
        />
        <FormActions
          kind="danger"
          busy={restore.busy}
          disabled={typed.trim() !== backup.key || (isSealed && !SECRET_KEY.test(identity ?? ''))}
          onCancel={onClose}
        >
          {t('Replace everything')}
        </FormActions>
      </Form>
    </Dialog>
  )
}

function useCounts(): string {
  const [words, setWords] = useState('…')
  useEffect(() => {
    const count = async ([name, word]: (typeof COUNTED)[number]) =>
      t('{name}: {text}', { name: word, text: await countRecords(name) })
    Promise.all(COUNTED.map(count)).then(
      (counts) => setWords(counts.join(', ')),
      () => setWords(t('all of it')),
    )
  }, [])
  return words
}

/**
 * Waits for the end of a restore. The server answers 503 until then. If the backup does not contain the
 * browser's session, the next request signs the user out.
 */
function Waiting({
  status: { value, fault, reload },
  onClose,
}: {
  status: Answer<BackupStatus>
  onClose: () => void
}) {
  const before = useRef(value?.lastRestore?.at)
  const seen = useRef(false)
  const isRunning = value?.running?.action === 'restore' || Boolean(fault)
  if (isRunning) seen.current = true
  const isDone = !fault && value?.lastRestore?.at !== before.current
  const failure = seen.current && !isRunning && !isDone ? value?.lastFailure : undefined
  useEffect(() => {
    // the page still holds data from before the restore
    if (isDone) location.reload()
  }, [isDone])
  useEffect(() => void reload(), [reload])
  if (failure)
    return (
      <Dialog title={t('Nothing was restored')} onClose={onClose}>
        <Notice kind="wrong">{describeBackupFailure(failure.message)}</Notice>
        <p>{t('Everything is as it was.')}</p>
        <Actions>
          <Button kind="primary" onClick={onClose}>
            {t('Close')}
          </Button>
        </Actions>
      </Dialog>
    )
  return (
    <Dialog title={t('Restoring')} onClose={() => {}}>
      <Loading what={t('The backup is being restored')} />
      <p class="muted">
        {t('This page starts again when it is over. You may have to sign in once more.')}
      </p>
    </Dialog>
  )
}
