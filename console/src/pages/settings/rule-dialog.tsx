import type { RateLimit } from '../../data/settings.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import type { FormRow } from '../../parts/rows/rows.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import type { Values } from '../../parts/rows/values.ts'
import { AUDIENCES, LABELS, wordsOf } from './rule-words.ts'

/** The choice to type a label. */
const OTHER = ''
const NEW: RateLimit = { label: '/api/sms/', audience: '', maxRequests: 60, duration: 60 }

interface RuleDialogProps {
  readonly rules: readonly RateLimit[]
  /** The index of the edited rule; the list's length for a new one. */
  readonly at: number
  readonly save: (rules: readonly RateLimit[]) => Promise<void>
  readonly onClose: () => void
}

const isOther = (values: Values) => values.choice === OTHER

/** The fields of a rule. The server names their faults by the rule's place in the list. */
function rowsFor(at: number): readonly FormRow[] {
  const path = `rateLimits.rules.${at}.`
  const number = { kind: 'number', min: 1, refused: t('At least 1.') } as const
  return [
    { name: 'choice', label: t('What'), choices: [...LABELS, [OTHER, t('Something else…')]], kind: 'select' },
    {
      ...{
        name: `${path}label`,
        label: t('Path or action'),
        shown: isOther,
        autocomplete: 'off',
        spellcheck: false,
      },
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

/** Edits a rate limit: label, audience and rate. */
export function RuleDialog({ rules, at, save, onClose }: RuleDialogProps) {
  const rule = rules[at] ?? NEW
  const isKnown = wordsOf(rule.label) !== undefined
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
        rows={rowsFor(at)}
        stored={{ choice: isKnown ? rule.label : OTHER, rateLimits: { rules: { [at]: stored } } }}
        {...{ save: saveRule, action: t('Save the rule'), onDone: onClose, onCancel: onClose }}
      />
    </Dialog>
  )
}
