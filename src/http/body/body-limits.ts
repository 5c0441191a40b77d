import { closingQuote } from '../../fields/values/json-text.ts'

/** Fields of a record, or parts of a form. Reading a million of them takes seconds. */
export const MAX_PARTS = 10_000
/** Keys of all objects in a body, including those in JSON fields. */
const MAX_KEYS = 250_000
/** A JSON field of the default size, 1 MiB, holds 524,288 one-digit numbers. */
const MAX_VALUES = 1_000_000
/** Bounds of a body's JSON. */
export const JSON_BOUNDS = { fields: MAX_PARTS, keys: MAX_KEYS, values: MAX_VALUES }

const QUOTE = 34

/** What a number beyond the range of a double may look like, even within a text. */
const HUGE = /\d[eE]\+?\d{3}|(?<!\d)\d{309}/
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const isNumberStart = (code: number) => code === 45 || (code >= 48 && code <= 57)

/** Whether a JSON text has a number beyond the range of a double, outside of its texts. */
export function hasHugeNumber(json: string): boolean {
  if (!HUGE.test(json)) return false
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i)
    if (code === QUOTE) i = closingQuote(json, i)
    if (!isNumberStart(code)) continue
    NUMBER.lastIndex = i
    const number = NUMBER.exec(json)?.[0] ?? ''
    if (!Number.isFinite(Number(number))) return true
    i += Math.max(number.length - 1, 0)
  }
  return false
}

/** How often a text occurs in bytes; counts to `max` + 1 at most. */
export function countOf(text: string, bytes: Buffer, max = Infinity): number {
  let count = 0
  for (let at = bytes.indexOf(text); at >= 0 && count <= max; at = bytes.indexOf(text, at + text.length))
    count++
  return count
}
