import { useState } from 'preact/hooks'
import { t } from '../../../language/words.ts'
import { Button } from '../../../parts/form/button.tsx'
import { SelectField, TextField } from '../../../parts/form/field.tsx'
import { FIELDS, fieldAt, type Path, signsOf, valuesOf, withCondition } from './condition.ts'

/** A field, an operator and a value, which together become a condition of the filter. */
export function ConditionForm({ filter, onFilter }: { filter: string; onFilter: (filter: string) => void }) {
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
