import type { CollectionField, CollectionModel } from 'pocketbase'
import { isMany } from '../../data/schema.ts'
import type { FieldRow } from '../../parts/rows/form-row.ts'
import { JSON_ROW } from '../../parts/rows/json-row.ts'

const LONG = 255

/** The fields that a person edits: not those that the server writes, nor files. */
const isEdited = ({ type, name, system, hidden }: CollectionField, isNew: boolean) =>
  name === 'id' ? isNew : !['autodate', 'file'].includes(type) && (!system || !hidden || type === 'password')

/** The rows of a form for a collection's records. */
export const recordRows = ({ fields }: CollectionModel, isNew: boolean): readonly FieldRow[] =>
  fields.filter((field) => isEdited(field, isNew)).map(makeRow)

function makeRow(field: CollectionField): FieldRow {
  const { name, type, max } = field
  const row = { name, label: name, spellcheck: false, autocomplete: 'off' }
  if (type === 'number' || type === 'email' || type === 'url') return { ...row, kind: type }
  if (type === 'bool') return { ...row, kind: 'check' }
  if (type === 'password') return { ...row, kind: 'password', autocomplete: 'new-password' }
  if (type === 'date') return { ...row, placeholder: '2026-11-27' }
  if (type === 'json' || type === 'geoPoint') return { ...row, rows: 3, ...JSON_ROW }
  if (type === 'select') {
    const choices = (field.values as string[]).map((value) => [value, value] as const)
    return isMany(field)
      ? { ...row, kind: 'checks', choices }
      : { ...row, kind: 'select', choices: [['', '–'], ...choices] }
  }
  if (isMany(field)) return { ...row, kind: 'list' }
  return type === 'editor' || max > LONG ? { ...row, rows: 3 } : row
}
