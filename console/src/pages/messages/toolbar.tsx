import { useId, useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import type { Device, Sender } from '../../data/records.ts'
import { remembered } from '../../data/remembered.ts'
import { session } from '../../data/session.ts'
import { useList } from '../../data/use/use-list.ts'
import { FAILED_FILTER } from '../../data/words/failure-reasons.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/form.tsx'
import { Menu } from '../../parts/list/menu.tsx'
import { SearchField } from '../../parts/list/search-field.tsx'
import { type FormRow, RowsForm } from '../../parts/rows/rows-form.tsx'
import { SORTS } from './columns.tsx'
import { FilterBar } from './filter/filter-bar.tsx'
import { type Question, STATES, type StateKey } from './question.ts'
import './toolbar.css'
import './saved-filters.css'

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

function SavedMenu({ filter, onChoose }: { filter: string; onChoose: (filter: string) => void }) {
  const [isNaming, setNaming] = useState(false)
  return (
    <>
      <Menu words={t('Saved')} icon="down">
        {(close) => (
          <div class="messages-saved">
            <SavedList
              title={t('Yours')}
              filters={savedFilters.value}
              onChoose={(chosen) => {
                onChoose(chosen)
                close()
              }}
              onForget={forgetFilter}
            />
            <Button
              kind="quiet"
              icon="plus"
              disabled={filter === ''}
              onClick={() => {
                close()
                setNaming(true)
              }}
            >
              {filter === '' ? t('Apply a filter to keep it here') : t('Keep this filter')}
            </Button>
            <SavedList
              title={t('Ready to use')}
              filters={readyFilters()}
              onChoose={(chosen) => {
                onChoose(chosen)
                close()
              }}
            />
          </div>
        )}
      </Menu>
      {isNaming && <NameDialog filter={filter} onClose={() => setNaming(false)} />}
    </>
  )
}

function SavedList({
  title,
  filters,
  onChoose,
  onForget,
}: {
  title: string
  filters: readonly SavedFilter[]
  onChoose: (filter: string) => void
  onForget?: (name: string) => void
}) {
  if (filters.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {filters.map(({ name, filter }) => (
          <li key={name}>
            <button type="button" onClick={() => onChoose(filter)}>
              <span>{name}</span>
              <code class="cut">{filter}</code>
            </button>
            {onForget && (
              <Button kind="quiet" icon="trash" iconOnly onClick={() => onForget(name)}>
                {t('Forget {name}', { name })}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

const NAME_ROWS: readonly FormRow[] = [
  {
    ...{ name: 'name', label: t('Name') },
    error: (name) => (String(name).trim() === '' ? t('Give it a name.') : undefined),
  },
]

function NameDialog({ filter, onClose }: { filter: string; onClose: () => void }) {
  const save = async (_: unknown, { name }: { name?: unknown }) => {
    saveFilter({ name: String(name).trim(), filter })
    return t('Filter kept in this browser')
  }
  return (
    <Dialog title={t('Keep this filter')} onClose={onClose}>
      <p>
        <code>{filter}</code>
      </p>
      <RowsForm
        {...{ draftKey: 'filter-name', rows: NAME_ROWS, stored: {}, save, action: t('Keep') }}
        {...{ onDone: onClose, onCancel: onClose }}
      />
    </Dialog>
  )
}

interface SavedFilter {
  readonly name: string
  readonly filter: string
}

function failedToday(): string {
  const start = new Date().setHours(0, 0, 0, 0)
  return pb.filter(`${FAILED_FILTER} && created >= {:start}`, { start: new Date(start) })
}

const readyFilters = (): readonly SavedFilter[] => [
  { name: t('Failed today'), filter: failedToday() },
  { name: t('Still on the way'), filter: 'status = "pending" || status = "assigned" || status = "sending"' },
  { name: t('Outcome unknown'), filter: 'error_message ~ "Outcome unknown"' },
  { name: t('Came in since yesterday'), filter: 'message_type = "incoming" && created >= @yesterday' },
  { name: t('Long texts'), filter: 'segments > 3' },
  {
    name: t('Failed once, sent later'),
    filter: 'sms_events_via_message.status ?= "failed" && status != "failed"',
  },
  { name: t('Sent, never confirmed'), filter: 'status = "sent" && sent_at < @yesterday' },
]

const savedFilters = remembered<readonly SavedFilter[]>('filters', [])

function saveFilter(saved: SavedFilter): void {
  const others = savedFilters.value.filter(({ name }) => name !== saved.name)
  savedFilters.value = [...others, saved].sort((a, b) => a.name.localeCompare(b.name))
}

function forgetFilter(name: string): void {
  savedFilters.value = savedFilters.value.filter((each) => each.name !== name)
}
