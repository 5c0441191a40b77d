import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { type Hours, hoursFaults } from '../../data/hours.ts'
import type { AutoAnswer } from '../../data/records.ts'
import { userId } from '../../data/session.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { CheckField, SelectField, TextField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { HoursFields } from '../../parts/form/hours-fields.tsx'
import { LineChoice } from '../../parts/form/line-choice.tsx'
import { toast } from '../../parts/toast.tsx'
import { AnswerText } from './answer-text.tsx'
import { hoursOf, MATCHES } from './answer-words.ts'

/** The editable fields of an automatic answer. */
export interface TypedAnswer {
  readonly name: string
  readonly enabled: boolean
  readonly match: AutoAnswer['match']
  readonly value: string
  readonly lines: readonly string[]
  readonly hours: Hours
  readonly body: string
  /** '' for a text. */
  readonly template: string
  readonly pause: string
}

const BLANK: TypedAnswer = {
  ...{ name: '', enabled: true, match: 'any', value: '', lines: [], body: '', template: '', pause: '12' },
  hours: { from: '', to: '', days: [] },
}

const typedOf = (answer: AutoAnswer): TypedAnswer => {
  const { name, enabled, match, value, lines, body, template, pause_hours } = answer
  const hours = hoursOf(answer)
  return { name, enabled, match, value, lines, hours, body, template, pause: String(pause_hours) }
}

/** The record to save. Drops the words if the chosen match needs none. */
const recordOf = ({ hours, pause, body, match, value, ...rest }: TypedAnswer) => ({
  ...rest,
  match,
  value: match === 'any' ? '' : value,
  body: rest.template ? '' : body,
  hours_from: hours.from,
  hours_to: hours.to,
  days: hours.days,
  pause_hours: Number(pause || 0),
})

const HOURS = { from: 'hours_from', to: 'hours_to', days: 'days' } as const
const NAMES = ['name', 'match', 'value', 'body', 'template', 'pause_hours', ...Object.values(HOURS)]
const CHOICES = Object.entries(MATCHES).map(([match, [words]]) => [match, words] as const)

/** Creates or edits an automatic answer. */
export function AnswerForm({ answer, onClose }: { answer: AutoAnswer | undefined; onClose: () => void }) {
  const draft = useDraft(`answer.${answer?.id ?? 'new'}`, answer ? typedOf(answer) : BLANK)
  const [errors, setErrors] = useState<ReturnType<typeof hoursFaults>>({})
  const typed = draft.value
  const save = useTask(async () => {
    const record = recordOf(typed)
    if (answer) await pb.collection('auto_answers').update(answer.id, record)
    else await pb.collection('auto_answers').create({ user: userId(), ...record })
    draft.saved()
    toast(t('Automatic answer saved'))
    onClose()
  })
  const submit = () => {
    const faults = hoursFaults(typed.hours)
    setErrors(faults)
    if (Object.keys(faults).length === 0) return save.run()
  }
  const cancel = () => {
    draft.discard()
    onClose()
  }
  return (
    <Dialog
      title={answer ? t('Change the automatic answer') : t('New automatic answer')}
      onClose={onClose}
      wide
    >
      <Form onSubmit={submit} fault={save.fault} names={NAMES}>
        <TextField
          label={t('Name')}
          name="name"
          value={typed.name}
          onValue={(name) => draft.change({ name })}
          fault={save.fault}
          hint={t('For you alone.')}
        />
        <SelectField
          label={t('What arrives')}
          name="match"
          value={typed.match}
          onValue={(match) => draft.change({ match: match as TypedAnswer['match'] })}
          choices={CHOICES}
          hint={t('STOP, START and words like them never come here.')}
        />
        {typed.match !== 'any' && (
          <TextField
            label={t('Words')}
            name="value"
            value={typed.value}
            onValue={(value) => draft.change({ value })}
            fault={save.fault}
            hint={t('With commas between. Capitals do not matter.')}
          />
        )}
        <LineChoice
          legend={t('Lines that it comes in by (none: all)')}
          chosen={typed.lines}
          onChosen={(lines) => draft.change({ lines })}
        />
        <HoursFields
          hours={typed.hours}
          onChange={(part) => {
            draft.change({ hours: { ...typed.hours, ...part } })
            setErrors({})
          }}
          labels={{ from: t('From (empty: always)'), to: t('Until'), days: t('Days (none: every day)') }}
          names={HOURS}
          errors={errors}
          fault={save.fault}
        />
        <AnswerText typed={typed} onChange={draft.change} fault={save.fault} />
        <TextField
          label={t('Pause in hours')}
          name="pause_hours"
          type="number"
          min={0}
          value={typed.pause}
          onValue={(pause) => draft.change({ pause })}
          fault={save.fault}
          hint={t(
            'A number gets this answer once in so many hours. 0: each time, but never more than 5 automatic answers in 24 hours.',
          )}
        />
        <CheckField
          label={t('On')}
          name="enabled"
          value={typed.enabled}
          onValue={(enabled) => draft.change({ enabled })}
        />
        <FormActions busy={save.busy} onCancel={cancel}>
          {t('Save')}
        </FormActions>
      </Form>
    </Dialog>
  )
}
