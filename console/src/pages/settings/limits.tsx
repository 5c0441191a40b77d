import { t } from '../../language/words.ts'
import './page.css'
import { type Settings, saveSettings } from '../../data/settings.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useTask } from '../../data/use/use-task.ts'
import { CheckField, TextArea } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'
import { Rules } from './rules.tsx'

const EXCLUDED = 'rateLimits.excludedIPs'

/** How many requests one address may make. */
export function Limits({ settings: { rateLimits } }: { settings: Settings }) {
  const first = { enabled: rateLimits.enabled, excluded: rateLimits.excludedIPs.join('\n') }
  const draft = useDraft('settings.limits', first, { asks: true })
  const { enabled, excluded } = draft.value
  const save = useTask(async () => {
    await saveSettings({ rateLimits: { enabled, excludedIPs: excluded.split(/[\s,]+/).filter(Boolean) } })
    draft.saved()
    toast(t('Limits saved'))
  })
  // the fault's field name has the index of the wrong address
  const wrong = Object.entries(save.fault?.fields ?? {}).find(([name]) => name.startsWith(EXCLUDED))
  return (
    <Card title={t('Limits of requests')}>
      <Rules first={rateLimits.rules} />
      <Form onSubmit={save.run} fault={save.fault} names={wrong?.slice(0, 1)}>
        <CheckField
          label={t('Limit how often one address may ask, by these rules')}
          name="rateLimits.enabled"
          value={enabled}
          onValue={(isOn) => draft.change({ enabled: isOn })}
        />
        <TextArea
          label={t('Addresses without limits')}
          name={EXCLUDED}
          hint={t('One a line: 203.0.113.7, or a subnet such as 10.0.0.0/8. Superusers have none either.')}
          rows={2}
          spellcheck={false}
          value={excluded}
          onValue={(typed) => draft.change({ excluded: typed })}
          error={wrong?.[1]}
        />
        <FormActions busy={save.busy}>{t('Save limits')}</FormActions>
      </Form>
    </Card>
  )
}
