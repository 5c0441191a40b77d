import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { StoredFile } from '../../data/use/chosen-files.ts'
import { hasKeyboard } from '../../data/use/media-queries.ts'
import { Field } from '../../parts/form/field.tsx'
import { useCompletion } from '../../parts/form/use-completion.tsx'
import './completing-area.css'

export interface Completion {
  readonly id: string
  readonly title: string
  readonly text: string
  readonly files?: readonly StoredFile[]
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
  /** Called when a completion was taken. */
  readonly onTake?: (completion: Completion) => unknown
  readonly onSubmit: () => void
  readonly error?: string
  readonly hint?: string
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

/** If the word before the caret begins with the sign, returns its position and what follows the sign. */
function openWord(before: string, sign: string): { at: number; typed: string } | undefined {
  const at = before.lastIndexOf(sign)
  const typed = before.slice(at + 1)
  const isStart = at === 0 || /\s/.test(before[at - 1] ?? '')
  return at >= 0 && isStart && typed.length <= MAX_TYPED && !typed.includes('\n')
    ? { at, typed }
    : undefined
}

/**
 * A text area that grows with its text. A word that begins with the sign opens a list of completions; the
 * focus stays in the text. Ctrl+Enter calls `onSubmit`.
 */
export function CompletingArea({ value, onValue, sign, find, asked = 0, ...rest }: Props) {
  const { label, name, listLabel, onTake, onSubmit, error, hint } = rest
  /** Where the search begins that `asked` has opened: no sign precedes it. */
  const [begun, setBegun] = useState<number>()
  const findWord = (before: string) =>
    begun === undefined ? openWord(before, sign) : { at: begun, typed: before.slice(begun) }
  const { area, ties, press, rows, openAt, caret, isOpen } = useCompletion({
    value,
    onValue: (text, caret = -1) => {
      // what fits no completion is a part of the answer
      if (begun !== undefined && (caret < begun || find(text.slice(begun, caret)).length === 0))
        setBegun(undefined)
      onValue(text)
    },
    listLabel,
    isFirstChosen: true,
    onTake,
    class: 'conversations-completions',
    find: (before) => {
      const word = findWord(before)
      if (!word) return { at: 0, found: [] }
      const isApart = begun === undefined || word.at === 0 || /\s/.test(value[word.at - 1]!)
      const found = find(word.typed).map((completion) => ({
        ...completion,
        note: completion.text,
        text: isApart ? completion.text : ` ${completion.text}`,
      }))
      return { at: word.at, found }
    },
    // takes back a sign alone, and by Escape the search after `asked`; elsewhere words may be an answer
    onLeave: (by) => {
      const word = caret === undefined ? undefined : findWord(value.slice(0, caret))
      if (word && isOpen && (word.typed === '' || (begun !== undefined && by === 'key')))
        onValue(value.slice(0, word.at) + value.slice(caret))
      setBegun(undefined)
    },
  })

  useLayoutEffect(() => {
    const element = area.current!
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight + element.offsetHeight - element.clientHeight}px`
  }, [value])
  useEffect(() => {
    if (hasKeyboard.value && !isKeptOut) area.current?.focus({ preventScroll: true })
    isKeptOut = false
  }, [])
  // a layout effect: a letter typed before the next paint would be part of the text, not of the search
  useLayoutEffect(() => {
    if (asked === 0) return
    openAt(value.length)
    setBegun(value.length)
  }, [asked])

  return (
    <div class="conversations-area">
      {rows}
      <Field label={label} name={name} error={error} hint={hint}>
        {(field) => (
          <textarea
            {...field}
            {...ties}
            rows={1}
            placeholder={label}
            aria-keyshortcuts="R"
            value={value}
            onKeyDown={(event) => {
              if (press(event) || event.isComposing) return
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSubmit()
            }}
          />
        )}
      </Field>
    </div>
  )
}
