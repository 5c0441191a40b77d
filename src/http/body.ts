import type { IncomingMessage } from 'node:http'
import { ApiError, badRequest } from '../errors.ts'
import { hasTooManyParts, isBomb } from './body-limits.ts'
import { readPairs } from './query.ts'

/** What a request brought along: values by key, and the files of a multipart form. */
export interface RequestBody {
  readonly values: Record<string, unknown>
  readonly files: ReadonlyMap<string, readonly File[]>
}

/** PocketBase's limit for all routes. Contract 8.2. */
export const MAX_BODY_BYTES = 32 << 20

const NO_FILES: ReadonlyMap<string, readonly File[]> = new Map()
const EMPTY: RequestBody = Object.freeze({ values: Object.freeze({}), files: NO_FILES })

const hasBody = (incoming: IncomingMessage) =>
  (incoming.headers['content-length'] ?? '0') !== '0' || incoming.headers['transfer-encoding'] !== undefined

/** The raw body. Throws 413 when it says that it is too long, 400 when it turns out to be. */
export async function readBytes(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw new ApiError(413)
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw badRequest()
      chunks.push(chunk)
    }
  } catch (error) {
    // a client that went away in the middle of its body: nobody reads the answer
    throw error instanceof ApiError ? error : badRequest()
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

/**
 * The body of a request in any of PocketBase's forms: JSON, multipart and urlencoded (both merged with the query).
 * An absent body is `{}`. Throws 400 for anything else. PocketBase: core/event_request.go, contract 0.4
 */
export async function readBody(incoming: IncomingMessage, maxBytes = MAX_BODY_BYTES): Promise<RequestBody> {
  if (!hasBody(incoming)) return EMPTY
  const bytes = await readBytes(incoming, maxBytes)
  if (bytes.length === 0) return EMPTY
  const type = incoming.headers['content-type'] ?? ''
  if (type.startsWith('application/json'))
    return { values: readJson(bytes.toString('utf8')), files: NO_FILES }
  const query = queryPairs(incoming.url ?? '')
  if (type.startsWith('multipart/form-data')) return readMultipart(bytes, type, query)
  if (type.startsWith('application/x-www-form-urlencoded')) {
    if (hasTooManyParts(bytes, '&')) throw badRequest()
    return { values: readForm([...readPairs(bytes.toString('utf8')), ...query]), files: NO_FILES }
  }
  if (type.startsWith('text/xml') || type.startsWith('application/xml')) throw badRequest()
  throw badRequest('Unsupported Content-Type')
}

/** The first JSON value of a text, which must be an object or null; what follows it is ignored, as Go's decoder does. */
function readJson(text: string): Record<string, unknown> {
  if (isBomb(text)) throw badRequest()
  const value = parseFirst(text)
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw badRequest()
  return value as Record<string, unknown>
}

function parseFirst(text: string): unknown {
  try {
    return parse(text)
  } catch {
    const end = firstValueEnd(text)
    if (end === undefined) throw badRequest()
    try {
      return parse(text.slice(0, end))
    } catch {
      throw badRequest()
    }
  }
}

/** What a number beyond a double's range looks like, perhaps. Digits are counted once, from the first: 32 MB took 20 s. */
const HUGE = /\d[eE]\+?\d{3}|(?<!\d)\d{309}/

/** JSON.parse, but a number out of range is an error, as in Go. */
function parse(text: string): unknown {
  if (!HUGE.test(text)) return JSON.parse(text)
  return JSON.parse(text, (_, value: unknown) => {
    if (value === Infinity || value === -Infinity) throw badRequest()
    return value
  })
}

/** Where the object that a text begins with is closed. */
function firstValueEnd(text: string): number | undefined {
  let depth = 0
  let quoted = false
  const start = text.search(/[^ \t\r\n]/)
  if (text.startsWith('null', start)) return start + 4
  if (text[start] !== '{') return undefined
  for (let i = start; i < text.length; i++) {
    const c = text[i]
    if (quoted) {
      if (c === '\\') i++
      else if (c === '"') quoted = false
    } else if (c === '"') quoted = true
    else if (c === '{' || c === '[') depth++
    else if ((c === '}' || c === ']') && --depth === 0) return i + 1
  }
  return undefined
}

const JSON_PAYLOAD = '@jsonPayload'

/** All pairs of a URL's query: to Go they are part of any form. */
const queryPairs = (url: string) => readPairs(url.split(/\?(.*)/s)[1] ?? '')

/** What a form is given by the query of its URL alone. */
export const formOfQuery = (url: string): Record<string, unknown> => readForm(queryPairs(url))

async function readMultipart(
  bytes: Buffer,
  type: string,
  query: readonly [string, string][],
): Promise<RequestBody> {
  if (hasTooManyParts(bytes, '\r\n--')) throw badRequest()
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw badRequest()
    })
  const pairs: [string, string][] = [...query]
  const files = new Map<string, File[]>()
  for (const [key, value] of form) {
    if (typeof value === 'string') pairs.push([key, value])
    else if (value.name !== '') add(files, key, value)
  }
  return { values: readForm(pairs), files }
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
  // not by assignment, to which a key `__proto__` would be more than a key
  return Object.fromEntries([...plain, ...payloads.flatMap((text) => Object.entries(readJson(text)))])
}

/** Appends in place: a form may name one key a million times. */
function add<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

const NUMERIC = /^[-.\d]+$/

/** `true` and numbers that print the same again lose their quotes. PocketBase: tools/router/unmarshal_request_data.go */
function guess(text: string): string | number | boolean {
  if (text === 'true') return true
  if (text === 'false') return false
  if (NUMERIC.test(text) && /^[-\d]/.test(text) && String(Number(text)) === text) return Number(text)
  return text
}
