/** No honest body is nested deeper; from 5,000 on, writing it as JSON again would overflow the stack. */
const MAX_DEPTH = 1_000
/** No record has so many fields, no form so many parts. Reading a million of them holds up everybody for seconds. */
export const MAX_PARTS = 10_000
/** Of all objects in a body together: JSON of a field may have its own. */
const MAX_KEYS = 250_000

const QUOTE = 34
const COLON = 58
const BACKSLASH = 92
const OPENING = new Set([91, 123])
const CLOSING = new Set([93, 125])

/**
 * Whether lists and objects of a JSON text lie too deep in each other, or have too many keys: what takes long to read, or
 * cannot be written again. One pass, only over what is long enough for it.
 */
export function isBomb(json: string): boolean {
  if (json.length <= MAX_DEPTH) return false
  let depth = 0
  let fields = 0
  let keys = 0
  let quoted = false
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i)
    if (quoted) {
      if (code === BACKSLASH) i++
      else if (code === QUOTE) quoted = false
    } else if (code === QUOTE) quoted = true
    else if (OPENING.has(code)) depth++
    else if (CLOSING.has(code)) depth--
    else if (code === COLON) {
      keys++
      if (depth === 1) fields++
    } else continue
    if (depth > MAX_DEPTH || fields > MAX_PARTS || keys > MAX_KEYS) return true
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
