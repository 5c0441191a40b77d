import type { Fault } from '../../data/fault.ts'
import { CheckList } from '../form/choices.tsx'
import { CheckField, SelectField, TextArea, TextField } from '../form/field.tsx'
import { More } from '../form/more.tsx'
import { type FieldRow, type Filling, type FormRow, isList, listFields } from './form-row.ts'
import { findFieldFault, type Values } from './values.ts'
export const Rows = ({ rows, form }: { rows: readonly FormRow[]; form: Filling }) => (
  <>
    {rows.map((row, at) => {
      if (typeof row === 'function') return row(form)
      if ('folded' in row)
        return (
          <More
            key={at}
            summary={row.summary}
            isWrong={listFields(row.folded).some((each) => findFault(each, form))}
          >
            <div class="stack">
              <Rows rows={row.folded} form={form} />
            </div>
          </More>
        )
      if (!isList(row)) return <Row key={row.name} row={row} form={form} />
      const shown = row.filter((each) => each.shown?.(form.values) ?? true)
      return (
        shown.length > 0 && (
          <div key={at} class="pairs">
            {shown.map((each) => (
              <Row key={each.name} row={each} form={form} />
            ))}
          </div>
        )
      )
    })}
  </>
)

export const findError = ({ name, error }: FieldRow, values: Values) =>
  error?.(values[name] ?? '', values)

/** The error shown beside a field: from the row's `error`, or from the server. */
const findFault = (row: FieldRow, { values, fault, isTried }: Filling): string | undefined =>
  (isTried && findError(row, values)) || findRowRefusal(row, fault) || undefined

const findRowRefusal = ({ name, refused }: FieldRow, fault: Fault | undefined) => {
  const said = fault && findFieldFault(fault.fields, name)
  return said && (refused ?? said)
}

function Row({ row, form }: { row: FieldRow; form: Filling }) {
  const { values, change, fault } = form
  const { kind, choices = [], hint, shown, rows, inputRef, class: look, input, ...others } = row
  const { read, write, error, refused, ...rest } = others
  if (shown && !shown(values)) return null
  const value = values[row.name] ?? ''
  const onValue = (typed: Values[string]) => change({ [row.name]: typed })
  if (input) return input(row, value, onValue)
  if (kind === 'check')
    return <CheckField label={row.label} name={row.name} value={Boolean(value)} onValue={onValue} />
  if (kind === 'checks')
    return (
      <CheckList
        class={look}
        legend={row.label}
        name={row.name}
        choices={choices}
        fault={fault}
        chosen={value as readonly string[]}
        onChosen={onValue}
      />
    )
  const props = {
    ...rest,
    value: String(value),
    onValue,
    error: findFault(row, form),
    hint: typeof hint === 'function' ? hint(values) : hint,
  }
  if (kind === 'select') return <SelectField {...props} choices={choices} />
  if (kind === 'area' || rows) return <TextArea {...props} rows={rows} inputRef={inputRef} />
  return <TextField {...props} {...(kind && kind !== 'list' && { type: kind })} />
}
