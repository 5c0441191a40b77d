import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { pickFields } from '../engine/records/pick.ts'
import { SMALL_BYTES } from './limit-request-memory.ts'
import type { Ctx } from './request-context.ts'

const JSON_HEADERS = { 'content-type': 'application/json' }

/** Longer texts are sent as bytes: Node writes a string through a buffer of three times its length. */
const LARGE = 8_192

/** Sends JSON. Throws RetryLater if memory has no room for a large answer to a GET. */
export function sendRaw(c: Ctx, text: string, status: ContentfulStatusCode = 200): Response {
  if (text.length <= LARGE) return c.body(text, status, JSON_HEADERS)
  const bytes = Buffer.from(text)
  if (bytes.length > SMALL_BYTES) c.env.incoming.countAnswer(bytes.length)
  return c.body(bytes, status, JSON_HEADERS)
}

/** Sends JSON after applying the `fields` parameter. */
export function sendJson(c: Ctx, text: string): Response {
  const { fields } = c.env.incoming.query
  return sendRaw(c, fields ? pickFields(text, fields) : text)
}
