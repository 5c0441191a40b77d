/** Maximum fields of a record, or parts of a form: a million take seconds to read. */
export const MAX_PARTS = 10_000
/** Maximum keys of all objects in a body, including those in JSON fields. */
const MAX_KEYS = 250_000
/** Maximum items of all lists: a JSON field of the default size, 1 MiB, may have 524,288 numbers. */
const MAX_VALUES = 1_000_000
export const JSON_BOUNDS = { fields: MAX_PARTS, keys: MAX_KEYS, values: MAX_VALUES }

/** How often a text occurs in bytes; counts to `max` + 1 at most. */
export function countOf(text: string, bytes: Buffer, max = Infinity): number {
  let count = 0
  for (let at = bytes.indexOf(text); at >= 0 && count <= max; at = bytes.indexOf(text, at + text.length))
    count++
  return count
}
