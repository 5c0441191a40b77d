import type { Fault } from '../../data/fault.ts'
import { DAYS, dayName, type Hours } from '../../data/hours.ts'
import { CheckField, TextField } from './field.tsx'

/** From when to when, on which days. `names` are those of the record's fields. */
export function HoursFields({
  hours,
  onChange,
  labels,
  names,
  errors,
  fault,
}: {
  hours: Hours
  onChange: (part: Partial<Hours>) => void
  labels: Readonly<Record<keyof Hours, string>>
  names: Readonly<Record<keyof Hours, string>>
  errors: Partial<Record<keyof Hours, string>>
  fault: Fault | undefined
}) {
  return (
    <>
      <div class="hours">
        {(['from', 'to'] as const).map((end) => (
          <TextField
            key={end}
            label={labels[end]}
            name={names[end]}
            type="time"
            value={hours[end]}
            onValue={(at) => onChange({ [end]: at })}
            error={errors[end] ?? fault?.fields[names[end]]}
          />
        ))}
      </div>
      <fieldset class="days">
        <legend>{labels.days}</legend>
        {DAYS.map((day) => (
          <CheckField
            key={day}
            label={dayName(day)}
            name={`${names.days}-${day}`}
            value={hours.days.includes(day)}
            onValue={(isIn) =>
              onChange({ days: isIn ? [...hours.days, day] : hours.days.filter((one) => one !== day) })
            }
          />
        ))}
      </fieldset>
    </>
  )
}
