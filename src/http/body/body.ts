import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { ApiError, badRequest } from '../../errors.ts'
import { scalarText } from '../../fields/cast.ts'
import { closingQuote, isTooComplex } from '../../fields/json-text.ts'
import { type Shape, ShapeError } from '../../fields/shape.ts'
import type { Uploads } from '../../files/upload.ts'
import type { FormPair } from '../../tools/charset.ts'
import { type Ctx, isMalformed, type RequestBody, type RequestMemory, readPairs } from '../context.ts'
import { memoryOf } from '../server/store-of.ts'
import { bodyBytes } from '../server/unread-body.ts'
import { readMultipart } from './multipart.ts'
import { countOf, JSON_BOUNDS, MAX_PARTS, parseStrict, readBytes } from './raw-body.ts'

type Values = RequestBody['values']

/** Default maximum bytes of a request body, as in PocketBase. Contract 8.2 */
export const MAX_BODY_BYTES = 32 << 20

const JSON_TYPE = 'application/json'
const NO_FILES: Uploads = new Map()
const EMPTY: RequestBody = Object.freeze({ values: Object.freeze({}), files: NO_FILES })

const WITH_FORM = new Set(['POST', 'PUT', 'PATCH'])
const NOTHING = Buffer.alloc(0)

/** The request's body, read once per request. Empty if there is none. Throws 400, 413, RetryLater. */
export async function bodyOf(c: Ctx, maxBytes = MAX_BODY_BYTES): Promise<RequestBody> {
  const known = c.get('body')
  if (known) return known
  const { incoming } = c.env
  if (bodyBytes(incoming) === 0) return EMPTY
  const limit = Math.min(maxBytes, c.get('guestLimit') ?? maxBytes)
  const body = await readBody(incoming, limit, () => memoryOf(c))
  c.set('body', body)
  return body
}

/** The request's body, as `bodyOf` reads it. A 400 gets the message `sentence`. */
export const bodyOr = (c: Ctx, sentence?: string, maxBytes?: number): Promise<RequestBody> =>
  bodyOf(c, maxBytes).catch((error: unknown) => {
    throw error instanceof ApiError && error.status === 400 ? badRequest(sentence) : error
  })

/** Reads a JSON, multipart or urlencoded body; forms include the URL's query. Throws 400. Contract 0.4 */
export async function readBody(incoming: IncomingMessage, maxBytes: number, memoryOf: () => RequestMemory) {
  const type = incoming.headers['content-type'] ?? ''
  const query = queryText(incoming.url ?? '')
  if (type.startsWith('multipart/form-data')) {
    if (isMalformed(query)) throw badRequest()
    const { pairs, files, release } = await readMultipart(incoming, maxBytes, memoryOf())
    try {
      return { values: formValues([...readPairs(query), ...pairs]), files, release }
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

/** A JSON body as text. Throws 400 unless it is UTF-8 up to the end of its first JSON value. */
function textOf(bytes: Buffer): string {
  const needed = isUtf8(bytes) ? bytes : bytes.subarray(0, firstValueEnd(bytes.toString('latin1')))
  if (!isUtf8(needed)) throw badRequest()
  return needed.toString('utf8')
}

/** Parses the JSON object or null at the start of a text. As in Go, ignores the rest. Throws 400. */
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

/** The query of a URL. As in Go, its parameters count as fields of a form body. */
const queryText = (url: string) => url.split(/\?(.*)/s)[1] ?? ''

/** Form values from the URL's query. Throws 400 for a malformed query. */
export function formOfQuery(url: string): Record<string, unknown> {
  const query = queryText(url)
  if (isMalformed(query)) throw badRequest()
  return formValues(readPairs(query))
}

function readUrlencoded(bytes: Buffer, query: readonly [string, string][]): Values {
  const text = bytes.toString('utf8')
  if (countOf('&', bytes, MAX_PARTS) > MAX_PARTS || isMalformed(text)) throw badRequest()
  return formValues([...readPairs(text), ...query])
}

/** Form values with types guessed as in PocketBase. A key that occurs several times has a list of values. */
function formValues(pairs: readonly FormPair[]): Record<string, unknown> {
  const lists = new Map<string, string[]>()
  for (const [key, value] of pairs) add(lists, key, value)
  const payloads = lists.get(JSON_PAYLOAD) ?? []
  lists.delete(JSON_PAYLOAD)
  const plain = [...lists].map(([key, values]): [string, unknown] => [
    key,
    values.length > 1 ? values.map(guess) : guess(values[0]!),
  ])
  // as in Go, a `@jsonPayload` of `null` drops all values read before it
  const read = payloads.map(readPayload)
  const emptied = read.lastIndexOf(null)
  const laidOver = read.slice(emptied + 1).flatMap((values) => Object.entries(values ?? {}))
  // `fromEntries` keeps a key `__proto__`; assigning to it would set the prototype instead
  return Object.fromEntries([...(emptied < 0 ? plain : []), ...laidOver])
}

/** Appends in place: copying the list each time would be slow for a key with many values. */
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

/** Default maximum bytes of a body for `readForm`: more than tokens and passwords need. */
const MAX_FORM_BYTES = 1 << 20

/** PocketBase's general message of a 400. `readForm` replaces it by a more specific one. */
const UNREADABLE = badRequest().message

/** `terse`: all 400s for an unreadable body have the same message. */
export interface FormOptions {
  readonly terse?: boolean
  readonly maxBytes?: number
}

/** Reads a body into the fields of `shape`. Ignores other fields; absent ones get zero values. Throws 400. */
export async function readForm<T extends object>(
  c: Ctx,
  shape: Shape<T>,
  { terse = false, maxBytes = MAX_FORM_BYTES }: FormOptions = {},
): Promise<T> {
  try {
    const { values, isJson } = await bodyOf(c, maxBytes)
    return withoutNul(shape.over(isJson ? values : asTexts(values, shape.zero()), shape.zero(), isJson))
  } catch (error) {
    const isVague =
      error instanceof ApiError && error.status === 400 && (terse || error.message === UNREADABLE)
    if (error instanceof ShapeError || isVague)
      throw badRequest('An error occurred while loading the submitted data.')
    throw error
  }
}

/** Replaces NUL by U+FFFD: Postgres refuses NUL, and no address or id contains U+FFFD. */
const withoutNul = <T extends object>(form: T): T =>
  Object.fromEntries(
    Object.entries(form).map(([key, value]) => [
      key,
      typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value,
    ]),
  ) as T

/** A form's value as text. Throws ShapeError for a list or an object, which only `@jsonPayload` can bring. */
function textIn(value: unknown): string {
  const text = scalarText(value)
  if (text === undefined) throw new ShapeError()
  return text
}

/** Turns guessed form values back into texts where a field is text. Takes the first of several values. */
function asTexts(values: Readonly<Record<string, unknown>>, zero: object): Record<string, unknown> {
  const firsts = Object.entries(values).map(
    ([key, value]) => [key, Array.isArray(value) ? value[0] : value] as const,
  )
  const isTextual = (key: string) => typeof zero[key as keyof typeof zero] === 'string'
  const known = firsts.filter(([key, value]) => Object.hasOwn(zero, key) && (value !== '' || isTextual(key)))
  return Object.fromEntries(known.map(([key, value]) => [key, isTextual(key) ? textIn(value) : value]))
}
