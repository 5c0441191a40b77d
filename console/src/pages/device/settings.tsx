import type { Device } from '../../data/records.ts'
import { t } from '../../language/words.ts'
import { Card } from '../../parts/page.tsx'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import type { FormRow } from '../../parts/rows/rows.ts'

const ROWS: readonly FormRow[] = [
  { name: 'name', label: t('Name') },
  [
    { name: 'daily_limit', label: t('Messages a day'), placeholder: t('No limit') },
    { name: 'per_minute', label: t('Messages a minute'), placeholder: t('No limit') },
  ],
  {
    name: 'enabled',
    label: t('Use this device'),
    hint: t('When it is off, its waiting messages go to other devices.'),
  },
]

/** A device's name, whether it takes messages, and how many. */
export const Settings = ({ device }: { device: Device }) => (
  <Card title={t('Settings')}>
    <RecordForm collection="devices" record={device} rows={ROWS} saved={t('Device saved')} asks />
  </Card>
)
