import { useState } from 'preact/hooks'
import { pb, serverUrl } from '../../data/client.ts'
import type { ApiKey } from '../../data/records.ts'
import { userId } from '../../data/session.ts'
import { useTask } from '../../data/use/use-task.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { SelectField, TextField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { ShownOnce } from '../../parts/once.tsx'

const DAY_MS = 86_400_000
const LIVES = [
  ['', 'Never'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
] as const

/** Makes a key and shows it, once. */
export function NewKey({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [days, setDays] = useState('')
  const [made, setMade] = useState<ApiKey>()
  const make = useTask(async () => {
    const expires_at = days === '' ? '' : new Date(Date.now() + Number(days) * DAY_MS).toISOString()
    setMade(await pb.collection('api_keys').create<ApiKey>({ user: userId(), name, expires_at }))
  })
  if (made?.key)
    return (
      <ShownOnce title={`The key of ${made.name}`} secret={made.key} onClose={onClose}>
        <p>A send with it, from a terminal:</p>
        <CodeBlock code={example(made.key)} />
      </ShownOnce>
    )
  return (
    <Dialog title="New key" onClose={onClose}>
      <Form onSubmit={make.run} fault={make.fault} names={['name', 'expires_at']}>
        <TextField
          label="Name"
          name="name"
          hint="The program that uses it, such as web shop."
          autofocus
          value={name}
          onValue={setName}
          fault={make.fault}
        />
        <SelectField
          label="Expires"
          name="expires_at"
          choices={LIVES}
          value={days}
          onValue={setDays}
          fault={make.fault}
        />
        <FormActions busy={make.busy} onCancel={onClose}>
          Make the key
        </FormActions>
      </Form>
    </Dialog>
  )
}

const example = (key: string) => `curl ${serverUrl}/api/sms/send -H "X-API-Key: ${key}" \\
  --json '{"recipients":["+4915112345678"],"body":"Hello"}'`
