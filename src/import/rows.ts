import type { Collection } from '../collections/catalog.ts'
import { UserError } from '../errors.ts'
import type { Field, PasswordField, Value } from '../fields/field.ts'
import { generateText } from '../fields/types/autogenerate.ts'
import { now } from '../fields/types/date.ts'
import { fieldType, readError } from '../fields/types/field-types.ts'
import { passwordError } from '../fields/types/password.ts'
import { hashPassword } from '../fields/values/bcrypt.ts'
import { isObject } from '../tools/json.ts'

/** A record's values in the order of the collection's fields. */
export type ImportRow = Value[]

/** Keys in answers of PocketBase that are not columns. */
const SHOWN_ONLY = new Set(['collectionId', 'collectionName', 'expand'])

export interface FilePosition {
  readonly file: string
  readonly collection: Collection
}

/** The sentence for a record's fault. `record`: its id, or its position if it has none. */
export function recordFault(
  { file, collection }: FilePosition,
  record: string,
  problem: string,
  field?: string,
): UserError {
  const where = `collection ${collection.name}, record ${record}${field === undefined ? '' : `, field ${field}`}`
  return new UserError(`${file}: ${where}: ${problem.replace(/[.]?$/, '.')}`)
}

/** Converts records to rows and checks all that needs no database. Throws a UserError at the first fault. */
export function readRows(place: FilePosition, records: readonly unknown[]): ImportRow[] {
  const names = new Set(place.collection.fields.map(({ name }) => name))
  const seen = new Set<string>()
  return records.map((record, i) => {
    const number = `#${i + 1}`
    if (!isObject(record)) throw recordFault(place, number, 'an object expected')
    const id = String(record.id ?? '') || number
    for (const key of Object.keys(record)) {
      if (!names.has(key) && !SHOWN_ONLY.has(key))
        throw recordFault(place, id, 'the collection has no such field', key)
    }
    if (seen.has(id)) throw recordFault(place, id, 'the id stands twice in the file', 'id')
    seen.add(id)
    return place.collection.fields.map((field) => readValue(place, id, field, record[field.name]))
  })
}

function readValue(place: FilePosition, id: string, field: Field, raw: unknown): Value {
  if (raw === undefined || (raw === null && hasEmptyValue(field))) return missing(place, id, field)
  const type = fieldType(field)
  const value = type.fromInput(field, raw)
  const problem =
    readError(field, raw) ??
    (field.type === 'password' ? passwordError(field, String(raw)) : type.check(field, value))
  if (problem) throw recordFault(place, id, problem.message, field.name)
  return value
}

/** Whether null may become the field's empty value. Not for JSON (has null), number, bool (0: unlimited?). */
const hasEmptyValue = ({ type }: Field) => type !== 'json' && type !== 'number' && type !== 'bool'

function missing(place: FilePosition, id: string, field: Field): Value {
  if (field.type === 'text' && field.primaryKey) throw recordFault(place, id, 'it is missing', field.name)
  if (field.type === 'text' && field.autogeneratePattern) return generateText(field.autogeneratePattern)
  if (field.type === 'autodate') return now()
  const type = fieldType(field)
  const zero = type.zero(field)
  const problem = type.check(field, zero)
  if (problem) throw recordFault(place, id, problem.message, field.name)
  return zero
}

/** Hashes the passwords of rows off the main thread, in parallel. */
export async function hashPasswords(collection: Collection, rows: readonly ImportRow[]): Promise<void> {
  const places = collection.fields.flatMap((field, i) => (field.type === 'password' ? [{ field, i }] : []))
  const hash = async (row: ImportRow, field: PasswordField, i: number) => {
    if (row[i]) row[i] = await hashPassword(String(row[i]), field.cost)
  }
  await Promise.all(rows.flatMap((row) => places.map(({ field, i }) => hash(row, field, i))))
}
