import type { ComponentChildren } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import { t } from '../../language/words.ts'
import { Button } from '../form/form.tsx'
import { type Completions, useCompletion } from '../form/use-completion.tsx'
import { Icon, type IconName } from '../icon.tsx'
import './query-field.css'

/** Why a text cannot be applied, and the part of it that is wrong. */
interface QueryFault {
  readonly words: string
  readonly from: number
  readonly to: number
}

interface Props {
  readonly label: string
  readonly icon?: IconName
  readonly placeholder: string
  readonly applied: string
  readonly onApply: (text: string) => void
  /** The server's error for the applied text. */
  readonly refusal?: string
  readonly find: (before: string) => Completions
  readonly check: (text: string) => QueryFault | undefined | Promise<QueryFault | undefined>
  /** Renders the words below the field, from the typed text and a function that applies another one. */
  readonly children?: (draft: string, apply: (text: string) => void) => ComponentChildren
}

/** A filter, or another text in PocketBase's language, with completions. Enter checks and applies it. */
export function QueryField({
  label,
  icon,
  placeholder,
  applied,
  onApply,
  refusal,
  ...rest
}: Props) {
  const { find, check, children } = rest
  const [draft, setDraft] = useState(applied)
  const [fault, setFault] = useState('')
  const id = useId()
  useEffect(() => setDraft(applied), [applied])
  const change = (text: string) => {
    setDraft(text)
    setFault('')
  }
  const { area, ties, press, rows } = useCompletion({
    value: draft,
    onValue: change,
    listLabel: label,
    find,
  })
  const apply = async (text: string) => {
    change(text)
    const found = await check(text)
    if (!found) return onApply(text.trim())
    setFault(found.words)
    area.current?.focus()
    area.current?.setSelectionRange(found.from, found.to)
  }
  const wrong = fault || (draft === applied ? refusal : undefined)
  return (
    <div class="query-field">
      <div class="query-field-box">
        {icon && <Icon name={icon} />}
        <label class={icon ? 'unseen' : 'muted'} for={id}>
          {label}
        </label>
        <textarea
          {...ties}
          id={id}
          placeholder={placeholder}
          rows={1}
          aria-invalid={Boolean(wrong)}
          aria-describedby={`${id}-note`}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          enterkeyhint="search"
          value={draft}
          onKeyDown={(event) => {
            if (press(event) || event.key !== 'Enter' || event.isComposing) return
            event.preventDefault()
            void apply(draft)
          }}
        />
        {draft !== '' && (
          <Button kind="quiet" icon="close" iconOnly onClick={() => void apply('')}>
            {t('Clear {field}', { field: label })}
          </Button>
        )}
        <Button
          kind={draft.trim() === applied ? 'plain' : 'primary'}
          onClick={() => void apply(draft)}
        >
          {t('Apply')}
        </Button>
        {rows}
      </div>
      <p class={`note ${wrong ? 'wrong' : ''}`} id={`${id}-note`} role="status">
        {wrong}
      </p>
      {children?.(draft, (text) => void apply(text))}
    </div>
  )
}

/**
 * Why a filter is wrong: a syntax error, or what `faultOfName` says of a field that it names. The parser is
 * loaded only now; if that fails, only the server checks.
 */
export async function checkFilter(
  filter: string,
  faultOfName: (name: string) => string | undefined = () => undefined,
): Promise<QueryFault | undefined> {
  const read = (await import('./check.ts').catch(() => undefined))?.readFilter(filter) ?? {
    names: [],
  }
  if ('names' in read) return findFault(filter, read.names, faultOfName)
  const rest = filter.slice(read.at).trim()
  const words = rest
    ? t('The filter is not understood from here on: {rest}', { rest })
    : t('The filter is not complete.')
  return { words, from: read.at, to: filter.length }
}

/** The first of the names in a text that is wrong. */
export function findFault(
  text: string,
  names: readonly string[],
  faultOfName: (name: string) => string | undefined,
): QueryFault | undefined {
  for (const name of names) {
    const words = faultOfName(name)
    const from = text.indexOf(name)
    if (words) return { words, from, to: from + name.length }
  }
  return undefined
}
