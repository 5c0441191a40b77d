import { useId } from 'preact/hooks'
import type { Fault } from '../../data/fault.ts'
import { TextField } from '../../parts/field.tsx'
import type { Composition } from './composition.ts'

const HOUR_MS = 3_600_000
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** A local time as the browser's field has it. */
const localOf = (ms: number) => {
  const at = new Date(ms)
  return new Date(ms - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** At once, or at a time of the sender's own clock. */
export function WhenField({
  composition,
  onChange,
  fault,
}: {
  composition: Composition
  onChange: (part: Partial<Composition>) => void
  fault: Fault | undefined
}) {
  const { isLater, at } = composition
  const name = useId()
  return (
    <>
      <fieldset class="segments">
        <legend class="unseen">When</legend>
        {[false, true].map((later) => (
          <label key={String(later)}>
            <input
              class="unseen"
              type="radio"
              name={name}
              checked={isLater === later}
              onChange={() => onChange({ isLater: later, at: at || localOf(Date.now() + HOUR_MS) })}
            />
            {later ? 'Later' : 'Now'}
          </label>
        ))}
      </fieldset>
      {isLater && (
        <TextField
          label="Send at"
          name="at"
          type="datetime-local"
          min={localOf(Date.now())}
          value={at}
          onValue={(value) => onChange({ at: value })}
          fault={fault}
          hint={`Your time: ${zone.replaceAll('_', ' ')}.`}
        />
      )}
    </>
  )
}
