import { UserError } from '../../platform/api-errors.ts'
import { isObject } from '../../platform/tools/json.ts'
import type { Collection } from '../collections/collection.ts'
import type { Field, Value } from '../fields/field.ts'
import { checkValue, findFieldType, findReadError } from '../fields/field-types.ts'
import { formatNow } from '../fields/parse-date.ts'
import { generateText } from '../fields/regex-patterns.ts'
import { findPasswordError } from '../fields/scalar-types.ts'
import type { Extensions } from '../records/collection-extension.ts'
import { findRowFault } from './find-row-fault.ts'

/** A record's values in the order of the collection's fields. */
export type ImportRow = Value[]

export const readRowId = ({ fields }: Collection, row: ImportRow) =>
  String(row[fields.findIndex(({ name }) => name === 'id')])

/** Keys of records in PocketBase's answers that are no fields. */
const SHOWN_ONLY = new Set(['collectionId', 'collectionName', 'expand'])

export interface FilePosition {
  readonly file: string
  readonly collection: Collection
}

/** The error for a faulty record. `record`: its id, or its position (`#3`) if it has none. */
export function makeRecordError(
  { file, collection }: FilePosition,
  record: string,
  problem: string,
  field?: string,
): UserError {
  const where = `collection ${collection.name}, record ${record}${field === undefined ? '' : `, field ${field}`}`
  return new UserError(`${file}: ${where}: ${problem.replace(/[.]?$/, '.')}`)
}

/** Converts records to rows and checks them as far as possible without the database. UserError at a fault. */
export function readImportRows(
  place: FilePosition,
  records: readonly unknown[],
  extensions: Extensions,
): ImportRow[] {
  const names = new Set(place.collection.fields.map(({ name }) => name))
  const seen = new Set<string>()
  return records.map((record, i) => {
    const number = `#${i + 1}`
    if (!isObject(record)) throw makeRecordError(place, number, 'an object expected')
    const id = String(record.id ?? '') || number
    for (const key of Object.keys(record)) {
      if (!names.has(key) && !SHOWN_ONLY.has(key))
        throw makeRecordError(place, id, 'the collection has no such field', key)
    }
    if (seen.has(id)) throw makeRecordError(place, id, 'the id stands twice in the file', 'id')
    seen.add(id)
    const row = completeRow(
      place.collection,
      place.collection.fields.map((field) => readValue(place, id, field, record[field.name])),
      record,
      extensions,
    )
    const fault = findRowFault(place.collection, row, extensions)
    if (fault) throw makeRecordError(place, id, fault)
    return row
  })
}

/** Completes a row as the extension of its collection does. */
function completeRow(
  { id, fields }: Collection,
  row: ImportRow,
  given: Readonly<Record<string, unknown>>,
  extensions: Extensions,
): ImportRow {
  const { completeImported } = extensions.get(id) ?? {}
  if (!completeImported) return row
  const values = Object.fromEntries(fields.map(({ name }, i) => [name, row[i]!]))
  completeImported(values, given)
  return fields.map(({ name }) => values[name]!)
}

function readValue(place: FilePosition, id: string, field: Field, raw: unknown): Value {
  if (raw === undefined || (raw === null && hasEmptyValue(field)))
    return makeMissingValue(place, id, field)
  const value = findFieldType(field).fromInput(field, raw)
  const problem =
    findReadError(field, raw) ??
    (field.type === 'password' ? findPasswordError(field, String(raw)) : checkValue(field, value))
  if (problem) throw makeRecordError(place, id, problem.message, field.name)
  return value
}

/**
 * Whether null may become the field's empty value. Not in JSON, where null is a value; not in number and
 * bool, where 0 may mean unlimited.
 */
const hasEmptyValue = ({ type }: Field) => type !== 'json' && type !== 'number' && type !== 'bool'

function makeMissingValue(place: FilePosition, id: string, field: Field): Value {
  if (field.type === 'text' && field.primaryKey)
    throw makeRecordError(place, id, 'it is missing', field.name)
  if (field.type === 'text' && field.autogeneratePattern)
    return generateText(field.autogeneratePattern)
  if (field.type === 'autodate') return formatNow()
  const zero = findFieldType(field).zero(field)
  const problem = checkValue(field, zero)
  if (problem) throw makeRecordError(place, id, problem.message, field.name)
  return zero
}
