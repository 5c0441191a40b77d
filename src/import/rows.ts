import type { Collection } from '../collections/collection.ts'
import { UserError } from '../errors.ts'
import { type Field, isMulti, type PasswordField, type Value } from '../fields/field.ts'
import { generateText } from '../fields/types/autogenerate.ts'
import { now, parseDate } from '../fields/types/date.ts'
import { fieldType } from '../fields/types/field-types.ts'
import { passwordError } from '../fields/types/password.ts'
import { hashPassword } from '../fields/values/bcrypt.ts'
import { isObject } from './files.ts'

const isText = (value: unknown) => typeof value === 'string'
const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value)

const isPoint = (value: unknown) => {
  const { lon, lat } = (value ?? {}) as { lon?: unknown; lat?: unknown }
  return isNumber(lon) && isNumber(lat)
}
const isDate = (value: unknown) => value === '' || (isText(value) && parseDate(value) !== '')

const TEXT = { accepts: isText, expected: 'text' }
const DATE = { accepts: isDate, expected: 'a date like 2026-11-20 07:00:00.000Z, or ""' }

interface Form {
  readonly accepts: (value: unknown) => boolean
  readonly expected: string
}

/** Strict forms of each field type in a file. The API is more lenient; here, another type is a mistake. */
const FORMS: Record<Field['type'], Form> = {
  text: TEXT,
  email: TEXT,
  url: TEXT,
  editor: TEXT,
  password: TEXT,
  date: DATE,
  autodate: DATE,
  select: TEXT,
  relation: TEXT,
  file: TEXT,
  number: { accepts: isNumber, expected: 'a number' },
  bool: { accepts: (value) => typeof value === 'boolean', expected: 'true or false' },
  json: { accepts: () => true, expected: 'JSON' },
  geoPoint: { accepts: isPoint, expected: '{"lon":number,"lat":number}' },
}
const TEXTS: Form = {
  accepts: (value) => Array.isArray(value) && value.every(isText),
  expected: 'a list of texts',
}

/** What is wrong with a value in a file, as part of a sentence; undefined if valid. */
function formError(field: Field, value: unknown): string | undefined {
  const { accepts, expected } = isMulti(field) ? TEXTS : FORMS[field.type]
  if (accepts(value)) return undefined
  return `${expected} expected, got ${JSON.stringify(value)?.slice(0, 100)}`
}

/** A record's values in the order of the collection's fields. */
export type ImportRow = Value[]

/** Keys of answers that are no columns. */
const SHOWN_ONLY = new Set(['collectionId', 'collectionName', 'expand'])

/** The collection in a file to which a fault belongs. */
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
  const where = [
    `collection ${collection.name}`,
    `record ${record}`,
    ...(field === undefined ? [] : [`field ${field}`]),
  ]
  return new UserError(`${file}: ${where.join(', ')}: ${problem.replace(/[.]?$/, '.')}`)
}

/** Converts a record to a row. Throws a UserError at the first fault. */
export type ReadRow = (record: unknown) => ImportRow

/** A reader of a collection's records that checks all that needs no database. */
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

/** JSON has its own null; for a number or bool, null as 0 could mean "unlimited". */
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
