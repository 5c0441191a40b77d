import { type FieldError, fieldError } from '../../errors.ts'
import { parseJson } from '../../tools/json.ts'
import type { Field, FieldTypeName } from '../field.ts'
import { FALSE_WORDS, parseNumber, TRUE_WORDS } from '../values/cast.ts'
import { parseDate } from './date.ts'

/** What a field type accepts where values are read strictly. */
interface Form {
  /** False for a raw value that `fromInput` would silently turn into the empty value. */
  readonly accepts: (raw: unknown) => boolean
  /** Completes "Must be …". */
  readonly expected: string
}

const isScalar = (raw: unknown) => ['string', 'number', 'boolean'].includes(typeof raw)
const isText = (raw: unknown) => raw === null || isScalar(raw)
const isDate = (raw: unknown) =>
  raw === null || raw === '' || (typeof raw === 'string' && parseDate(raw) !== '')
const isNumber = (raw: unknown) =>
  typeof raw === 'number' || (typeof raw === 'string' && parseNumber(raw) !== undefined)
const isBool = (raw: unknown) => {
  if (typeof raw === 'string') return TRUE_WORDS.has(raw) || FALSE_WORDS.has(raw)
  return typeof raw === 'boolean' || raw === 0 || raw === 1
}
const isChoice = (raw: unknown) => isText(raw) || (Array.isArray(raw) && raw.every(isScalar))
const isPoint = (raw: unknown): boolean => {
  if (raw === null || raw === '') return true
  if (typeof raw === 'string') return isPoint(parseJson(raw) ?? false)
  if (typeof raw !== 'object') return false
  const { lon, lat } = raw as { lon?: unknown; lat?: unknown }
  return Number.isFinite(lon) && Number.isFinite(lat)
}

const TEXT = { accepts: isText, expected: 'a text' }
const CHOICE = { accepts: isChoice, expected: 'a text or a list of texts' }
const anything = () => true

/** Accepts `''` and null for types with an empty value. For numbers, null would mean "unlimited". */
const FORMS: Readonly<Record<FieldTypeName, Form>> = {
  text: TEXT,
  email: TEXT,
  url: TEXT,
  editor: TEXT,
  password: TEXT,
  date: { accepts: isDate, expected: 'a date like 2026-11-20 07:00:00.000Z, or empty' },
  number: { accepts: isNumber, expected: 'a number' },
  bool: { accepts: isBool, expected: 'true or false' },
  select: CHOICE,
  relation: CHOICE,
  file: CHOICE,
  geoPoint: { accepts: isPoint, expected: 'a point like {"lon":13.4,"lat":52.5}' },
  // Any value is JSON; autodates are never set by clients.
  json: { accepts: anything, expected: '' },
  autodate: { accepts: anything, expected: '' },
}

/** The error of a raw value that cannot be read as the field's; undefined if it can. */
export function readError(field: Field, raw: unknown): FieldError | undefined {
  const { accepts, expected } = FORMS[field.type]
  return accepts(raw) ? undefined : fieldError('validation_invalid_value', `Must be ${expected}`)
}
