import { badRequest } from '../../platform/api-errors.ts'
import type { FormPair } from '../../platform/tools/charsets.ts'
import { isMalformedQuery, readPairs, readQueryText } from '../query.ts'
import type { RequestBody } from '../served-request.ts'
import { readPayload } from './json-value.ts'
import { countOccurrences, MAX_FIELDS } from './raw-body.ts'

const JSON_PAYLOAD = '@jsonPayload'

/** Form values from the URL's query. Throws 400 for a malformed query. */
export function parseQueryForm(url: string): Record<string, unknown> {
  const query = readQueryText(url)
  if (isMalformedQuery(query)) throw badRequest()
  return toFormValues(readPairs(query))
}

export function readUrlencoded(
  bytes: Buffer,
  query: readonly [string, string][],
): RequestBody['values'] {
  const text = bytes.toString('utf8')
  if (countOccurrences('&', bytes, MAX_FIELDS) > MAX_FIELDS || isMalformedQuery(text))
    throw badRequest()
  return toFormValues([...readPairs(text), ...query])
}

/** Form values with types guessed as in PocketBase. A key that occurs several times has a list of values. */
export function toFormValues(pairs: readonly FormPair[]): Record<string, unknown> {
  const lists = new Map<string, string[]>()
  for (const [key, value] of pairs) addToList(lists, key, value)
  const payloads = lists.get(JSON_PAYLOAD) ?? []
  lists.delete(JSON_PAYLOAD)
  const plain = [...lists].map(([key, values]): [string, unknown] => [
    key,
    values.length > 1 ? values.map(guessFormValue) : guessFormValue(values[0]!),
  ])
  // as in Go, a `@jsonPayload` of `null` drops all values read before it
  const read = payloads.map(readPayload)
  const emptied = read.lastIndexOf(null)
  const laidOver = read.slice(emptied + 1).flatMap((values) => Object.entries(values ?? {}))
  // `fromEntries` keeps a key `__proto__`; assigning to it would set the prototype instead
  return Object.fromEntries([...(emptied < 0 ? plain : []), ...laidOver])
}

/** Appends in place: copying the list each time would be slow for a key with many values. */
function addToList<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

const NUMERIC = /^[-.\d]+$/

/** Guesses a form value's type as PocketBase does: tools/router/unmarshal_request_data.go */
function guessFormValue(text: string): string | number | boolean {
  if (text === 'true') return true
  if (text === 'false') return false
  if (NUMERIC.test(text) && /^[-\d]/.test(text) && String(Number(text)) === text)
    return Number(text)
  return text
}
