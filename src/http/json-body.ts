import { ApiError } from '../errors.ts'
import { refuse } from '../sms/refusal.ts'
import { isBomb } from './body-limits.ts'
import { readBytes } from './bytes.ts'
import type { Ctx } from './context.ts'

/**
 * The JSON of a body of the gateway's own endpoints, whatever its content type says. Throws 413 and 400 in their form,
 * `{"error","message"}`.
 */
export async function readJson(c: Ctx, maxBytes: number): Promise<unknown> {
  const bytes = await readBytes(c.env.incoming, maxBytes).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
    throw refuse('request_too_large', `The body must have at most ${maxBytes} bytes`)
  })
  const text = bytes.toString('utf8')
  try {
    if (!isBomb(text)) return JSON.parse(text)
  } catch {} // answered like what nobody means
  throw refuse('invalid_request', 'The body must be a JSON object')
}
