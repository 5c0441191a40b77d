import type { Collection } from '../collections/collection.ts'
import { UserError } from '../errors.ts'
import type { Field, PasswordField, Value } from '../fields/field.ts'
import { generateText } from '../fields/types/autogenerate.ts'
import { now } from '../fields/types/date.ts'
import { fieldType } from '../fields/types/field-types.ts'
import { passwordError } from '../fields/types/password.ts'
import { hashPassword } from '../fields/values/bcrypt.ts'
import { isObject } from './files.ts'
import { formError } from './values.ts'

/** A record ready for its table: values in the order of the collection's fields. */
export type ImportRow = Value[]

/** Keys that every answer has and no table. */
const SHOWN_ONLY = new Set(['collectionId', 'collectionName', 'expand'])

/** Where in which file something is wrong. */
export interface FilePosition {
  readonly file: string
  readonly collection: Collection
}

/** The sentence for a record's fault. `record`: its id, or its place in the file if it has none. */
export function recordFault(
  { file, collection }: FilePosition,
  record: string,
  problem: string,
  field?: string,
): UserError {
  const where = [
    `collection ${collection.name}`,
    `record ${record}`,
    ...(field === undefined ? [] : [`field ${field}`]),
  ]
  return new UserError(`${file}: ${where.join(', ')}: ${problem.replace(/[.]?$/, '.')}`)
}

/** Makes a record of a file a row. Throws a UserError at the first fault. */
export type ReadRow = (record: unknown) => ImportRow

/**
 * What reads the records of one collection, in the order in which a file has them. All that can be seen
 * without a database is checked: names and forms of values, field options, ids, each of which stands once.
 * Fields that are left out are empty, but for generated ones; dates stand as they are.
 */
export function rowReader(place: FilePosition): ReadRow {
  const names = new Set(place.collection.fields.map(({ name }) => name))
  const seen = new Set<string>()
  let number = 0
  return (record) => {
    number++
    if (!isObject(record)) throw recordFault(place, `#${number}`, 'an object expected')
    const id = String(record.id ?? '') || `#${number}`
    for (const key of Object.keys(record)) {
      if (!names.has(key) && !SHOWN_ONLY.has(key))
        throw recordFault(place, id, 'the collection has no such field', key)
    }
    if (seen.has(id)) throw recordFault(place, id, 'the id stands twice in the file', 'id')
    seen.add(id)
    return place.collection.fields.map((field) => readValue(place, id, field, record[field.name]))
  }
}

function readValue(place: FilePosition, id: string, field: Field, raw: unknown): Value {
  if (raw === undefined || (raw === null && hasEmptyValue(field))) return missing(place, id, field)
  const type = fieldType(field)
  const value = formError(field, raw) === undefined ? type.fromInput(field, raw) : null
  const problem =
    formError(field, raw) ??
    (field.type === 'password' ? passwordError(field, String(raw)) : type.check(field, value))?.message
  if (problem !== undefined) throw recordFault(place, id, problem, field.name)
  return value
}

/** Null is a value of its own in JSON, and no number or bool: as 0 it could mean "unlimited". */
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

/**
 * Puts hashes in the place of passwords. bcrypt works off the main thread, as many at once as there are
 * threads.
 */
export async function hashPasswords(collection: Collection, rows: readonly ImportRow[]): Promise<void> {
  const places = collection.fields.flatMap((field, i) => (field.type === 'password' ? [{ field, i }] : []))
  const hash = async (row: ImportRow, field: PasswordField, i: number) => {
    if (row[i]) row[i] = await hashPassword(String(row[i]), field.cost)
  }
  await Promise.all(rows.flatMap((row) => places.map(({ field, i }) => hash(row, field, i))))
}
