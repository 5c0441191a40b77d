import { type Choices, nameChoices } from '../../data/choices.ts'
import type { Device, Sender } from '../../data/record-types.ts'
import { isUser } from '../../data/session.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { Options } from '../../parts/form/field.tsx'
import { SORTS } from './columns.tsx'
import type { Question } from './question.ts'

const MOST_CHOICES = 200

/**
 * Filters without filter syntax: days in the browser's time zone, device, sender. On narrow screens also the
 * sort order.
 */
export function Pickers({
  question: { from, until, device, sender, sort },
  onChange,
}: {
  question: Question
  onChange: (change: Partial<Question>) => void
}) {
  const devices = useList<Device>('devices', { sort: 'name', perPage: MOST_CHOICES })
  const senders = useList<Sender>('senders', {
    filter: 'kind != "campaign"',
    sort: 'name',
    perPage: MOST_CHOICES,
    ready: isUser(),
  })
  const day = (label: string, value: string, onDay: (day: string) => void) => (
    <label>
      {label}
      <input type="date" value={value} onChange={(event) => onDay(event.currentTarget.value)} />
    </label>
  )
  const choice = (label: string, value: string, choices: Choices, onChoice: (value: string) => void) => (
    <label>
      {label}
      <select value={value} onInput={(event) => onChoice(event.currentTarget.value)}>
        <Options choices={choices} />
      </select>
    </label>
  )
  const named = (records: readonly (Device | Sender)[]): Choices => [['', t('All')], ...nameChoices(records)]
  const orders: Choices = SORTS.some(([key]) => key === sort) ? SORTS : [[sort, t('Another order')], ...SORTS]
  return (
    <>
      {day(t('From'), from, (chosen) => onChange({ from: chosen }))}
      {day(t('Until'), until, (chosen) => onChange({ until: chosen }))}
      {devices.items.length > 1 &&
        choice(t('Device'), device, named(devices.items), (chosen) => onChange({ device: chosen }))}
      {senders.items.length > 1 &&
        choice(t('Sent by'), sender, named(senders.items), (chosen) => onChange({ sender: chosen }))}
      {choice(t('Order'), sort, orders, (chosen) => onChange({ sort: chosen }))}
    </>
  )
}
