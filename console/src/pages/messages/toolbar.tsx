import { useId, useState } from 'preact/hooks'
import type { Device, Sender } from '../../data/records.ts'
import { session } from '../../data/session.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/button.tsx'
import { SearchField } from '../../parts/list/search-field.tsx'
import { SORTS } from './columns.tsx'
import { FilterBar } from './filter/filter-bar.tsx'
import { type Question, STATES, type StateKey } from './question.ts'
import { SavedMenu } from './saved-menu.tsx'

/** The search and states; behind a button the other filters. On a phone states are behind it, too. */
export function Toolbar({
  question,
  onChange,
  refusal,
}: {
  question: Question
  onChange: (change: Partial<Question>, isTyping?: boolean) => void
  refusal: string | undefined
}) {
  const { filter, state, words, from, until, device, sender } = question
  const [isOpen, setOpen] = useState(filter !== '')
  const id = useId()
  const isOnPhone = innerWidth < 720
  const set = [filter, from, until, device, sender, isOnPhone && state].filter(Boolean).length
  return (
    <search class={isOpen ? 'messages-tools open' : 'messages-tools'}>
      <SearchField
        label={session.value?.role === 'user' ? t('Name, number or text') : t('Number or text')}
        value={words}
        onValue={(typed) => onChange({ words: typed }, true)}
      />
      <Button icon="filter" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        {set > 0 ? t('Filters ({count})', { count: set }) : t('Filters')}
      </Button>
      <States chosen={state} onChoose={(chosen) => onChange({ state: chosen })} />
      <div class="messages-more" id={id} hidden={!isOpen}>
        <div class="messages-pickers">
          <Pickers question={question} onChange={onChange} />
          <SavedMenu filter={filter} onChoose={(chosen) => onChange({ filter: chosen })} />
        </div>
        <FilterBar applied={filter} refusal={refusal} onApply={(applied) => onChange({ filter: applied })} />
      </div>
    </search>
  )
}

const States = ({ chosen, onChoose }: { chosen: StateKey; onChoose: (key: StateKey) => void }) => (
  <fieldset class="messages-states">
    <legend class="unseen">{t('State')}</legend>
    {STATES.map(([key, words]) => (
      <button key={key} type="button" aria-pressed={key === chosen} onClick={() => onChoose(key)}>
        {words}
      </button>
    ))}
  </fieldset>
)

const MOST_CHOICES = 200

/** Choices without filter language: days of the user's time zone, device, sender; on a phone the order. */
function Pickers({
  question: { from, until, device, sender, sort },
  onChange,
}: {
  question: Question
  onChange: (change: Partial<Question>) => void
}) {
  const devices = useList<Device>('devices', { sort: 'name', perPage: MOST_CHOICES })
  const isUser = session.value?.role === 'user'
  const senders = useList<Sender>('senders', {
    filter: 'kind != "campaign"',
    sort: 'name',
    perPage: MOST_CHOICES,
    ready: isUser,
  })
  const day = (label: string, value: string, onDay: (day: string) => void) => (
    <label>
      {label}
      <input type="date" value={value} onChange={(event) => onDay(event.currentTarget.value)} />
    </label>
  )
  const choice = (
    label: string,
    value: string,
    choices: readonly (readonly [string, string])[],
    onChoice: (value: string) => void,
  ) => (
    <label>
      {label}
      <select value={value} onInput={(event) => onChoice(event.currentTarget.value)}>
        {choices.map(([key, words]) => (
          <option key={key} value={key}>
            {words}
          </option>
        ))}
      </select>
    </label>
  )
  const named = (records: readonly (Device | Sender)[]) => [
    ['', t('All')] as const,
    ...records.map(({ id, name }) => [id, name] as const),
  ]
  const orders = SORTS.some(([key]) => key === sort) ? SORTS : [[sort, t('Another order')] as const, ...SORTS]
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
