import { useEffect, useRef } from 'preact/hooks'
import { t } from '../../../language/words.ts'
import type { Suggestion } from './complete.ts'
import type { Offered } from './use-completion.ts'

/** The list of suggestions, at a place below the text. The focus stays in the text: keys are its business. */
export function Suggestions({
  id,
  offered,
  place,
  onTake,
}: {
  id: string
  offered: Offered
  place: { readonly left: number; readonly top: number }
  onTake: (suggestion: Suggestion) => void
}) {
  const { completion, active } = offered
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    <div
      ref={list}
      class="messages-suggestions"
      id={id}
      role="listbox"
      aria-label={t('What may be written here')}
      style={{ '--beside': `${place.left}px`, '--below': `${place.top}px` }}
    >
      {completion.suggestions.map((suggestion, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the text area has the keys
        // biome-ignore lint/a11y/useFocusableInteractive: the text area keeps the focus and names the active option
        <div
          key={suggestion.text}
          id={`${id}-${i}`}
          role="option"
          aria-selected={i === active}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onTake(suggestion)}
        >
          <code>{suggestion.text}</code>
          <span>{suggestion.words}</span>
        </div>
      ))}
    </div>
  )
}
