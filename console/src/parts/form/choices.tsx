import { useId } from 'preact/hooks'
import type { Choices } from '../../data/choices.ts'
import type { Fault } from '../../data/fault.ts'
import { CheckField } from './field.tsx'

/** Checkboxes to choose several values. `choices`: pairs of value and words. `name`: the record's field. */
export const CheckList = <T extends string>({
  class: look = 'checks',
  legend,
  name,
  choices,
  chosen,
  onChosen,
  fault,
}: {
  class?: string
  legend: string
  name: string
  choices: Choices<T>
  chosen: readonly T[]
  onChosen: (chosen: readonly T[]) => void
  fault?: Fault
}) => (
  <fieldset class={look}>
    <legend>{legend}</legend>
    {choices.map(([value, words]) => (
      <CheckField
        key={value}
        label={words}
        name={`${name}-${value}`}
        value={chosen.includes(value)}
        onValue={(isIn) =>
          onChosen(isIn ? [...chosen, value] : chosen.filter((one) => one !== value))
        }
      />
    ))}
    {fault?.fields[name] && (
      <p class="note wrong" role="alert">
        {fault.fields[name]}
      </p>
    )}
  </fieldset>
)

/** Buttons to choose one of few values. `legend` is for screen readers. */
export function Segments<K extends string | number | boolean>({
  legend,
  choices,
  chosen,
  onChoose,
}: {
  legend: string
  choices: Choices<K>
  chosen: K
  onChoose: (value: K) => void
}) {
  const name = useId()
  return (
    <fieldset class="segments">
      <legend class="unseen">{legend}</legend>
      {choices.map(([value, words]) => (
        <label key={String(value)}>
          <input
            class="unseen"
            type="radio"
            name={name}
            checked={chosen === value}
            onChange={() => onChoose(value)}
          />
          {words}
        </label>
      ))}
    </fieldset>
  )
}
