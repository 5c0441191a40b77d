import type { Fault } from '../../data/fault.ts'
import { DAYS, dayName, type Hours } from '../../data/hours.ts'
import { CheckList, TextField } from './field.tsx'

type Names = Readonly<Record<'from' | 'to', string>> & { readonly days?: string }

const DAY_CHOICES = DAYS.map((day) => [day, dayName(day)] as const)

/** Fields for hours, and for days if `labels` has days. `names`: the record's field names. */
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
  labels: Names
  names: Names
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
      {labels.days && (
        <CheckList
          legend={labels.days}
          name={names.days ?? ''}
          choices={DAY_CHOICES}
          chosen={hours.days}
          onChosen={(days) => onChange({ days })}
        />
      )}
    </>
  )
}
