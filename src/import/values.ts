import { type Field, isMulti } from '../fields/field.ts'
import { parseDate } from '../fields/types/date.ts'

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
export function formError(field: Field, value: unknown): string | undefined {
  const { accepts, expected } = isMulti(field) ? TEXTS : FORMS[field.type]
  if (accepts(value)) return undefined
  return `${expected} expected, got ${JSON.stringify(value)?.slice(0, 100)}`
}
