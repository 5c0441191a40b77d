import type { TargetedInputEvent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useDebounced } from '../../data/use/use-debounced.ts'
import { t } from '../../language/words.ts'
import { Options } from '../../parts/form/field.tsx'
import { Button } from '../../parts/form/form.tsx'
import { type FieldCondition, findConditionFault, SIGNS, type Sign } from './field-filter.ts'

/** Asks what contacts of the list must have in a field. */
export function AskFieldCondition({
  condition,
  onChange,
  onClose,
}: {
  condition: FieldCondition
  onChange: (change: { readonly sign?: Sign; readonly value?: string }) => void
  onClose: () => void
}) {
  const { field, sign, value } = condition
  const fault = findConditionFault(condition)
  return (
    <fieldset class="contacts-condition">
      <legend class="unseen">{t('Contacts by a field')}</legend>
      <span>{field.name}</span>
      <select
        aria-label={t('Comparison')}
        value={sign}
        onChange={(event) => onChange({ sign: event.currentTarget.value as Sign })}
      >
        <Options choices={SIGNS[field.type]} />
      </select>
      {sign !== 'none' && (
        <Value key={field.id} condition={condition} onValue={(value) => onChange({ value })} />
      )}
      <Button kind="quiet" icon="close" iconOnly onClick={onClose}>
        {t('Remove the condition')}
      </Button>
      {fault && value !== '' && (
        <p class="note wrong" role="alert">
          {fault}
        </p>
      )}
    </fieldset>
  )
}

/** The input of a value by the type of the field. Typed values are passed on when the person pauses. */
function Value({
  condition: { field, value },
  onValue,
}: {
  condition: FieldCondition
  onValue: (value: string) => void
}) {
  const [typed, setTyped] = useState(value)
  const settled = useDebounced(typed)
  useEffect(() => {
    if (settled !== value) onValue(settled)
  }, [settled])
  const label = t('Value of {field}', { field: field.name })
  if (field.type === 'choice')
    return (
      <select
        aria-label={label}
        value={value}
        onChange={(event) => onValue(event.currentTarget.value)}
      >
        <option value="">–</option>
        <Options choices={(field.choices ?? []).map((choice) => [choice, choice] as const)} />
      </select>
    )
  const props = {
    'aria-label': label,
    value: typed,
    onInput: (event: TargetedInputEvent<HTMLInputElement>) => setTyped(event.currentTarget.value),
  }
  return field.type === 'date' ? (
    <input {...props} type="date" />
  ) : (
    <input {...props} inputMode={field.type === 'number' ? 'decimal' : 'text'} />
  )
}
