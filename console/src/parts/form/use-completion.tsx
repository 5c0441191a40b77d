import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { CompletionList } from './completion-list.tsx'

export interface Completion {
  readonly id: string
  readonly title: string
  /** What the row says beside the title. */
  readonly note: string
  readonly text: string
}

/** What the text before the caret may be completed to. `at`: where the word begins that is replaced. */
export interface Completions {
  readonly at: number
  readonly found: readonly Completion[]
}

interface Options {
  readonly value: string
  readonly onValue: (value: string) => void
  readonly listLabel: string
  readonly find: (before: string) => Completions
}

/**
 * Completions of what is typed in a text area, as a list whose rows the arrows choose. Tab takes the first or
 * the chosen one, Enter only a chosen one, Escape closes the list. `press` says whether it used the key.
 */
export function useCompletion({ value, onValue, listLabel, find }: Options) {
  const area = useRef<HTMLTextAreaElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [caret, setCaret] = useState<number>()
  const [active, setActive] = useState(-1)
  /** The position to which the caret moves once a completion is rendered. */
  const end = useRef<number>(undefined)
  const id = useId()
  const { at, found } = caret === undefined ? { at: 0, found: [] } : find(value.slice(0, caret))
  const isOpen = found.length > 0
  const chosen = Math.min(active, found.length - 1)

  useLayoutEffect(() => {
    if (end.current === undefined) return
    area.current!.focus()
    area.current!.setSelectionRange(end.current, end.current)
    setCaret(end.current)
    end.current = undefined
  }, [value])
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen])

  const take = ({ text }: Completion) => {
    end.current = at + text.length
    setActive(-1)
    onValue(value.slice(0, at) + text + value.slice(caret))
  }
  const press = (event: KeyboardEvent): boolean => {
    if (!isOpen || event.isComposing) return false
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setActive((Math.max(chosen, step < 0 ? 0 : -1) + step + found.length) % found.length)
    else if (event.key === 'Tab' || (event.key === 'Enter' && chosen >= 0)) take(found[Math.max(chosen, 0)]!)
    else if (event.key === 'Escape') setCaret(undefined)
    else return false
    event.preventDefault()
    return true
  }
  const ties = {
    ref: area,
    'aria-autocomplete': 'list',
    'aria-haspopup': 'listbox',
    'aria-controls': isOpen ? id : undefined,
    'aria-activedescendant': isOpen && chosen >= 0 ? `${id}-${chosen}` : undefined,
    onInput: ({ currentTarget }: { currentTarget: HTMLTextAreaElement }) => {
      onValue(currentTarget.value)
      setCaret(currentTarget.selectionEnd)
      setActive(-1)
    },
    onBlur: () => setCaret(undefined),
  } as const
  const rows = isOpen && <CompletionList {...{ found, chosen, onTake: take, list, id, label: listLabel }} />
  return { area, ties, press, rows }
}
