import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { t, tn } from '../../../language/words.ts'
import { Button } from '../../../parts/form/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { type Suggestion, take } from './complete.ts'
import './filter-bar.css'
import { FilterNote } from './filter-note.tsx'
import type { Problem } from './problem.ts'
import { Suggestions } from './suggestions.tsx'
import { chosenOf, useCompletion } from './use-completion.ts'
import { useProblem } from './use-problem.ts'

/** Room that the list of suggestions needs beside its left edge, as its styles have it. */
const LIST_WIDTH = 336

/**
 * The field for a PocketBase filter, with suggestions and marked faults. Enter applies it. `refusal`: the
 * server's answer to the applied filter.
 */
export function FilterBar({
  applied,
  onApply,
  refusal,
}: {
  applied: string
  onApply: (filter: string) => void
  refusal: string | undefined
}) {
  const [draft, setDraft] = useState(applied)
  const [cursor, setCursor] = useState<number>()
  const area = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  const list = useCompletion()
  const { problem, check } = useProblem(draft)
  const { offered } = list
  const { anchor, place } = usePlace(offered?.completion.start)

  useEffect(() => setDraft(applied), [applied])
  useLayoutEffect(() => {
    if (cursor === undefined) return
    area.current?.focus()
    area.current?.setSelectionRange(cursor, cursor)
    setCursor(undefined)
  }, [cursor])

  const apply = async (filter: string) => {
    list.close()
    const wrong = filter === draft ? await check() : undefined
    if (!wrong || wrong.isDoubt) onApply(filter.trim())
  }
  const change = (filter: string, at: number, isAsked = false) => {
    setDraft(filter)
    list.open(filter, at, isAsked)
  }
  const takeOne = (suggestion: Suggestion) => {
    if (!offered) return
    const taken = take(draft, offered.completion, suggestion)
    setCursor(taken.cursor)
    change(taken.filter, taken.cursor)
  }
  const mend = (fixed: string) => {
    setDraft(fixed)
    setCursor(fixed.length)
    list.close()
  }
  const offer = () => list.open(draft, area.current?.selectionStart ?? draft.length, true)

  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = chosenOf(offered)
    if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault()
      if (chosen) takeOne(chosen)
      else void apply(draft)
    } else if (event.key === 'Tab' && chosen) {
      event.preventDefault()
      takeOne(chosen)
    } else if (event.key === 'Escape' && offered) list.close()
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (offered) list.step(event.key === 'ArrowDown' ? 1 : -1)
      else offer()
    }
  }

  return (
    <div class="messages-filter">
      <div class="messages-filter-box">
        <Icon name="filter" />
        <label class="unseen" for={id}>
          {t('Filter')}
        </label>
        {/* a long filter is read in lines, and a text area cannot be a combobox: what holds it and its list is */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: the text area in it has the focus */}
        <div
          class="messages-filter-text"
          role="combobox"
          aria-label={t('Filter with suggestions')}
          aria-haspopup="listbox"
          aria-expanded={offered !== undefined}
          aria-controls={`${id}-list`}
        >
          <Mirror text={draft} problem={problem} />
          <div class="messages-filter-mirror" aria-hidden="true">
            {draft.slice(0, offered?.completion.start ?? 0)}
            <span ref={anchor}>{'\u200b'}</span>
          </div>
          <textarea
            ref={area}
            id={id}
            rows={1}
            aria-autocomplete="list"
            aria-controls={offered ? `${id}-list` : undefined}
            aria-activedescendant={
              offered && offered.active >= 0 ? `${id}-list-${offered.active}` : undefined
            }
            aria-invalid={problem !== undefined && !problem.isDoubt}
            aria-describedby={`${id}-note`}
            placeholder={'status = "failed"'}
            spellcheck={false}
            autocomplete="off"
            autocapitalize="off"
            enterkeyhint="search"
            value={draft}
            onInput={({ currentTarget }) => change(currentTarget.value, currentTarget.selectionStart)}
            onKeyDown={onKeyDown}
            onClick={offer}
            onBlur={list.close}
          />
          <p class="unseen" role="status">
            {offered && tn('1 suggestion', '{count} suggestions', offered.completion.suggestions.length)}
          </p>
          {offered && <Suggestions id={`${id}-list`} offered={offered} place={place} onTake={takeOne} />}
        </div>
        {draft !== '' && (
          <Button kind="quiet" icon="close" iconOnly onClick={() => onClear(setDraft, onApply, area.current)}>
            {t('Clear the filter')}
          </Button>
        )}
        <Button kind={draft.trim() === applied ? 'plain' : 'primary'} onClick={() => void apply(draft)}>
          {t('Apply')}
        </Button>
      </div>
      <FilterNote
        id={`${id}-note`}
        problem={problem}
        refusal={draft === applied ? refusal : undefined}
        onFix={mend}
      />
    </div>
  )
}

function onClear(
  setDraft: (filter: string) => void,
  onApply: (filter: string) => void,
  area: HTMLElement | null,
): void {
  setDraft('')
  onApply('')
  area?.focus()
}

/**
 * The same text in the same place, unseen but for the line below what is wrong; it gives the text area its
 * height, too.
 */
const Mirror = ({ text, problem }: { text: string; problem: Problem | undefined }) => {
  const { start, end } = problem ?? { start: text.length, end: text.length }
  return (
    <div class="messages-filter-mirror" aria-hidden="true">
      {text.slice(0, start)}
      {problem && <mark class={problem.isDoubt ? 'doubt' : ''}>{text.slice(start, end) || ' '}</mark>}
      {text.slice(end)}{' '}
    </div>
  )
}

/**
 * Where the list of suggestions goes: below the beginning of the word that is typed, as far as there is room.
 */
function usePlace(start: number | undefined) {
  const anchor = useRef<HTMLSpanElement>(null)
  const [place, setPlace] = useState({ left: 0, top: 0 })
  useLayoutEffect(() => {
    const at = anchor.current
    if (start === undefined || !at) return
    const room = (at.offsetParent?.clientWidth ?? 0) - LIST_WIDTH
    setPlace({ left: Math.max(0, Math.min(at.offsetLeft, room)), top: at.offsetTop + at.offsetHeight })
  }, [start])
  return { anchor, place }
}
