import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { PLACEHOLDER } from '#portable/text-template.ts'

interface Completion {
  readonly id: string
  readonly title: string
  /** A note beside the title of the row. */
  readonly note: string
  readonly text: string
}

/** Completions of the text before the caret. `at`: where the word begins that is replaced. */
export interface Completions<C extends Completion = Completion> {
  readonly at: number
  readonly found: readonly C[]
}

interface Options<C extends Completion> {
  readonly value: string
  /** `caret`: where the caret is in a typed text; undefined after a row was taken. */
  readonly onValue: (value: string, caret?: number) => void
  readonly listLabel: string
  readonly find: (before: string) => Completions<C>
  /** Whether Enter takes the first row, too, before the arrows choose one. */
  readonly isFirstChosen?: boolean
  readonly onTake?: ((taken: C) => unknown) | undefined
  /** Called when Escape or the loss of the focus closes the list. */
  readonly onLeave?: (by: 'key' | 'blur') => void
  readonly class?: string
}

/**
 * Completions of what is typed in a text area, as a list whose rows the arrows choose. Tab takes the first or
 * the chosen one, Enter only a chosen one, Escape closes the list. `press` says whether it used the key.
 * `openAt` moves the caret and opens the list there.
 */
export function useCompletion<C extends Completion>({
  value,
  onValue,
  listLabel,
  find,
  isFirstChosen,
  ...rest
}: Options<C>) {
  const area = useRef<HTMLTextAreaElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [caret, setCaret] = useState<number>()
  const first = isFirstChosen ? 0 : -1
  const [active, setActive] = useState(first)
  /** The selection once a completion is rendered: its first variable without a value, or its end. */
  const selected = useRef<readonly [from: number, to: number]>(undefined)
  const id = useId()
  const { at, found } = caret === undefined ? { at: 0, found: [] } : find(value.slice(0, caret))
  const isOpen = found.length > 0
  const chosen = Math.min(active, found.length - 1)

  const openAt = (from: number, to = from) => {
    area.current!.focus()
    area.current!.setSelectionRange(from, to)
    setCaret(to)
  }
  // a layout effect moves the caret before the user can type the next letter
  useLayoutEffect(() => {
    if (selected.current) openAt(...selected.current)
    selected.current = undefined
  }, [value])
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen])

  const take = (taken: C) => {
    const { text } = taken
    const open = PLACEHOLDER.exec(text)
    const from = at + (open?.index ?? text.length)
    selected.current = [from, from + (open?.[0].length ?? 0)]
    setActive(first)
    onValue(value.slice(0, at) + text + value.slice(caret))
    rest.onTake?.(taken)
  }
  const leave = (by: 'key' | 'blur') => {
    setCaret(undefined)
    rest.onLeave?.(by)
  }
  const press = (event: KeyboardEvent): boolean => {
    if (!isOpen || event.isComposing) return false
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setActive((Math.max(chosen, step < 0 ? 0 : -1) + step + found.length) % found.length)
    else if (event.key === 'Tab' || (event.key === 'Enter' && chosen >= 0))
      take(found[Math.max(chosen, 0)]!)
    else if (event.key === 'Escape') leave('key')
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
      onValue(currentTarget.value, currentTarget.selectionEnd)
      setCaret(currentTarget.selectionEnd)
      setActive(first)
    },
    onBlur: () => leave('blur'),
  } as const
  const rows = isOpen && (
    <div
      ref={list}
      class={`popup ${rest.class ?? ''}`.trim()}
      id={id}
      role="listbox"
      aria-label={listLabel}
    >
      {found.map((row, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the text area has the keys
        // biome-ignore lint/a11y/useFocusableInteractive: the text area keeps the focus and names the active option
        <div
          key={row.id}
          id={`${id}-${i}`}
          role="option"
          aria-selected={i === chosen}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => take(row)}
        >
          <strong>{row.title}</strong>
          <span class="note cut">{row.note}</span>
        </div>
      ))}
    </div>
  )
  return { area, ties, press, rows, openAt, caret, isOpen }
}
