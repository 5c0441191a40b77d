import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { pickFields } from '../records/render/pick.ts'
import { countAnswer } from './body/memory-of.ts'
import type { Ctx } from './context.ts'
import { queryOf } from './query.ts'
import { SMALL_BYTES } from './request-memory.ts'

const JSON_HEADERS = { 'content-type': 'application/json' }

/** Node writes a string through a buffer three times as long, which halves the rate of 500 records. */
const LARGE = 8_192

/** Sends JSON. Throws RetryLater when a large answer to a GET has no room. */
export function sendRaw(c: Ctx, text: string, status: ContentfulStatusCode = 200): Response {
  if (text.length <= LARGE) return c.body(text, status, JSON_HEADERS)
  const bytes = Buffer.from(text)
  if (bytes.length > SMALL_BYTES) countAnswer(c, bytes.length)
  return c.body(bytes, status, JSON_HEADERS)
}

/** Sends JSON after applying the `fields` parameter. */
export function sendJson(c: Ctx, text: string): Response {
  const { fields } = queryOf(c)
  return sendRaw(c, fields ? pickFields(text, fields) : text)
}
