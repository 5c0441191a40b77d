import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { errorBody, refusalFor, retryAfterOf } from '../../twilio/refusal.ts'
import type { Ctx } from '../context.ts'
import { sendRaw } from '../send-json.ts'

/** Roots of Twilio's API, and of the products whose paths programs send here as well. */
const ROOT = /^\/(?:2010-04-01|v[123])(?:[/?]|$)/

/** Whether a path is answered as Twilio's API does. */
export const isTwilio = (path: string): boolean => ROOT.test(path)

/** The answer to whatever was thrown, in Twilio's form. */
export function answerTwilioFailure(c: Ctx, error: unknown): Response {
  const refusal = refusalFor(error)
  const retryAfter = retryAfterOf(error)
  if (retryAfter !== undefined) c.header('retry-after', String(retryAfter))
  if (refusal.status === 401) c.header('www-authenticate', 'Basic realm="Twilio API"')
  return sendRaw(c, JSON.stringify(errorBody(refusal)), refusal.status as ContentfulStatusCode)
}
