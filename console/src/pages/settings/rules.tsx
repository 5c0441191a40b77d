import { useState } from 'preact/hooks'
import { type RateLimit, saveSettings } from '../../data/settings.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { toast } from '../../parts/toast.tsx'
import { RuleDialog } from './rule-dialog.tsx'
import { byOf, rateOf, ruleName, wordsOf } from './rule-words.ts'

/** The rules of the limits: each change is saved at once, as all rules together. */
export function Rules({ first }: { first: readonly RateLimit[] }) {
  const [rules, setRules] = useState(first)
  /** The index of the open rule; the list's length for a new one. */
  const [open, setOpen] = useState<number>()
  const save = async (next: readonly RateLimit[]) => {
    const saved = await saveSettings({ rateLimits: { rules: next } })
    setRules(saved.rateLimits.rules)
  }
  const remove = useTask(async (rule: RateLimit) => {
    const text = t('{rule}: no longer {rate}.', { rule: ruleName(rule), rate: rateOf(rule) })
    if (
      !(await confirmed({ title: t('Delete the rule?'), text, action: t('Delete the rule'), danger: true }))
    )
      return
    await save(rules.filter((one) => one !== rule))
    toast(t('Rule deleted'))
  })
  const rows = rules.map((rule, at) => (
    <Rule key={keyOf(rule)} rule={rule} onEdit={() => setOpen(at)} onRemove={() => void remove.run(rule)} />
  ))
  return (
    <section class="settings-rules" aria-label={t('Rules')}>
      {remove.fault && <Notice kind="wrong">{faultText(remove.fault)}</Notice>}
      {rules.length === 0 && <p class="muted">{t('No rules yet. Without one nothing is limited.')}</p>}
      <ul>{rows}</ul>
      <div>
        <Button icon="plus" onClick={() => setOpen(rules.length)}>
          {t('Add a rule')}
        </Button>
      </div>
      {open !== undefined && (
        <RuleDialog rules={rules} at={open} save={save} onClose={() => setOpen(undefined)} />
      )}
    </section>
  )
}

const keyOf = ({ label, audience }: RateLimit) => `${label} ${audience}`

const faultText = ({ fields, message }: { fields: Readonly<Record<string, string>>; message: string }) =>
  'rateLimits.rules' in fields
    ? t('The last rule stays while limits are on: switch them off and save that first.')
    : message

interface RuleProps {
  readonly rule: RateLimit
  readonly onEdit: () => void
  readonly onRemove: () => void
}

const Rule = ({ rule, onEdit, onRemove }: RuleProps) => (
  <li>
    <span>
      {wordsOf(rule.label) ?? <code>{rule.label}</code>}
      {byOf(rule.audience)}
      <span class="muted">{rateOf(rule)}</span>
    </span>
    <Button kind="quiet" icon="edit" iconOnly onClick={onEdit}>
      {t('Change {rule}', { rule: ruleName(rule) })}
    </Button>
    <Button kind="quiet" icon="trash" iconOnly onClick={onRemove}>
      {t('Delete {rule}', { rule: ruleName(rule) })}
    </Button>
  </li>
)
