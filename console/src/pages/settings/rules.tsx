import { useState } from 'preact/hooks'
import { type RateLimit, saveSettings } from '../../data/settings.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t, tn } from '../../language/words.ts'
import { askToConfirm, Dialog } from '../../parts/dialog/dialog.tsx'
import { Button, Notice } from '../../parts/form/form.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import type { Values } from '../../parts/rows/values.ts'
import { showToast } from '../../parts/toast.tsx'

export function Rules({ first }: { first: readonly RateLimit[] }) {
  const [rules, setRules] = useState(first)
  /** The index of the rule in the dialog; the list's length for a new rule. */
  const [open, setOpen] = useState<number>()
  const save = async (next: readonly RateLimit[]) => {
    const saved = await saveSettings({ rateLimits: { rules: next } })
    setRules(saved.rateLimits.rules)
  }
  const remove = useTask(async (rule: RateLimit) => {
    const text = t('{rule}: no longer {rate}.', { rule: nameRule(rule), rate: describeRate(rule) })
    if (
      !(await askToConfirm({
        title: t('Delete the rule?'),
        text,
        action: t('Delete the rule'),
        danger: true,
      }))
    )
      return
    await save(rules.filter((one) => one !== rule))
    showToast(t('Rule deleted'))
  })
  const rows = rules.map((rule, at) => (
    <Rule
      key={makeKey(rule)}
      rule={rule}
      onEdit={() => setOpen(at)}
      onRemove={() => void remove.run(rule)}
    />
  ))
  return (
    <section class="settings-rules" aria-label={t('Rules')}>
      {remove.fault && <Notice kind="wrong">{describeRuleFault(remove.fault)}</Notice>}
      {rules.length === 0 && (
        <p class="muted">{t('No rules yet. Without one nothing is limited.')}</p>
      )}
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

const makeKey = ({ label, audience }: RateLimit) => `${label} ${audience}`

const describeRuleFault = ({
  fields,
  message,
}: {
  fields: Readonly<Record<string, string>>
  message: string
}) =>
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
      {findWords(rule.label) ?? <code>{rule.label}</code>}
      {describeAudience(rule.audience)}
      <span class="muted">{describeRate(rule)}</span>
    </span>
    <Button kind="quiet" icon="edit" iconOnly onClick={onEdit}>
      {t('Change {rule}', { rule: nameRule(rule) })}
    </Button>
    <Button kind="quiet" icon="trash" iconOnly onClick={onRemove}>
      {t('Delete {rule}', { rule: nameRule(rule) })}
    </Button>
  </li>
)

const OTHER = ''
const NEW: RateLimit = { label: '/api/sms/', audience: '', maxRequests: 60, duration: 60 }

interface RuleDialogProps {
  readonly rules: readonly RateLimit[]
  /** The index of the edited rule; the list's length for a new rule. */
  readonly at: number
  readonly save: (rules: readonly RateLimit[]) => Promise<void>
  readonly onClose: () => void
}

const isOtherLabel = (values: Values) => values.choice === OTHER

/** The form's fields for the rule at index `at`. Like the server's errors, their names contain the index. */
function makeRuleRows(at: number): readonly FormRow[] {
  const path = `rateLimits.rules.${at}.`
  const number = { kind: 'number', min: 1, refused: t('At least 1.') } as const
  return [
    {
      name: 'choice',
      label: t('What'),
      choices: [...LABELS, [OTHER, t('Something else…')]],
      kind: 'select',
    },
    {
      name: `${path}label`,
      label: t('Path or action'),
      shown: isOtherLabel,
      autocomplete: 'off',
      spellcheck: false,
      hint: t(
        'A path, as /api/sms/send or POST /api/sms/send, with / at its end for all below it. Or COLLECTION:ACTION, as contacts:create.',
      ),
    },
    { name: `${path}audience`, label: t('By whom'), choices: AUDIENCES, kind: 'select' },
    [
      { name: `${path}maxRequests`, label: t('Requests'), ...number },
      { name: `${path}duration`, label: t('In seconds'), ...number },
    ],
  ]
}

function RuleDialog({ rules, at, save, onClose }: RuleDialogProps) {
  const rule = rules[at] ?? NEW
  const isKnown = findWords(rule.label) !== undefined
  const stored = { ...rule, label: isKnown ? '' : rule.label }
  const isNew = at === rules.length
  const saveRule = async (_: object, all: { choice?: unknown; rateLimits?: unknown }) => {
    const { rules: typed } = all.rateLimits as { rules: Readonly<Record<number, RateLimit>> }
    const { label, ...rest } = typed[at]!
    await save([
      ...rules.slice(0, at),
      { ...rest, label: String(all.choice || label.trim()) },
      ...rules.slice(at + 1),
    ])
    return isNew ? t('Rule added') : t('Rule changed')
  }
  return (
    <Dialog title={isNew ? t('New rule') : t('Change the rule')} onClose={onClose}>
      <RowsForm
        draftKey={`settings.rule.${at}`}
        rows={makeRuleRows(at)}
        stored={{ choice: isKnown ? rule.label : OTHER, rateLimits: { rules: { [at]: stored } } }}
        save={saveRule}
        action={t('Save the rule')}
        onDone={onClose}
        onCancel={onClose}
      />
    </Dialog>
  )
}

const LABELS = [
  ['/api/', t('All requests')],
  ['*:auth', t('Signing in')],
  ['/api/sms/', t('Sending, and all below /api/sms/')],
  ['*:list', t('Lists of records')],
  ['*:create', t('New records')],
  ['*:update', t('Changes of records')],
  ['*:file', t('Files')],
  ['/api/batch', t('Batches of requests')],
  ['/api/devices/', t('Requests of devices')],
] as const

const AUDIENCES = [
  ['', t('Everybody')],
  ['@guest', t('Guests')],
  ['@auth', t('Who is signed in')],
] as const

const BY: Readonly<Record<string, string>> = {
  '@guest': t('by guests'),
  '@auth': t('by who is signed in'),
}

const findWords = (label: string): string | undefined =>
  LABELS.find(([known]) => known === label)?.[1]

const nameRule = ({ label, audience }: RateLimit): string =>
  `${findWords(label) ?? label}${describeAudience(audience)}`

const describeAudience = (audience: string): string => (BY[audience] ? ` ${BY[audience]}` : '')

const describeRate = ({ maxRequests, duration }: RateLimit): string =>
  tn('{maxRequests} in a second', '{maxRequests} in {count} seconds', duration, { maxRequests })
