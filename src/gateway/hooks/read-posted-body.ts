import { isTooComplex } from '../../engine/fields/json-text.ts'
import { readMultipart } from '../../http/body/multipart.ts'
import { BodyTooLarge, JSON_BOUNDS, readRawBody } from '../../http/body/raw-body.ts'
import type { Ctx } from '../../http/request-context.ts'
import { ApiError, RetryLater } from '../../platform/api-errors.ts'
import {
  decodeForm,
  decodeParts,
  decodeText,
  readCharset,
  readMediaType,
} from '../../platform/tools/charsets.ts'
import type { PostedBody } from './check-signature.ts'
import { JSON_FIELDS } from './read-hook-body.ts'

/** Maximum bytes of a call's body. */
export const MAX_HOOK_BYTES = 2 << 20

/** Limits of a body's JSON, and of JSON in a form: reading it then takes some 30 ms. */
const BOUNDS = { ...JSON_BOUNDS, fields: Infinity, values: 100_000 }

/** Maximum fields of a form; others are ignored. */
const MAX_FIELDS = 100

/** Reads a body. One that is too large, or has another charset than it declares, is left as unread. */
export async function readPostedBody(c: Ctx): Promise<PostedBody> {
  const headers = c.req.header()
  const memory = c.env.incoming.memory
  const given = c.req.header('content-type') ?? ''
  const type = readMediaType(given)
  try {
    if (type.startsWith('multipart/form-data'))
      return { raw: requireSimpleJson(await readBodyParts(c)), headers, memory }
    const bytes = await readRawBody(c)
    const charset = readCharset(given)
    const raw = requireSimpleJson(decodeText(bytes, charset))
    if (!type.startsWith('application/x-www-form-urlencoded')) return { raw, headers, memory }
    const form = decodeForm(bytes, charset, MAX_FIELDS)
    for (const [, value] of form) requireSimpleJson(value)
    return { raw, form, headers, memory }
  } catch (error) {
    const { complete, destroyed } = c.env.incoming
    const isGone = destroyed && !complete
    if (!(error instanceof ApiError) || error instanceof RetryLater || isGone) throw error
    if (error.status === 415) throw error
    return {
      raw: '',
      headers,
      memory,
      unread: error instanceof BodyTooLarge ? new ApiError(413, TOO_LARGE) : error,
    }
  }
}

/** The text itself. Throws BodyTooLarge for JSON that would take too long to parse. */
function requireSimpleJson(text: string): string {
  if (/^\s*[{[]/.test(text) && isTooComplex(text, BOUNDS)) throw new BodyTooLarge()
  return text
}

const TOO_LARGE = 'The body has more than 2 MiB, or too many values.'

async function readBodyParts(c: Ctx): Promise<string> {
  const { pairs, release } = await readMultipart(
    c.env.incoming,
    MAX_HOOK_BYTES,
    c.env.incoming.memory,
    decodeParts,
  )
  await release()
  const fields = Object.fromEntries(pairs)
  return (
    JSON_FIELDS.map((name) => fields[name]).find((text) => text !== undefined) ??
    JSON.stringify(fields)
  )
}
