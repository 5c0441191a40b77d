import { useState } from 'preact/hooks'
import { t } from '../../../language/words.ts'
import { checkFilter, QueryField } from '../../../parts/filter/query-field.tsx'
import { SelectField, TextField } from '../../../parts/form/field.tsx'
import { Button } from '../../../parts/form/form.tsx'
import { More } from '../../../parts/form/more.tsx'
import { addCondition, FIELDS, findFieldAt, listSigns, type Path, readValues } from './condition.ts'
import './filter-bar.css'

const WORD = /[\w.]+$/

/** The fields of the form that begin with what is typed. */
function findFields(before: string) {
  const typed = WORD.exec(before)?.[0] ?? ''
  const found = FIELDS.filter(([path]) => typed !== '' && path !== typed && path.startsWith(typed))
  return {
    at: before.length - typed.length,
    found: found.map(([path, words]) => ({ id: path, title: path, note: words, text: path })),
  }
}

/**
 * A PocketBase filter as text, and a form that adds conditions to it. `refusal`: the server's error for the
 * applied filter.
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
  return (
    <QueryField
      applied={applied}
      onApply={onApply}
      refusal={refusal}
      label={t('Filter')}
      icon="filter"
      placeholder={'status = "failed"'}
      find={findFields}
      check={(filter) => checkFilter(filter)}
    >
      {(draft, apply) => (
        <More summary={t('Add a condition')} isWrong={false}>
          <ConditionForm filter={draft} onFilter={apply} />
        </More>
      )}
    </QueryField>
  )
}

function ConditionForm({
  filter,
  onFilter,
}: {
  filter: string
  onFilter: (filter: string) => void
}) {
  const [path, setPath] = useState<Path>('status')
  const [typedSign, setSign] = useState('')
  const [typed, setValue] = useState('')
  const signs = listSigns(path)
  const sign = signs.find(([known]) => known === typedSign)?.[0] ?? signs[0]![0]
  const values = readValues(path)
  const value = typed || (values?.[0]?.[0] ?? '')
  const { type } = findFieldAt(path)
  const isDate = type.endsWith('date')
  const input = isDate ? 'datetime-local' : type === 'number' ? 'number' : 'text'
  const props = { label: t('Value'), name: 'value', value, onValue: setValue }
  const choose = (chosen: string) => {
    setPath(chosen as Path)
    setValue('')
  }
  const add = (event: SubmitEvent) => {
    event.preventDefault()
    onFilter(addCondition(filter, path, sign, value))
    setValue('')
  }
  const isBare = sign.endsWith('""')
  return (
    <form class="messages-condition" onSubmit={add}>
      <SelectField label={t('Field')} name="field" choices={FIELDS} value={path} onValue={choose} />
      <SelectField
        label={t('Comparison')}
        name="sign"
        choices={signs}
        value={sign}
        onValue={setSign}
      />
      {!isBare &&
        (values ? (
          <SelectField {...props} choices={values} />
        ) : (
          <TextField {...props} type={input} />
        ))}
      <Button type="submit" icon="plus" disabled={!isBare && value === '' && input !== 'text'}>
        {t('Add')}
      </Button>
    </form>
  )
}
