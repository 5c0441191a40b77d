import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { badRequest } from '../../errors.ts'
import { closingQuote, isTooComplex } from '../../fields/json-text.ts'
import type { Uploads } from '../../files/upload.ts'
import type { RequestBody } from '../context.ts'
import { isMalformed, readPairs } from '../query.ts'
import type { RequestMemory } from '../request-memory.ts'
import { readMultipart } from './multipart.ts'
import { countOf, JSON_BOUNDS, MAX_PARTS, parseStrict, readBytes } from './raw-body.ts'

type Values = RequestBody['values']

/** Default maximum of a body, as in PocketBase. Contract 8.2. */
export const MAX_BODY_BYTES = 32 << 20

const JSON_TYPE = 'application/json'
const NO_FILES: Uploads = new Map()
export const EMPTY: RequestBody = Object.freeze({ values: Object.freeze({}), files: NO_FILES })

const WITH_FORM = new Set(['POST', 'PUT', 'PATCH'])
const NOTHING = Buffer.alloc(0)

/** Reads a JSON, multipart or urlencoded body; forms include the query. Throws 400. Contract 0.4 */
export async function readBody(incoming: IncomingMessage, maxBytes: number, memoryOf: () => RequestMemory) {
  const type = incoming.headers['content-type'] ?? ''
  const query = queryOf(incoming.url ?? '')
  if (type.startsWith('multipart/form-data')) {
    if (isMalformed(query)) throw badRequest()
    const { pairs, files, release } = await readMultipart(incoming, maxBytes, memoryOf())
    try {
      return { values: readForm([...readPairs(query), ...pairs]), files, release }
    } catch (error) {
      await release()
      throw error
    }
  }
  const bytes = await readBytes(incoming, maxBytes, memoryOf)
  if (bytes.length === 0) return EMPTY
  const values = readValues(incoming, type, bytes, query)
  return { values, files: NO_FILES, isJson: type.startsWith(JSON_TYPE) }
}

function readValues(incoming: IncomingMessage, type: string, bytes: Buffer, query: string): Values {
  if (type.startsWith(JSON_TYPE)) return readJson(textOf(bytes))
  if (type.startsWith('application/x-www-form-urlencoded')) {
    if (isMalformed(query)) throw badRequest()
    return readUrlencoded(WITH_FORM.has(incoming.method ?? '') ? bytes : NOTHING, readPairs(query))
  }
  if (type.startsWith('text/xml') || type.startsWith('application/xml')) throw badRequest()
  throw badRequest('Unsupported Content-Type')
}

/** The text of a body. Throws 400 unless it is UTF-8 up to the end of its first value. */
function textOf(bytes: Buffer): string {
  const needed = isUtf8(bytes) ? bytes : bytes.subarray(0, firstValueEnd(bytes.toString('latin1')))
  if (!isUtf8(needed)) throw badRequest()
  return needed.toString('utf8')
}

/** Parses the first value of a text, an object or null. As in Go, text behind it is ignored. */
function readJson(text: string): Record<string, unknown> {
  if (isTooComplex(text, JSON_BOUNDS)) throw badRequest()
  const value = parseFirst(text)
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw badRequest()
  return value as Record<string, unknown>
}

function readPayload(text: string): Values | null {
  const whole = text.trimEnd()
  if (firstValueEnd(whole) !== whole.length) throw badRequest()
  return whole.trimStart() === 'null' ? null : readJson(whole)
}

function parseFirst(text: string): unknown {
  try {
    return parseStrict(text)
  } catch {
    const end = firstValueEnd(text)
    if (end === undefined) throw badRequest()
    try {
      return parseStrict(text.slice(0, end))
    } catch {
      throw badRequest()
    }
  }
}

function firstValueEnd(text: string): number | undefined {
  let depth = 0
  const start = text.search(/[^ \t\r\n]/)
  if (text.startsWith('null', start)) return start + 4
  if (text[start] !== '{') return undefined
  for (let i = start; i < text.length; i++) {
    const c = text[i]
    if (c === '"') i = closingQuote(text, i)
    else if (c === '{' || c === '[') depth++
    else if ((c === '}' || c === ']') && --depth === 0) return i + 1
  }
  return undefined
}

const JSON_PAYLOAD = '@jsonPayload'

/** A URL's query. Go counts its pairs as part of a form. */
const queryOf = (url: string) => url.split(/\?(.*)/s)[1] ?? ''

/** Form values from the URL's query. Throws 400 for a malformed query. */
export function formOfQuery(url: string): Record<string, unknown> {
  const query = queryOf(url)
  if (isMalformed(query)) throw badRequest()
  return readForm(readPairs(query))
}

function readUrlencoded(bytes: Buffer, query: readonly [string, string][]): Values {
  const text = bytes.toString('utf8')
  if (countOf('&', bytes, MAX_PARTS) > MAX_PARTS || isMalformed(text)) throw badRequest()
  return readForm([...readPairs(text), ...query])
}

/** Form values with PocketBase's guesses at types; one occurrence is a scalar, several a list. */
function readForm(pairs: readonly [string, string][]): Record<string, unknown> {
  const lists = new Map<string, string[]>()
  for (const [key, value] of pairs) add(lists, key, value)
  const payloads = lists.get(JSON_PAYLOAD) ?? []
  lists.delete(JSON_PAYLOAD)
  const plain = [...lists].map(([key, values]): [string, unknown] => [
    key,
    values.length > 1 ? values.map(guess) : guess(values[0]!),
  ])
  // Go drops all values read so far when a payload is null
  const read = payloads.map(readPayload)
  const emptied = read.lastIndexOf(null)
  const laidOver = read.slice(emptied + 1).flatMap((values) => Object.entries(values ?? {}))
  // assigning a key `__proto__` would set the prototype
  return Object.fromEntries([...(emptied < 0 ? plain : []), ...laidOver])
}

/** Appends in place: a form may name one key a million times. */
function add<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

const NUMERIC = /^[-.\d]+$/

/** Guesses a form value's type as PocketBase does: tools/router/unmarshal_request_data.go */
function guess(text: string): string | number | boolean {
  if (text === 'true') return true
  if (text === 'false') return false
  if (NUMERIC.test(text) && /^[-\d]/.test(text) && String(Number(text)) === text) return Number(text)
  return text
}
