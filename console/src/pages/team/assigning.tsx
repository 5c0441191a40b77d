import type { UserSettings } from '../../data/records.ts'
import { useTask } from '../../data/use/use-task.ts'
import { ownSettings, saveOwnSettings } from '../../data/user-settings/own.ts'
import { t } from '../../language/words.ts'
import { SelectField } from '../../parts/form/field.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'

const WAYS = [
  ['', t('Nobody, until somebody takes it')],
  ['answerer', t('Who answers first')],
  ['turns', t('In turns, when a text comes in')],
] as const

/** The setting that assigns new conversations. */
export function Assigning() {
  const save = useTask(async (assign: string) => {
    await saveOwnSettings({ assign: assign as UserSettings['assign'] })
    toast(t('Saved'))
  })
  if (ownSettings.value === undefined) return null
  return (
    <Card title={t('Assigning')}>
      {save.fault && <Notice kind="wrong">{save.fault.message}</Notice>}
      <SelectField
        label={t('Who gets a conversation that nobody has')}
        name="assign"
        choices={WAYS}
        value={ownSettings.value?.assign ?? ''}
        onValue={(assign) => void save.run(assign)}
        disabled={save.busy}
        hint={t('In turns goes to the owner, admins and agents; the next is who has waited longest.')}
      />
    </Card>
  )
}
