import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { t } from '../../../language/words.ts'
import { Button } from '../../../parts/form/button.tsx'
import { More } from '../../../parts/form/more.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { ConditionForm } from './condition-form.tsx'
import './filter-bar.css'

/**
 * A PocketBase filter as text, and a form that adds conditions to it. Enter applies it. `refusal`: the
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
  const [fault, setFault] = useState('')
  const area = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  useEffect(() => setDraft(applied), [applied])
  const change = (filter: string) => {
    setDraft(filter)
    setFault('')
  }
  const apply = async (filter: string) => {
    change(filter)
    // the parser comes with the first filter; without it the server checks
    const at = (await import('./check.ts').catch(() => undefined))?.faultAt(filter)
    if (at === undefined) return onApply(filter.trim())
    const rest = filter.slice(at).trim()
    setFault(
      rest === ''
        ? t('The filter is not complete.')
        : t('The filter is not understood from here on: {rest}', { rest }),
    )
    area.current?.focus()
    area.current?.setSelectionRange(at, filter.length)
  }
  const wrong = fault || (draft === applied ? refusal : undefined)
  return (
    <div class="messages-filter">
      <div class="messages-filter-box">
        <Icon name="filter" />
        <label class="unseen" for={id}>
          {t('Filter')}
        </label>
        <textarea
          ref={area}
          id={id}
          rows={1}
          aria-invalid={Boolean(wrong)}
          aria-describedby={`${id}-note`}
          placeholder={'status = "failed"'}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          enterkeyhint="search"
          value={draft}
          onInput={({ currentTarget }) => change(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.isComposing) return
            event.preventDefault()
            void apply(draft)
          }}
        />
        {draft !== '' && (
          <Button kind="quiet" icon="close" iconOnly onClick={() => void apply('')}>
            {t('Clear the filter')}
          </Button>
        )}
        <Button kind={draft.trim() === applied ? 'plain' : 'primary'} onClick={() => void apply(draft)}>
          {t('Apply')}
        </Button>
      </div>
      <p class={`note ${wrong ? 'wrong' : ''}`} id={`${id}-note`} role="status">
        {wrong}
      </p>
      <More summary={t('Add a condition')} isWrong={false}>
        <ConditionForm filter={draft} onFilter={(filter) => void apply(filter)} />
      </More>
    </div>
  )
}
