import { useId, useState } from 'preact/hooks'
import { isUser } from '../../data/session.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/form.tsx'
import { SearchField } from '../../parts/list/search-field.tsx'
import { ActiveFilters } from './active-filters.tsx'
import { FilterBar } from './filter/filter-bar.tsx'
import { type Question, STATES, type StateKey } from './question.ts'
import './toolbar.css'
import { Pickers } from './pickers.tsx'
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
      <Button icon="filter" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        {set > 0 ? t('Filters ({count})', { count: set }) : t('Filters')}
      </Button>
      <States chosen={state} onChoose={(chosen) => onChange({ state: chosen })} />
      {!isOpen && <ActiveFilters question={question} onChange={onChange} hasState={isOnPhone} />}
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
  <fieldset class="messages-states chips">
    <legend class="unseen">{t('State')}</legend>
    {STATES.map(([key, words]) => (
      <button key={key} type="button" aria-pressed={key === chosen} onClick={() => onChoose(key)}>
        {words}
      </button>
    ))}
  </fieldset>
)
