import { useId, useState } from 'preact/hooks'
import { type Choices, nameChoices } from '../../data/choices.ts'
import type { Device, Sender } from '../../data/record-types.ts'
import { isUser } from '../../data/session.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { Options } from '../../parts/form/field.tsx'
import { Button } from '../../parts/form/form.tsx'
import { Icon } from '../../parts/icon.tsx'
import { SearchField } from '../../parts/list/search-field.tsx'
import { formatDay } from '../../parts/time.tsx'
import { SORTS } from './columns.tsx'
import { FilterBar } from './filter/filter-bar.tsx'
import { type Question, STATES, type StateKey } from './question.ts'
import './toolbar.css'
import { SavedMenu } from './saved-menu.tsx'

/** Search, states, and a button that opens more filters. On narrow screens it also opens the states. */
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
        label={isUser() ? t('Name, number or text') : t('Number or text')}
        value={words}
        onValue={(typed) => onChange({ words: typed }, true)}
      />
      <Button
        icon="filter"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {set > 0 ? t('Filters ({count})', { count: set }) : t('Filters')}
      </Button>
      <States chosen={state} onChoose={(chosen) => onChange({ state: chosen })} />
      {!isOpen && <ActiveFilters question={question} onChange={onChange} hasState={isOnPhone} />}
      <div class="messages-more" id={id} hidden={!isOpen}>
        <div class="messages-pickers">
          <Pickers question={question} onChange={onChange} />
          <SavedMenu filter={filter} onChoose={(chosen) => onChange({ filter: chosen })} />
        </div>
        <FilterBar
          applied={filter}
          refusal={refusal}
          onApply={(applied) => onChange({ filter: applied })}
        />
      </div>
    </search>
  )
}

const States = ({ chosen, onChoose }: { chosen: StateKey; onChoose: (key: StateKey) => void }) => (
  <fieldset class="messages-states chips">
    <legend class="unseen">{t('State')}</legend>
    {STATES.map(([key, words]) => (
      <button key={key} type="button" aria-pressed={key === chosen} onClick={() => onChoose(key)}>
        {words}
      </button>
    ))}
  </fieldset>
)

/** The filters that are set, each as a button that removes it. `hasState`: also the state. */
function ActiveFilters({
  question: { filter, state, from, until, device, sender },
  hasState,
  onChange,
}: {
  question: Question
  hasState: boolean
  onChange: (change: Partial<Question>) => void
}) {
  const active = [
    ['state', hasState && state && STATES.find(([key]) => key === state)?.[1]],
    [
      'from',
      from && t('{name}: {text}', { name: t('From#day'), text: formatDay(`${from}T00:00`) }),
    ],
    [
      'until',
      until && t('{name}: {text}', { name: t('Until#day'), text: formatDay(`${until}T00:00`) }),
    ],
    ['device', device && t('Device')],
    ['sender', sender && t('Sent by')],
    ['filter', filter],
  ].filter((one): one is [keyof Question, string] => Boolean(one[1]))
  if (active.length === 0) return null
  return (
    <div class="messages-active chips">
      {active.map(([key, words]) => (
        <button
          key={key}
          type="button"
          aria-label={t('Remove the filter {filter}', { filter: words })}
          onClick={() => onChange({ [key]: '' })}
        >
          <span class="cut">{words}</span>
          <Icon name="close" size={14} />
        </button>
      ))}
    </div>
  )
}

const MOST_CHOICES = 200

/**
 * Filters without filter syntax: days in the browser's time zone, device, sender. On narrow screens also the
 * sort order.
 */
function Pickers({
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
  const choice = (
    label: string,
    value: string,
    choices: Choices,
    onChoice: (value: string) => void,
  ) => (
    <label>
      {label}
      <select value={value} onInput={(event) => onChoice(event.currentTarget.value)}>
        <Options choices={choices} />
      </select>
    </label>
  )
  const named = (records: readonly (Device | Sender)[]): Choices => [
    ['', t('All#devices')],
    ...nameChoices(records),
  ]
  const orders: Choices = SORTS.some(([key]) => key === sort)
    ? SORTS
    : [[sort, t('Another order')], ...SORTS]
  return (
    <>
      {day(t('From#day'), from, (chosen) => onChange({ from: chosen }))}
      {day(t('Until#day'), until, (chosen) => onChange({ until: chosen }))}
      {devices.items.length > 1 &&
        choice(t('Device'), device, named(devices.items), (chosen) => onChange({ device: chosen }))}
      {senders.items.length > 1 &&
        choice(t('Sent by'), sender, named(senders.items), (chosen) =>
          onChange({ sender: chosen }),
        )}
      {choice(t('Order'), sort, orders, (chosen) => onChange({ sort: chosen }))}
    </>
  )
}
