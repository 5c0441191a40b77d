import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { t } from '../../../language/words.ts'
import { SelectField, TextField } from '../../../parts/form/field.tsx'
import { Button } from '../../../parts/form/form.tsx'
import { More } from '../../../parts/form/more.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { FIELDS, fieldAt, type Path, signsOf, valuesOf, withCondition } from './condition.ts'
import './filter-bar.css'

/**
 * A PocketBase filter as text, and a form that adds conditions to it. Enter applies the filter. `refusal`:
 * the server's error for the applied filter.
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
    // load the parser only now; if that fails, only the server checks
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

function ConditionForm({ filter, onFilter }: { filter: string; onFilter: (filter: string) => void }) {
  const [path, setPath] = useState<Path>('status')
  const [typedSign, setSign] = useState('')
  const [typed, setValue] = useState('')
  const signs = signsOf(path)
  const sign = signs.find(([known]) => known === typedSign)?.[0] ?? signs[0]![0]
  const values = valuesOf(path)
  const value = typed || (values?.[0]?.[0] ?? '')
  const { type } = fieldAt(path)
  const isDate = type.endsWith('date')
  const input = isDate ? 'datetime-local' : type === 'number' ? 'number' : 'text'
  const props = { label: t('Value'), name: 'value', value, onValue: setValue }
  const choose = (chosen: string) => {
    setPath(chosen as Path)
    setValue('')
  }
  const add = (event: SubmitEvent) => {
    event.preventDefault()
    onFilter(withCondition(filter, path, sign, value))
    setValue('')
  }
  const isBare = sign.endsWith('""')
  return (
    <form class="messages-condition" onSubmit={add}>
      <SelectField label={t('Field')} name="field" choices={FIELDS} value={path} onValue={choose} />
      <SelectField label={t('Comparison')} name="sign" choices={signs} value={sign} onValue={setSign} />
      {!isBare &&
        (values ? <SelectField {...props} choices={values} /> : <TextField {...props} type={input} />)}
      <Button type="submit" icon="plus" disabled={!isBare && value === '' && input !== 'text'}>
        {t('Add')}
      </Button>
    </form>
  )
}
