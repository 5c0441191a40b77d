import { PRESETS } from '../../../../src/hooks/presets.ts'
import type { Fault } from '../../data/fault.ts'
import type { hoursFaults } from '../../data/hours.ts'
import { lineWords, useLines } from '../../data/use/use-lines.ts'
import { t } from '../../language/words.ts'
import { SelectField, TextField } from '../../parts/form/field.tsx'
import { HoursFields } from '../../parts/form/hours-fields.tsx'
import { More } from '../../parts/form/more.tsx'
import { type TypedHook, tiesOf } from './typed-hook.ts'

const HOURS = { from: 'quiet_from', to: 'quiet_to' } as const
const CONDITION = 'workflow_run.conclusion=failure,timed_out'
const RESOLVED = [
  ['send', t('a text is sent')],
  ['skip', t('no text is sent')],
] as const

/** The fields that show their own messages. */
export const MORE_NAMES = [
  ...['recipients_from', 'line', 'once_key', 'once_minutes', 'send_when', 'resolved', 'resolved_when'],
  ...['max_parts', 'rate'],
  ...Object.values(HOURS),
]

/** Rarely needed fields of a hook: once key, conditions, limits and line. */
export function MoreFields({
  typed,
  onChange,
  fault,
  errors,
}: {
  typed: TypedHook
  onChange: (part: Partial<TypedHook>) => void
  fault: Fault | undefined
  /** Faults of the quiet hours. */
  errors: ReturnType<typeof hoursFaults>
}) {
  const lines = useLines()
  const tie = tiesOf(typed, onChange, fault)
  const { once_key: onceKey, resolved_when: resolvedWhen } = PRESETS[typed.preset]
  return (
    <More
      summary={t('More: repetitions, quiet hours, line')}
      isWrong={Boolean(errors.from || errors.to) || MORE_NAMES.some((name) => fault?.fields[name])}
    >
      <div class="stack">
        <TextField
          label={t('Send once')}
          {...tie('once_key')}
          placeholder={onceKey}
          hint={t('Bodies in which this is the same are sent once, such as {{id}}.')}
        />
        <TextField
          label={t('Within how many minutes')}
          {...tie('once_minutes')}
          type="number"
          min={0}
          hint={t('0: each body is sent.')}
        />
        <TextField
          label={t('Send only')}
          {...tie('send_when')}
          placeholder={CONDITION}
          hint={t('A path in the body and its values. Empty: each body is sent.')}
        />
        <SelectField label={t('When all is well again')} {...tie('resolved')} choices={RESOLVED} />
        <TextField
          label={t('How the body shows it')}
          {...tie('resolved_when')}
          placeholder={resolvedWhen || 'status=resolved'}
        />
        <HoursFields
          hours={{ from: typed.quiet_from, to: typed.quiet_to, days: [] }}
          onChange={({ from = typed.quiet_from, to = typed.quiet_to }) =>
            onChange({ quiet_from: from, quiet_to: to })
          }
          labels={{ from: t('Quiet from'), to: t('Quiet until') }}
          names={HOURS}
          errors={errors}
          fault={fault}
        />
        <TextField
          label={t('Short messages of a text')}
          {...tie('max_parts')}
          type="number"
          min={1}
          max={10}
          hint={t('A longer text is cut: each part costs as much as a text.')}
        />
        <TextField
          label={t('Short messages an hour')}
          {...tie('rate')}
          type="number"
          min={1}
          max={1000}
          hint={t('To each recipient.')}
        />
        <SelectField
          label={t('Line')}
          {...tie('line')}
          choices={[
            ['', t('Any line: they take turns')],
            ...lines.map((line) => [line.id, lineWords(line)] as const),
          ]}
        />
        <TextField
          label={t('Recipients that the body names')}
          {...tie('recipients_from')}
          placeholder="commonLabels.team"
          hint={t('Where in the body numbers or names of your groups stand. Empty: it cannot choose.')}
        />
      </div>
    </More>
  )
}
