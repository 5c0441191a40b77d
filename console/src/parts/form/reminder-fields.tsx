import { isOfContacts, type Reminder, type ReminderSource } from '../../data/reminder.ts'
import { t } from '../../language/words.ts'
import { Segments } from './choices.tsx'
import { CheckField, SelectField, TextField } from './field.tsx'
import { More } from './more.tsx'

const UNITS = [
  ['days', t('Days before')],
  ['hours', t('Hours before')],
] as const

/** How long before its date a reminder leaves, of which records, and to which number. */
export function ReminderFields({
  source,
  value,
  fault,
  onValue,
}: {
  source: ReminderSource
  value: Reminder
  /** Why the server refuses it. */
  fault?: string
  onValue: (value: Reminder) => void
}) {
  const { offset, phone, filter = '', yearly = false } = value
  const change = (part: Partial<Reminder>) => onValue({ ...value, ...part })
  const unit = 'hours' in offset ? 'hours' : 'days'
  const count = 'hours' in offset ? offset.hours : offset.days
  const at = 'days' in offset ? (offset.at ?? '') : ''
  const setCount = (typed: string) => {
    const number = Math.max(0, Math.trunc(Number(typed)) || 0)
    change({ offset: unit === 'hours' ? { hours: number } : { days: number, ...(at && { at }) } })
  }
  return (
    <>
      {!isOfContacts(source) && !yearly && (
        <Segments
          legend={t('When')}
          choices={UNITS}
          chosen={unit}
          onChoose={(unit) =>
            change({ offset: unit === 'hours' ? { hours: 2 } : { days: 1, at: '18:00' } })
          }
        />
      )}
      <div class="pairs">
        <TextField
          label={unit === 'hours' ? t('Hours before') : t('Days before')}
          name="count"
          type="number"
          min={unit === 'hours' ? 1 : 0}
          max={unit === 'hours' ? 720 : 300}
          value={String(count)}
          onValue={setCount}
          hint={unit === 'days' ? t('0: on the day itself.') : undefined}
          error={fault}
        />
        {unit === 'days' && (
          <TextField
            label={t('At')}
            name="at"
            type="time"
            value={at}
            onValue={(time) => change({ offset: { days: count, ...(time && { at: time }) } })}
            hint={t('In the time zone of your account.')}
          />
        )}
      </div>
      {unit === 'days' && (
        <CheckField
          label={t('Each year, as for birthdays')}
          name="yearly"
          value={yearly}
          onValue={(isYearly) => change({ yearly: isYearly })}
        />
      )}
      {source.phones.length > 1 && (
        <SelectField
          label={t('The number is in')}
          name="phone"
          value={phone ?? source.phones[0]!}
          onValue={(name) => change({ phone: name })}
          choices={source.phones.map((name) => [name, name] as const)}
        />
      )}
      <More summary={t('Limit with a filter')} isWrong={filter !== ''}>
        <TextField
          label={t('Filter')}
          name="filter"
          value={filter}
          onValue={(text) => change({ filter: text })}
          spellcheck={false}
          hint={t('As in the API, such as status = "confirmed". Empty: all.')}
        />
      </More>
    </>
  )
}
