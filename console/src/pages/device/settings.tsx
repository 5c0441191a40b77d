import { pb } from '../../data/client.ts'
import type { Device } from '../../data/records.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { CheckField, TextField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'

const NAMES = ['name', 'daily_limit', 'per_minute']

/** A device's name, whether it takes messages, and how many. */
export function Settings({ device }: { device: Device }) {
  const first = {
    name: device.name,
    enabled: device.enabled,
    daily: limitText(device.daily_limit),
    perMinute: limitText(device.per_minute),
  }
  const draft = useDraft(`device.${device.id}`, first, { asks: true })
  const { name, enabled, daily, perMinute } = draft.value
  const save = useTask(async () => {
    const { daily, perMinute, ...others } = draft.changes
    await pb.collection('devices').update(device.id, {
      ...others,
      ...(daily !== undefined && { daily_limit: Number(daily) }),
      ...(perMinute !== undefined && { per_minute: Number(perMinute) }),
    })
    draft.saved()
    toast(t('Device saved'))
  })
  return (
    <Card title={t('Settings')}>
      <Form onSubmit={save.run} fault={save.fault} names={NAMES}>
        <TextField
          label={t('Name')}
          name="name"
          value={name}
          onValue={(typed) => draft.change({ name: typed })}
          fault={save.fault}
        />
        <div class="device-limits">
          <TextField
            label={t('Messages a day')}
            name="daily_limit"
            type="number"
            min={0}
            placeholder={t('No limit')}
            value={daily}
            onValue={(typed) => draft.change({ daily: typed })}
            fault={save.fault}
          />
          <TextField
            label={t('Messages a minute')}
            name="per_minute"
            type="number"
            min={0}
            placeholder={t('No limit')}
            value={perMinute}
            onValue={(typed) => draft.change({ perMinute: typed })}
            fault={save.fault}
          />
        </div>
        <CheckField
          label={t('Takes messages. Off: what waits for it goes to others')}
          name="enabled"
          value={enabled}
          onValue={(isOn) => draft.change({ enabled: isOn })}
        />
        <FormActions busy={save.busy}>{t('Save')}</FormActions>
      </Form>
    </Card>
  )
}

const limitText = (limit: number) => (limit > 0 ? String(limit) : '')
