import { useState } from 'preact/hooks'
import { type Settings, saveSettings } from '../../data/settings.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t, tx } from '../../language/words.ts'
import { SelectField, TextField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'

const OTHER = 'other'
const CHOICES = [
  ['', t('Never')],
  ['0 */6 * * *', t('Every 6 hours')],
  ['0 3 * * *', t('Every day at 3:00 UTC')],
  ['0 3 * * 0', t('Every Sunday at 3:00 UTC')],
  [OTHER, t('Something else…')],
] as const

const CRON = 'backups.cron'
const KEEP = 'backups.cronMaxKeep'

/** The schedule of automatic backups, and how many of them are kept. */
export function Schedule({
  settings: { backups },
  next,
  onSaved,
}: {
  settings: Settings
  next: string
  onSaved: () => Promise<void>
}) {
  const first = { cron: backups.cron, keep: String(backups.cronMaxKeep) }
  const draft = useDraft('backups.schedule', first, { asks: true })
  const { cron, keep } = draft.value
  const setCron = (typed: string) => draft.change({ cron: typed })
  const [isOther, setOther] = useState(!CHOICES.some(([choice]) => choice === cron))
  const save = useTask(async () => {
    await saveSettings({ backups: { cron: cron.trim(), cronMaxKeep: Number(keep) || 0 } })
    draft.saved()
    toast(t('Schedule saved'))
    await onSaved()
  })
  return (
    <Card title={t('Schedule')}>
      <Form onSubmit={save.run} fault={save.fault} names={[CRON, KEEP]}>
        <div class="columns">
          <SelectField
            label={t('Automatic backups')}
            name="schedule"
            choices={CHOICES}
            value={isOther ? OTHER : cron}
            onValue={(choice) => {
              setOther(choice === OTHER)
              if (choice !== OTHER) setCron(choice)
            }}
            hint={next && <>{tx('The next one is made {when}.', { when: <Time at={next} /> })}</>}
            error={isOther ? undefined : save.fault?.fields[CRON]}
          />
          <TextField
            label={t('Automatic backups to keep')}
            name={KEEP}
            type="number"
            min={1}
            value={keep}
            onValue={(typed) => draft.change({ keep: typed })}
            fault={save.fault}
            hint={t('Older ones are deleted. Those that you made yourself stay.')}
          />
        </div>
        {isOther && (
          <TextField
            label={t('Cron expression')}
            name={CRON}
            hint={t(
              'Minute, hour, day, month, day of the week, in UTC: 30 1 * * 1-5 is 1:30 on working days.',
            )}
            autocomplete="off"
            spellcheck={false}
            value={cron}
            onValue={setCron}
            fault={save.fault}
          />
        )}
        <FormActions busy={save.busy}>{t('Save schedule')}</FormActions>
      </Form>
    </Card>
  )
}
