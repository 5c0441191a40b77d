import { type FieldError, makeFieldError } from '../../platform/api-errors.ts'
import { toText } from './convert-values.ts'
import { parseLayouts } from './date-layouts.ts'
import { type FieldOf, type FieldType, MAX_SHORT_BYTES } from './field.ts'

/** PocketBase's date format, in which dates are also stored. Comparing such texts compares the dates. */
const WIRE = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{3})Z$/
/** Go's zero time, which means no date. */
const ZERO_TIME_MS = Date.parse('0001-01-01T00:00:00Z')

/** A date in PocketBase's format: `2026-11-20 07:00:00.000Z`. */
export function formatDate(at: Date): string {
  const iso = at.toISOString()
  return iso.length === 24
    ? `${iso.slice(0, 10)} ${iso.slice(11)}`
    : `${formatLongYear(at)}${iso.slice(7, 13)} ${iso.slice(14)}`
}

/** A year before 0 or after 9999 as Go writes it. `toISOString` would write six digits and a sign. */
function formatLongYear(at: Date): string {
  const year = at.getUTCFullYear()
  return year < 0 ? `-${String(-year).padStart(4, '0')}` : String(year)
}

export const formatNow = (): string => formatDate(new Date())

/** Parses a date; undefined for an empty or invalid text. */
export function toDate(text: string): Date | undefined {
  const ms = text === '' ? undefined : readDate(text)
  return ms === undefined ? undefined : new Date(ms)
}

/** Converts to PocketBase's date format; `''` for no date. PocketBase: tools/types/datetime.go */
export function parseDate(raw: unknown): string {
  const text = toText(raw)
  const ms = text === '' ? undefined : readDate(text)
  if (ms === undefined || ms === ZERO_TIME_MS) return ''
  return formatDate(new Date(ms))
}

function readDate(text: string): number | undefined {
  if (WIRE.test(text)) {
    const ms = Date.parse(`${text.slice(0, 10)}T${text.slice(11)}`)
    // Date.parse accepts 24:00:00 and February 30, so the date is formatted and compared
    if (!Number.isNaN(ms) && formatDate(new Date(ms)) === text) return ms
    return undefined
  }
  return parseLayouts(text)
}

/** A time as Go prints it (`2024-01-01 00:00:00 +0000 UTC`) and as Go writes it in JSON. */
function formatGoTime(at: Date): { text: string; json: string } {
  const [day, clock] = formatDate(at).split(' ')
  const short = clock!.replace(/\.?0*Z$/, '')
  return { text: `${day} ${short} +0000 UTC`, json: `${day}T${short}Z` }
}

function makeRangeError(limit: string, word: 'less' | 'greater'): FieldError {
  const { text, json } = formatGoTime(toDate(limit)!)
  const code =
    word === 'less'
      ? 'validation_min_greater_equal_than_required'
      : 'validation_max_less_equal_than_required'
  return makeFieldError(code, `Must be no ${word} than ${text}`, { threshold: json })
}

/** Compares years as numbers, because the texts compare as dates only if both years have four digits. */
const isBefore = (a: string, b: string) =>
  parseYear(a) - parseYear(b) < 0 || (parseYear(a) === parseYear(b) && a < b)
const parseYear = (text: string) => Number.parseInt(text, 10)

const DATE = {
  column: () => 'pb_date',
  storage: 'text',
  maxBytes: () => MAX_SHORT_BYTES,
  zero: () => '',
  fromInput: (_: unknown, raw: unknown) => parseDate(raw),
} as const

/** `date`: a date, `''` when unset. PocketBase: core/field_date.go */
export const dateType: FieldType<FieldOf<'date'>> = {
  ...DATE,
  accepts: (raw) =>
    raw === null || raw === '' || (typeof raw === 'string' && parseDate(raw) !== ''),
  expected: 'a date like 2026-11-20 07:00:00.000Z, or empty',
  check(field, value) {
    const [at, min, max] = [value as string, parseDate(field.min), parseDate(field.max)]
    if (min !== '' && isBefore(at, min)) return makeRangeError(min, 'less')
    if (max !== '' && isBefore(max, at)) return makeRangeError(max, 'greater')
    return undefined
  },
}

/** `autodate`: the time of create or update, which no client can set. PocketBase: core/field_autodate.go */
export const autodateType: FieldType<FieldOf<'autodate'>> = DATE
