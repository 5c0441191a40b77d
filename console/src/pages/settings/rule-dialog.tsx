import { useState } from 'preact/hooks'
import type { RateLimit } from '../../data/settings.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { SelectField, TextField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { toast } from '../../parts/toast.tsx'
import { AUDIENCES, LABELS, wordsOf } from './rule-words.ts'

/** The choice of a typed label. */
const OTHER = ''
const CHOICES = [...LABELS, [OTHER, t('Something else…')]] as const
const NEW: RateLimit = { label: '/api/sms/', audience: '', maxRequests: 60, duration: 60 }

interface RuleDialogProps {
  readonly rules: readonly RateLimit[]
  /** The index of the edited rule; the list's length for a new one. */
  readonly at: number
  readonly save: (rules: readonly RateLimit[]) => Promise<void>
  readonly onClose: () => void
}

/** Edits a rate limit: what, for whom and how much. */
export function RuleDialog({ rules, at, save: saveAll, onClose }: RuleDialogProps) {
  const isNew = at === rules.length
  const { label, audience, maxRequests, duration } = rules[at] ?? NEW
  const [choice, setChoice] = useState(wordsOf(label) ? label : OTHER)
  const [typed, setTyped] = useState(wordsOf(label) ? '' : label)
  const [who, setWho] = useState(audience)
  const [requests, setRequests] = useState(String(maxRequests))
  const [seconds, setSeconds] = useState(String(duration))
  const save = useTask(async () => {
    const rule = {
      label: choice === OTHER ? typed.trim() : choice,
      audience: who,
      maxRequests: wholeOf(requests),
      duration: wholeOf(seconds),
    }
    await saveAll([...rules.slice(0, at), rule, ...rules.slice(at + 1)])
    toast(isNew ? t('Rule added') : t('Rule changed'))
    onClose()
  })
  const tooSmall = (text: string) => (save.fault && wholeOf(text) < 1 ? t('At least 1.') : undefined)
  const nameOf = (field: keyof RateLimit) => `rateLimits.rules.${at}.${field}`
  return (
    <Dialog title={isNew ? t('New rule') : t('Change the rule')} onClose={onClose}>
      <Form
        onSubmit={save.run}
        fault={save.fault}
        names={(['label', 'audience', 'maxRequests', 'duration'] as const).map(nameOf)}
      >
        <SelectField
          label={t('What')}
          name={choice === OTHER ? 'what' : nameOf('label')}
          choices={CHOICES}
          value={choice}
          onValue={setChoice}
          fault={save.fault}
        />
        {choice === OTHER && (
          <TextField
            label={t('Path or action')}
            name={nameOf('label')}
            hint={t(
              'A path, as /api/sms/send or POST /api/sms/send, with / at its end for all below it. Or COLLECTION:ACTION, as contacts:create.',
            )}
            autocomplete="off"
            spellcheck={false}
            value={typed}
            onValue={setTyped}
            fault={save.fault}
          />
        )}
        <SelectField
          label={t('By whom')}
          name={nameOf('audience')}
          choices={AUDIENCES}
          value={who}
          onValue={setWho}
          fault={save.fault}
        />
        <div class="columns">
          <TextField
            label={t('Requests')}
            name={nameOf('maxRequests')}
            type="number"
            min={1}
            value={requests}
            error={tooSmall(requests)}
            onValue={setRequests}
            fault={save.fault}
          />
          <TextField
            label={t('In seconds')}
            name={nameOf('duration')}
            type="number"
            min={1}
            value={seconds}
            error={tooSmall(seconds)}
            onValue={setSeconds}
            fault={save.fault}
          />
        </div>
        <FormActions busy={save.busy} onCancel={onClose}>
          {t('Save the rule')}
        </FormActions>
      </Form>
    </Dialog>
  )
}

/** A text as a number. Other texts are 0, which the server refuses. */
const wholeOf = (text: string) => Math.trunc(Number(text)) || 0
