import type { RecordModel } from 'pocketbase'
import { pb } from '../../data/client.ts'
import { may } from '../../data/session.ts'
import { HERE, timeZones } from '../../data/time-zones.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useTask } from '../../data/use/use-task.ts'
import { ownSettings, saveOwnSettings } from '../../data/user-settings/own.ts'
import { t } from '../../language/words.ts'
import { DefaultCountry } from '../../parts/form/default-country.tsx'
import { SelectField, TextField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'
import { Loading } from '../../parts/wait.tsx'

/** Name, and of an account time zone and default country. The zone is the browser's until one is saved. */
export function Profile({ user }: { user: RecordModel }) {
  const draft = useDraft('profile', { name: String(user.name ?? ''), zone: '' }, { asks: true })
  const { name } = draft.value
  const stored = ownSettings.value?.time_zone
  const zone = draft.value.zone || stored || HERE
  const hasAccount = may('owner')
  const save = useTask(async () => {
    if ('name' in draft.changes) await pb.collection('users').update(user.id, { name })
    if (hasAccount && (draft.value.zone || !stored)) await saveOwnSettings({ time_zone: zone })
    draft.saved({ name, zone: '' })
    toast(t('Saved'))
  })
  if (hasAccount && ownSettings.value === undefined) return <Loading />
  return (
    <Card title={t('You')}>
      <Form onSubmit={save.run} fault={save.fault} names={['name', 'time_zone']}>
        <TextField
          label={t('Name')}
          name="name"
          autocomplete="name"
          value={name}
          onValue={(name) => draft.change({ name })}
          fault={save.fault}
        />
        {hasAccount && (
          <SelectField
            label={t('Time zone')}
            name="time_zone"
            choices={timeZones(zone, HERE)}
            value={zone}
            onValue={(zone) => draft.change({ zone })}
            hint={stored ? undefined : t('As your browser is set. Save to keep it.')}
            fault={save.fault}
          />
        )}
        <FormActions busy={save.busy}>{t('Save')}</FormActions>
      </Form>
      {hasAccount && <DefaultCountry />}
    </Card>
  )
}
