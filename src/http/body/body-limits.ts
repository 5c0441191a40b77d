import { closingQuote } from '../../fields/values/json-text.ts'

/** No honest body is nested deeper; from 5,000 on, writing it as JSON again would overflow the stack. */
const MAX_DEPTH = 1_000
/**
 * No record has so many fields, no urlencoded form so many pairs. Reading a million of them holds up
 * everybody for seconds.
 */
const MAX_PARTS = 10_000
/** Of all objects in a body together: JSON of a field may have its own. */
const MAX_KEYS = 250_000
/**
 * Of all lists and objects in a body together. A JSON field of the default size, 1 MiB, holds 524,288
 * one-digit numbers.
 */
const MAX_VALUES = 1_000_000

const QUOTE = 34
const COMMA = 44
const COLON = 58
const isOpening = (code: number) => code === 91 || code === 123
const isClosing = (code: number) => code === 93 || code === 125

/**
 * Whether lists and objects of a JSON text lie too deep in each other, or have too many keys or values: what
 * takes long to read, or cannot be written again. One pass over the text, before anything is made of it, and
 * only if it is long enough to be one.
 */
export function isTooComplex(json: string, maxKeys = MAX_KEYS): boolean {
  if (json.length <= MAX_DEPTH) return false
  let depth = 0
  let fields = 0
  let keys = 0
  let values = 0
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i)
    if (code === QUOTE) {
      i = closingQuote(json, i)
      continue
    }
    if (code === COMMA) values++
    else if (isOpening(code)) {
      depth++
      values++
    } else if (isClosing(code)) depth--
    else if (code === COLON) {
      keys++
      if (depth === 1) fields++
    } else continue
    if (depth > MAX_DEPTH || fields > MAX_PARTS || keys > maxKeys || values > MAX_VALUES) return true
  }
  return false
}

/** What a number beyond the range of a double may look like, even within a text. */
const HUGE = /\d[eE]\+?\d{3}|(?<!\d)\d{309}/
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const isNumberStart = (code: number) => code === 45 || (code >= 48 && code <= 57)

/**
 * Whether a JSON text has a number beyond the range of a double, outside of its texts. Linear: each character
 * is read once.
 */
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

/** Whether a form has too many parts: what stands between two of them occurs too often. */
export function hasTooManyParts(form: Buffer, separator: string): boolean {
  let count = 0
  for (let at = form.indexOf(separator); at >= 0; at = form.indexOf(separator, at + separator.length)) {
    if (++count > MAX_PARTS) return true
  }
  return false
}
