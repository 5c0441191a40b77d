import type { RecordModel } from 'pocketbase'
import { pb } from '../../data/client.ts'
import { may } from '../../data/session.ts'
import { HERE, timeZones } from '../../data/time-zones.ts'
import { ownSettings, saveOwnSettings } from '../../data/user-settings/own.ts'
import { t } from '../../language/words.ts'
import { DefaultCountry } from '../../parts/form/default-country.tsx'
import { Card } from '../../parts/page.tsx'
import type { FormRow } from '../../parts/rows/rows.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import { Loading } from '../../parts/wait.tsx'

/** Name, and for an account time zone and default country. The zone is the browser's until saved. */
export function Profile({ user }: { user: RecordModel }) {
  const hasAccount = may('owner')
  const saved = ownSettings.value?.time_zone
  const zone = saved || HERE
  const save = async ({ name }: { name?: unknown }, { time_zone }: { time_zone?: unknown }) => {
    if (name !== undefined) await pb.collection('users').update(user.id, { name })
    if (hasAccount && time_zone !== saved) await saveOwnSettings({ time_zone: String(time_zone) })
    return t('Saved')
  }
  const rows: readonly FormRow[] = [
    { name: 'name', label: t('Name'), autocomplete: 'name' },
    {
      ...{ name: 'time_zone', label: t('Time zone'), kind: 'select', shown: () => hasAccount },
      choices: timeZones(zone, HERE),
      hint: saved ? undefined : t('As your browser is set. Save to keep it.'),
    },
  ]
  if (hasAccount && ownSettings.value === undefined) return <Loading />
  return (
    <Card title={t('You')}>
      <RowsForm
        {...{ draftKey: 'profile', rows, save, asks: true }}
        stored={{ name: user.name, time_zone: zone }}
      />
      {hasAccount && <DefaultCountry />}
    </Card>
  )
}
