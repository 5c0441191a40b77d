import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { hasKeyboard } from '../../data/use/media-queries.ts'
import { CompletionList } from '../../parts/form/completion-list.tsx'
import { Field } from '../../parts/form/field.tsx'
import './completing-area.css'

export interface Completion {
  readonly id: string
  readonly title: string
  readonly text: string
}

interface Props {
  readonly label: string
  readonly name: string
  readonly value: string
  readonly onValue: (value: string) => void
  /** The character that opens the list at the start of a word: `/` or `@`. */
  readonly sign: string
  readonly listLabel: string
  readonly find: (typed: string) => readonly Completion[]
  readonly onSubmit: () => void
  readonly error?: string | undefined
  readonly hint?: string | undefined
  /** A counter. Increasing it opens the list, for example after a click on a button. */
  readonly asked?: number
}

let isKeptOut = false
/** Keeps the focus out of the next area: the key that opens it, pressed again, must not type a letter. */
export function keepFocusOut(): void {
  isKeptOut = true
}

/** The longest search after the sign, in characters. */
const MAX_TYPED = 30

/** If the word at the caret begins with the sign, returns its position and what follows the sign. */
function openWord(text: string, caret: number, sign: string): { at: number; typed: string } | undefined {
  const before = text.slice(0, caret)
  const at = before.lastIndexOf(sign)
  const typed = before.slice(at + 1)
  const isStart = at === 0 || /\s/.test(before[at - 1] ?? '')
  return at >= 0 && isStart && typed.length <= MAX_TYPED && !typed.includes('\n') ? { at, typed } : undefined
}

/**
 * A text area that grows with its text. A word that begins with the sign opens a list of completions; the
 * focus stays in the text. Ctrl+Enter calls `onSubmit`.
 */
export function CompletingArea({ value, onValue, sign, find, asked = 0, ...rest }: Props) {
  const { label, name, listLabel, onSubmit, error, hint } = rest
  const area = useRef<HTMLTextAreaElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [caret, setCaret] = useState<number>()
  /** Where the search begins that `asked` has opened: no sign stands before it. */
  const [begun, setBegun] = useState<number>()
  const [active, setActive] = useState(0)
  /** The position to which the caret moves once an inserted text is rendered. */
  const end = useRef<number>(undefined)
  const id = useId()
  const asking = begun !== undefined && { at: begun, typed: value.slice(begun, caret) }
  const word = caret === undefined ? undefined : asking || openWord(value, caret, sign)
  const found = word ? find(word.typed) : []
  const isOpen = found.length > 0
  const chosen = Math.min(active, found.length - 1)

  useLayoutEffect(() => {
    const element = area.current!
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight + element.offsetHeight - element.clientHeight}px`
    if (end.current === undefined) return
    // a layout effect moves the caret before the user can type the next letter
    element.focus()
    element.setSelectionRange(end.current, end.current)
    setCaret(end.current)
    end.current = undefined
  }, [value])
  useEffect(() => {
    if (hasKeyboard.value && !isKeptOut) area.current?.focus({ preventScroll: true })
    isKeptOut = false
  }, [])
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  useEffect(() => {
    if (asked === 0) return
    area.current!.focus()
    area.current!.setSelectionRange(value.length, value.length)
    setCaret(value.length)
    setBegun(value.length)
  }, [asked])

  const put = (from: number, to: number, text: string) => {
    onValue(value.slice(0, from) + text + value.slice(to))
    end.current = from + text.length
  }
  const close = () => {
    setCaret(undefined)
    setBegun(undefined)
  }
  const take = ({ text }: Completion) => {
    const { at } = word!
    const isApart = begun === undefined || at === 0 || /\s/.test(value[at - 1]!)
    close()
    put(at, caret!, isApart ? text : ` ${text}`)
  }
  /** Closes the list, and takes back what was typed for it: the search after `asked`, or only the sign. */
  const leave = () => {
    if (word && (begun !== undefined || (isOpen && word.typed === '')))
      onValue(value.slice(0, word.at) + value.slice(caret))
    close()
  }
  const press = (event: KeyboardEvent) => {
    if (event.isComposing) return
    if (!isOpen) {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSubmit()
      return
    }
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: found.length - 1 }
    const step = steps[event.key]
    if (step) setActive((chosen + step) % found.length)
    else if (event.key === 'Enter' || event.key === 'Tab') take(found[chosen]!)
    else if (event.key === 'Escape') leave()
    else return
    event.preventDefault()
  }
  return (
    <div class="conversations-area">
      {isOpen && (
        <CompletionList
          found={found.map((completion) => ({ ...completion, note: completion.text }))}
          class="conversations-completions"
          {...{ chosen, onTake: take, list, id, label: listLabel }}
        />
      )}
      <Field {...{ label, name, error, hint }}>
        {(ties) => (
          <textarea
            {...ties}
            ref={area}
            rows={1}
            placeholder={label}
            aria-keyshortcuts="R"
            value={value}
            aria-autocomplete="list"
            aria-haspopup="listbox"
            aria-controls={isOpen ? id : undefined}
            aria-activedescendant={isOpen ? `${id}-${chosen}` : undefined}
            onInput={(event) => {
              onValue(event.currentTarget.value)
              const end = event.currentTarget.selectionEnd
              if (begun !== undefined && end < begun) setBegun(undefined)
              setCaret(end)
              setActive(0)
            }}
            onKeyDown={press}
            onBlur={leave}
          />
        )}
      </Field>
    </div>
  )
}
