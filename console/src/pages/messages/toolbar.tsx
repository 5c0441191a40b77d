import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../../parts/icon.tsx'
import { SORTS } from './columns.tsx'
import { FilterBar } from './filter/filter-bar.tsx'
import { type Question, STATES, type StateKey } from './question.ts'
import { SavedMenu } from './saved-menu.tsx'

const CALM_MS = 400

/** All by which messages are chosen: words, states, the filter, kept filters; on a phone the order, too. */
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
        <Words value={words} onValue={(typed) => onChange({ words: typed }, true)} />
        <States chosen={state} onChoose={(chosen) => onChange({ state: chosen })} />
        <div class="messages-quick-end">
          <label class="messages-sort">
            <span class="unseen">Order</span>
            <select value={sort} onInput={(event) => onChange({ sort: event.currentTarget.value })}>
              {!SORTS.some(([key]) => key === sort) && <option value={sort}>Another order</option>}
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

/** A search of texts and numbers, a little after the last letter. */
function Words({ value, onValue }: { value: string; onValue: (words: string) => void }) {
  const [draft, setDraft] = useState(value)
  const latest = useRef(onValue)
  latest.current = onValue
  useEffect(() => setDraft(value), [value])
  useEffect(() => {
    if (draft === value) return
    const timer = setTimeout(() => latest.current(draft), CALM_MS)
    return () => clearTimeout(timer)
  }, [draft])
  return (
    <label class="messages-words">
      <span class="unseen">Search texts and numbers</span>
      <Icon name="search" />
      <input
        type="search"
        placeholder="Search texts and numbers"
        enterkeyhint="search"
        value={draft}
        onInput={(event) => setDraft(event.currentTarget.value)}
      />
    </label>
  )
}

const States = ({ chosen, onChoose }: { chosen: StateKey; onChoose: (key: StateKey) => void }) => (
  <fieldset class="messages-states">
    <legend class="unseen">State</legend>
    {STATES.map(([key, words]) => (
      <button key={key} type="button" aria-pressed={key === chosen} onClick={() => onChoose(key)}>
        {words}
      </button>
    ))}
  </fieldset>
)
