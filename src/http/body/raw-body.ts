import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { hasInfinity, hasRepeatedName, isTooComplex } from '../../engine/fields/json-text.ts'
import { ApiError, badRequest, RetryLater } from '../../platform/api-errors.ts'
import { commonRefusal, invalidRequest } from '../../platform/common-refusals.ts'
import { SMALL_BYTES } from '../limit-request-memory.ts'
import type { Ctx } from '../request-context.ts'
import type { ServedRequest } from '../served-request.ts'
import { decodePieces, isEncoded } from '../server/content-encoding.ts'
import { requireMaxBytes } from './max-bytes.ts'

/** Maximum fields of a JSON body or an urlencoded form. Reading a million would take seconds. */
export const MAX_FIELDS = 10_000
/** Maximum keys of all objects in a JSON body, with JSON fields. Different ones take 1.4 µs each. */
const MAX_KEYS = 30_000
/** Maximum texts (keys, too), lists and objects in a JSON body: each takes up to 0.3 µs. */
const MAX_JSON_PARTS = 100_000
/**
 * Maximum items of all lists in a JSON body. A JSON field of 1 MiB, the default, may have 524,288 numbers.
 */
const MAX_VALUES = 1_000_000
export const JSON_BOUNDS = {
  fields: MAX_FIELDS,
  keys: MAX_KEYS,
  parts: MAX_JSON_PARTS,
  values: MAX_VALUES,
}

/** Counts how often `text` occurs in `bytes`. Stops counting at `max` + 1. */
export function countOccurrences(text: string, bytes: Buffer, max = Infinity): number {
  let count = 0
  for (
    let at = bytes.indexOf(text);
    at >= 0 && count <= max;
    at = bytes.indexOf(text, at + text.length)
  )
    count++
  return count
}

/** Joins pieces in one growing buffer. A list of pieces would take 400 bytes more for each piece. */
export class ByteCollector {
  readonly #expected: number
  #buffer: Buffer = Buffer.alloc(0)
  size = 0

  constructor(expected = 0) {
    this.#expected = expected
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.size)
  }

  add(piece: Buffer): void {
    const needed = this.size + piece.length
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#expected, 2 * this.#buffer.length))
      this.#buffer.copy(larger, 0, 0, this.size)
      this.#buffer = larger
    }
    this.size += piece.copy(this.#buffer, this.size)
  }
}

/** A body that exceeds its limit. */
export class BodyTooLarge extends ApiError {
  override name = 'BodyTooLarge'

  constructor() {
    super(413)
  }
}

/**
 * Yields a body in pieces, without its compression. Throws 413 if its declared or actual length exceeds
 * `maxBytes`, and as `decodePieces`.
 */
export async function* readPieces(
  incoming: IncomingMessage,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw new BodyTooLarge()
  let size = 0
  try {
    for await (const piece of decodePieces(incoming)) {
      size += piece.length
      if (size > maxBytes) throw new BodyTooLarge()
      yield piece
    }
  } catch (error) {
    // any other error means that the client disconnected
    throw error instanceof ApiError ? error : badRequest()
  }
}

/** A request whose body is read: a ServedRequest. */
export type BodyRequest = IncomingMessage & Pick<ServedRequest, 'mayBeLarge' | 'memory'>

/** Reads the whole body. Reserves memory for a large one. Throws 400, 413 and RetryLater. */
export async function readBodyBytes(incoming: BodyRequest, maxBytes: number) {
  const isSmall = !incoming.mayBeLarge
  const length = Number(incoming.headers['content-length'] ?? 0)
  if (length > maxBytes) throw new BodyTooLarge()
  // a small body that has arrived is whole in the stream's buffer
  if (isSmall && incoming.readableLength === length)
    return (incoming.read() as Buffer | null) ?? Buffer.alloc(0)
  const declared = isEncoded(incoming) ? 0 : length
  const memory = isSmall ? undefined : incoming.memory
  const room = await memory?.roomForBody(declared)
  const body = new ByteCollector(declared)
  for await (const piece of readPieces(incoming, maxBytes)) {
    const size = Math.max(declared, body.size + piece.length)
    if (size > SMALL_BYTES) await room?.growTo(size)
    body.add(piece)
  }
  if (body.size > SMALL_BYTES) await memory?.turn(body.size)
  return body.bytes
}

/** Reads the whole body, up to the limit of the route. Throws as `readBodyBytes`. */
export const readRawBody = (c: Ctx): Promise<Buffer> =>
  readBodyBytes(c.env.incoming, requireMaxBytes(c))

/**
 * The body as JSON, parsed once per request. By default refuses objects with repeated keys. Throws 400, 413.
 */
export function readJsonBody(c: Ctx, parse = parseUnique): Promise<unknown> {
  const request = c.env.incoming
  request.json ??= parseJsonBody(c, parse)
  return request.json
}

async function parseJsonBody(c: Ctx, parse: typeof parseUnique): Promise<unknown> {
  const bytes = await readRawBody(c).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error instanceof RetryLater) throw error
    if (error.status === 415) throw commonRefusal('unsupported_media_type', error.message)
    if (!(error instanceof BodyTooLarge)) throw invalidRequest(error.message)
    throw commonRefusal(
      'request_too_large',
      `The body must have at most ${requireMaxBytes(c)} bytes`,
    )
  })
  try {
    if (!isUtf8(bytes)) throw invalidRequest('The body must be valid UTF-8')
    const text = bytes.toString('utf8')
    if (isTooComplex(text, BOUNDS))
      throw invalidRequest('The body has too many keys or values, or too many levels')
    return parse(text.replace(BYTE_ORDER_MARK, ''))
  } catch (error) {
    if (error instanceof NameTwice)
      throw invalidRequest('The body must not have a name twice in an object')
    throw error instanceof SyntaxError ? invalidRequest('The body must be a JSON object') : error
  } finally {
    // free the body's memory now: a phone's request for texts to send may wait long for its answer
    if (c.env.incoming.mayBeLarge) c.env.incoming.leaveBodyMemory()
  }
}

/** Limits of a JSON body. The largest expected, 500 message states from the SMSGate app, has 7,000 keys. */
const BOUNDS = { ...JSON_BOUNDS, keys: 10_000, values: 100_000 }

/** Some programs write a byte order mark before JSON. RFC 8259, section 8.1, lets it be ignored. */
const BYTE_ORDER_MARK = /^\ufeff/

/** The JSON escape of a surrogate, alone or as half of a pair. */
const SURROGATE = /\\u[dD][89a-fA-F]/
/** An escaped backslash, or a whole surrogate pair. Neither is a lone surrogate. */
const HARMLESS = /\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]../g

class NameTwice extends SyntaxError {
  override name = 'NameTwice'
}

function parseUnique(json: string): unknown {
  const value: unknown = JSON.parse(json)
  if (hasRepeatedName(json, value)) throw new NameTwice()
  return value
}

/** A quick test for a number beyond the range of a double. May match other text, too. */
const HUGE = /\d[eE]\+?\d{3}|(?<!\d)\d{210}/
/** Parses as Go's encoding/json/v2: refuses repeated names, lone surrogates, numbers beyond a double. */
export function parseStrict(json: string): unknown {
  if (SURROGATE.test(json) && SURROGATE.test(json.replace(HARMLESS, '_'))) throw new SyntaxError()
  const value = parseUnique(json)
  if (HUGE.test(json) && hasInfinity(value)) throw new SyntaxError()
  return value
}
