import { useId } from 'preact/hooks'

/** A choice of few, all of them shown. `legend` is for screen readers. */
export function Segments<K extends string | number | boolean>({
  legend,
  choices,
  chosen,
  onChoose,
}: {
  legend: string
  choices: readonly (readonly [value: K, words: string])[]
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
