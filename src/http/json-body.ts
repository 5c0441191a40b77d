import { ApiError, TooMany } from '../errors.ts'
import { refuse } from '../sms/refusal.ts'
import { isBomb } from './body-limits.ts'
import { readBytes } from './bytes.ts'
import type { Ctx } from './context.ts'

/**
 * The JSON of a body of the gateway's own endpoints, whatever its content type says. Throws 413 and 400 in their form,
 * `{"error","message"}`, and 503 when too many large ones come at once.
 */
export async function readJson(c: Ctx, maxBytes: number): Promise<unknown> {
  const { bytes, leave } = await readBytes(c.env.incoming, maxBytes).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error instanceof TooMany) throw error
    throw refuse('request_too_large', `The body must have at most ${maxBytes} bytes`)
  })
  try {
    const text = bytes.toString('utf8')
    if (!isBomb(text)) return JSON.parse(text)
  } catch {
    // answered like what nobody means
  } finally {
    // not only after the answer, for which a claim may wait: what is kept of such a body is small
    leave?.()
  }
  throw refuse('invalid_request', 'The body must be a JSON object')
}
