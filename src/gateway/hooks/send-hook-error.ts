import { sendPocketBaseError } from '../../http/middleware/answer-errors.ts'
import type { ErrorForm } from '../../http/request-context.ts'
import { ApiError, RetryLater } from '../../platform/api-errors.ts'

/** Refuses login codes above a limit of the hook, the recipient or the account. */
export class TooManyCodes extends RetryLater {
  constructor(retryAfterSeconds: number, message: string) {
    super(429, retryAfterSeconds, message)
  }
}

/** PocketBase's format, but 503 instead of 429 from a busy server: Alertmanager retries only after 5xx. */
export const sendHookError: ErrorForm = (c, error) => {
  const isOfServer = error.status === 429 && !(error instanceof TooManyCodes)
  return sendPocketBaseError(c, isOfServer ? new ApiError(503, error.message) : error)
}
