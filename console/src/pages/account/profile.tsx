import type { RecordModel } from 'pocketbase'
import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { useTask } from '../../data/use/use-task.ts'
import { ownSettings, saveOwnSettings } from '../../data/user-settings/own.ts'
import { DefaultCountry } from '../../parts/form/default-country.tsx'
import { SelectField, TextField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'

/** The zone that this browser is set to. */
const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone

/** All zones that the browser knows, and those that it left out of its list. */
const zones = (...more: readonly string[]) =>
  [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', ...more])]
    .sort()
    .map((zone) => [zone, zone.replaceAll('_', ' ')] as const)

/** Name, time zone and default country of a user. The zone is the browser's until one is saved. */
export function Profile({ user }: { user: RecordModel }) {
  const [name, setName] = useState(String(user.name ?? ''))
  const [chosen, setZone] = useState('')
  const stored = ownSettings.value?.time_zone
  const zone = chosen || stored || HERE
  const save = useTask(async () => {
    await pb.collection('users').update(user.id, { name })
    await saveOwnSettings({ time_zone: zone })
    toast('Saved')
  })
  return (
    <Card title="You">
      <Form onSubmit={save.run} fault={save.fault} names={['name', 'time_zone']}>
        <TextField
          label="Name"
          name="name"
          autocomplete="name"
          value={name}
          onValue={setName}
          fault={save.fault}
        />
        <SelectField
          label="Time zone"
          name="time_zone"
          choices={zones(zone, HERE)}
          value={zone}
          onValue={setZone}
          hint={stored ? undefined : 'As your browser is set. Save to keep it.'}
          fault={save.fault}
        />
        <FormActions busy={save.busy}>Save</FormActions>
      </Form>
      <DefaultCountry />
    </Card>
  )
}
