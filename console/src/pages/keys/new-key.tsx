import { useState } from 'preact/hooks'
import { pb, serverUrl } from '../../data/client.ts'
import type { ApiKey } from '../../data/records.ts'
import { userId } from '../../data/session.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { SelectField, TextField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { ShownOnce } from '../../parts/once.tsx'
import { PROGRAM_KINDS, type ProgramKindName, type Setting } from './program-kinds.ts'

const DAY_MS = 86_400_000
const LIVES = [
  ['', t('Never')],
  ['30', t('In 30 days')],
  ['90', t('In 90 days')],
  ['365', t('In a year')],
] as const

const KINDS = Object.entries(PROGRAM_KINDS).map(([name, { label }]) => [name, label] as const)
const SENDS_ONLY = t('It sends, and cancels and views what it has sent.')
const DOES_ALL = t('It sends, and reads all messages, conversations and devices.')
const HINTS: Readonly<Record<ProgramKindName, string>> = {
  own: SENDS_ONLY,
  smsgate: DOES_ALL,
  twilio: t('It sends, and reads and deletes all messages.'),
  assistant: DOES_ALL,
}

/** Values to copy into the program's settings. */
const Settings = ({ settings }: { settings: readonly Setting[] }) => (
  <dl class="copied-settings">
    {settings.map(({ term, code }) => (
      <div key={term}>
        <dt>{term}</dt>
        <dd>
          <CodeBlock code={code} />
        </dd>
      </div>
    ))}
  </dl>
)

/** Makes a key and shows it, once. */
export function NewKey({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [days, setDays] = useState('')
  const [kind, setKind] = useState<ProgramKindName>('own')
  const [made, setMade] = useState<ApiKey>()
  const make = useTask(async () => {
    const expires_at = days === '' ? '' : new Date(Date.now() + Number(days) * DAY_MS).toISOString()
    setMade(
      await pb
        .collection('api_keys')
        .create<ApiKey>({ ...PROGRAM_KINDS[kind].values, user: userId(), name, expires_at }),
    )
  })
  if (made?.key)
    return (
      <ShownOnce title={t('The key of {name}', { name: made.name })} onClose={onClose}>
        <Settings settings={PROGRAM_KINDS[kind].settings(made)} />
        {kind === 'own' && (
          <>
            <p>{t('A send with it, from a terminal:')}</p>
            <CodeBlock code={example(made.key)} />
          </>
        )}
      </ShownOnce>
    )
  return (
    <Dialog title={t('New key')} onClose={onClose}>
      <Form onSubmit={make.run} fault={make.fault} names={['name', 'expires_at']}>
        <TextField
          label={t('Name')}
          name="name"
          hint={t('The program that uses it, such as web shop.')}
          autofocus
          value={name}
          onValue={setName}
          fault={make.fault}
        />
        <SelectField
          label={t('For')}
          name="kind"
          hint={HINTS[kind]}
          choices={KINDS}
          value={kind}
          onValue={(value) => setKind(value as ProgramKindName)}
          fault={make.fault}
        />
        <SelectField
          label={t('Expires')}
          name="expires_at"
          choices={LIVES}
          value={days}
          onValue={setDays}
          fault={make.fault}
        />
        <FormActions busy={make.busy} onCancel={onClose}>
          {t('Make the key')}
        </FormActions>
      </Form>
    </Dialog>
  )
}

const example = (key: string) => `curl ${serverUrl}/api/sms/send -H "X-API-Key: ${key}" \\
  --json '{"recipients":["+4915112345678"],"body":"Hello"}'`
