import { useState } from 'preact/hooks'
import { type Hours, hoursFaults } from '../../data/hours.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useTask } from '../../data/use/use-task.ts'
import { ownHours, ownSettings, saveOwnSettings } from '../../data/user-settings/own.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/button.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { HoursFields } from '../../parts/form/hours-fields.tsx'
import { Card } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'
import { Loading } from '../../parts/wait.tsx'

const NAMES = { from: 'quiet_from', to: 'quiet_to', days: 'quiet_days' } as const
const NONE: Hours = { from: '', to: '', days: [] }

/** The hours in which campaigns pause, so that no advertisement arrives at night. */
export function QuietHours() {
  // waits for the stored settings: useDraft would drop a draft that does not match them
  return ownSettings.value === undefined ? <Loading /> : <KnownHours stored={ownHours.value ?? NONE} />
}

function KnownHours({ stored }: { stored: Hours }) {
  const draft = useDraft('quiet-hours', stored, { asks: true })
  const [errors, setErrors] = useState<ReturnType<typeof hoursFaults>>({})
  const hours = draft.value
  const save = useTask(async ({ from, to, days }: Hours) => {
    await saveOwnSettings({ quiet_from: from, quiet_to: to, quiet_days: days })
    draft.saved({ from, to, days })
    toast(from ? t('Quiet hours saved') : t('There are no quiet hours now'))
  })
  const submit = () => {
    const faults = hoursFaults(hours)
    setErrors(faults)
    if (Object.keys(faults).length === 0) return save.run(hours)
  }
  return (
    <Card title={t('Quiet hours')}>
      <p class="muted">
        {t(
          'Campaigns wait until they are over, and so do texts with “Wait during quiet hours”. The time is that of the recipient: of the contact if it has a time zone, else by the country code of the number; for countries with several time zones it is yours. An answer in a conversation never waits.',
        )}
      </p>
      <Form onSubmit={submit} fault={save.fault} names={Object.values(NAMES)}>
        <HoursFields
          hours={hours}
          onChange={(part) => {
            draft.change(part)
            setErrors({})
          }}
          labels={{ from: t('Quiet from'), to: t('Quiet until'), days: t('Beginning on (none: every day)') }}
          names={NAMES}
          errors={errors}
          fault={save.fault}
        />
        <FormActions busy={save.busy}>{t('Save quiet hours')}</FormActions>
        {stored.from && (
          <div>
            <Button onClick={() => void save.run(NONE)}>{t('No quiet hours')}</Button>
          </div>
        )}
      </Form>
    </Card>
  )
}
