import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Uploads } from '../../engine/files/upload.ts'
import { ApiError, badRequest } from '../../platform/api-errors.ts'
import { isMalformedQuery, readPairs, readQueryText } from '../query.ts'
import type { Ctx } from '../request-context.ts'
import type { RequestBody } from '../served-request.ts'
import { findFirstValueEnd, parseJsonObject } from './json-value.ts'
import { findMaxBytes } from './max-bytes.ts'
import { readMultipart } from './multipart.ts'
import { type BodyRequest, readBodyBytes } from './raw-body.ts'
import { readUrlencoded, toFormValues } from './urlencoded.ts'

type Values = RequestBody['values']

const JSON_TYPE = 'application/json'

const NO_FILES: Uploads = new Map()

const EMPTY: RequestBody = Object.freeze({ values: Object.freeze({}), files: NO_FILES })

const WITH_FORM = new Set(['POST', 'PUT', 'PATCH'])

const NOTHING = Buffer.alloc(0)

/**
 * The request's body, read once per request. Empty if there is none. Throws 400, 413, RetryLater. `type`: its
 * Content-Type; as in PocketBase, capitals count, unless a route of our own has lowered them.
 */
export async function readRequestBody(c: Ctx, type?: string): Promise<RequestBody> {
  const request = c.env.incoming
  if (request.body) return request.body
  if (request.bodyLength === 0) return EMPTY
  const limit = Math.min(findMaxBytes(c), request.guestLimit)
  request.body = await readBody(request, limit, type)
  return request.body
}

/** The request's body, as `readRequestBody` reads it. A 400 gets the message `sentence`. */
export const readBodyOr = (c: Ctx, sentence?: string): Promise<RequestBody> =>
  readRequestBody(c).catch((error: unknown) => {
    throw error instanceof ApiError && error.status === 400 ? badRequest(sentence) : error
  })

/** Reads a JSON, multipart or urlencoded body; forms include the URL's query. Throws 400. Contract 0.4 */
export async function readBody(
  incoming: BodyRequest,
  maxBytes: number,
  type = incoming.headers['content-type'] ?? '',
) {
  if (type.startsWith('multipart/form-data')) {
    const query = readQueryText(incoming.url ?? '')
    if (isMalformedQuery(query)) throw badRequest()
    const { pairs, files, release } = await readMultipart(incoming, maxBytes, incoming.memory)
    try {
      return { values: toFormValues([...readPairs(query), ...pairs]), files, release }
    } catch (error) {
      await release()
      throw error
    }
  }
  const bytes = await readBodyBytes(incoming, maxBytes)
  if (bytes.length === 0) return EMPTY
  const values = readValues(incoming, type, bytes)
  return { values, files: NO_FILES, isJson: type.startsWith(JSON_TYPE) }
}

function readValues(incoming: IncomingMessage, type: string, bytes: Buffer): Values {
  if (type.startsWith(JSON_TYPE)) return parseJsonObject(decodeJsonText(bytes))
  if (type.startsWith('application/x-www-form-urlencoded')) {
    const query = readQueryText(incoming.url ?? '')
    if (isMalformedQuery(query)) throw badRequest()
    return readUrlencoded(WITH_FORM.has(incoming.method ?? '') ? bytes : NOTHING, readPairs(query))
  }
  if (type.startsWith('text/xml') || type.startsWith('application/xml')) throw badRequest()
  throw badRequest('Unsupported Content-Type')
}

/** A JSON body as text. Throws 400 unless it is UTF-8 up to the end of its first JSON value. */
function decodeJsonText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  const first = bytes.subarray(0, findFirstValueEnd(bytes.toString('latin1')))
  if (!isUtf8(first)) throw badRequest()
  return first.toString('utf8')
}
