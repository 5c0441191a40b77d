import type { Device } from '../../data/records.ts'
import { session } from '../../data/session.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { SearchField } from '../../parts/list/search-field.tsx'
import { SORTS } from './columns.tsx'
import { FilterBar } from './filter/filter-bar.tsx'
import { type Question, STATES, type StateKey } from './question.ts'
import { SavedMenu } from './saved-menu.tsx'

/** The filters of the list: words, states, filter and saved filters; on a phone also the order. */
export function Toolbar({
  question,
  onChange,
  refusal,
}: {
  question: Question
  onChange: (change: Partial<Question>, isTyping?: boolean) => void
  refusal: string | undefined
}) {
  const { filter, state, words, sort } = question
  return (
    <search class="messages-tools">
      <div class="messages-quick">
        <SearchField
          label={session.value?.role === 'user' ? t('Name, number or text') : t('Number or text')}
          value={words}
          onValue={(typed) => onChange({ words: typed }, true)}
        />
        <States chosen={state} onChoose={(chosen) => onChange({ state: chosen })} />
      </div>
      <div class="messages-pickers">
        <Pickers question={question} onChange={onChange} />
        <div class="messages-quick-end">
          <label class="messages-sort">
            <span class="unseen">{t('Order')}</span>
            <select value={sort} onInput={(event) => onChange({ sort: event.currentTarget.value })}>
              {!SORTS.some(([key]) => key === sort) && <option value={sort}>{t('Another order')}</option>}
              {SORTS.map(([key, told]) => (
                <option key={key} value={key}>
                  {told}
                </option>
              ))}
            </select>
          </label>
          <SavedMenu filter={filter} onChoose={(chosen) => onChange({ filter: chosen })} />
        </div>
      </div>
      <FilterBar applied={filter} refusal={refusal} onApply={(applied) => onChange({ filter: applied })} />
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

const MOST_DEVICES = 200

/** The choices that need no filter language: days of the user's time zone, and the device. */
function Pickers({
  question: { from, until, device },
  onChange,
}: {
  question: Question
  onChange: (change: Partial<Question>) => void
}) {
  const devices = useList<Device>('devices', { sort: 'name', perPage: MOST_DEVICES })
  const day = (label: string, value: string, onDay: (day: string) => void) => (
    <label>
      {label}
      <input type="date" value={value} onChange={(event) => onDay(event.currentTarget.value)} />
    </label>
  )
  return (
    <>
      {day(t('From'), from, (chosen) => onChange({ from: chosen }))}
      {day(t('Until'), until, (chosen) => onChange({ until: chosen }))}
      {devices.items.length > 1 && (
        <label>
          {t('Device')}
          <select value={device} onChange={(event) => onChange({ device: event.currentTarget.value })}>
            <option value="">{t('All')}</option>
            {devices.items.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  )
}
