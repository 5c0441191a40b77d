import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ApiError, RetryLater } from '../../errors.ts'
import { TooManyCodes } from '../../hooks/call.ts'
import { OTHER_REFUSALS } from '../../sms/send/shape.ts'
import type { Ctx, ErrorForm } from '../context.ts'
import { sendRaw } from '../request-info.ts'

const CODES: Readonly<Record<number, string>> = OTHER_REFUSALS

/** The code of an error that has only a status. */
export const codeOfStatus = (status: number): string => CODES[status] ?? 'invalid_request'

/** Answers with JSON and the status of an error. */
export const sendError = (c: Ctx, status: number, body: object): Response =>
  sendRaw(c, JSON.stringify(body), status as ContentfulStatusCode)

/** `{"error","message"}`. A refusal that has another body keeps it. */
export const gatewayForm: ErrorForm = (c, error) => {
  const { status, message } = error
  if (error instanceof RetryLater && error.code)
    return sendError(c, status, { error: error.code, message, retry_after: error.retryAfterSeconds })
  return sendError(c, status, 'body' in error ? error.body : { error: codeOfStatus(status), message })
}

/** `{"data","message","status"}`. A refusal of the gateway that has another body keeps it. */
export const pocketBaseForm: ErrorForm = (c, error) => {
  const { status, message } = error
  if (error instanceof ApiError) return sendError(c, status, { data: error.data, message, status })
  const isRefusal = typeof error.body.error === 'string' && !('data' in error.body)
  return sendError(c, status, isRefusal ? { data: {}, message, status } : error.body)
}

/** PocketBase's format, with 503 instead of 429: Alertmanager gives up after 4xx, and retries after 5xx. */
export const hookForm: ErrorForm = (c, error) => {
  const isOfServer = error.status === 429 && !(error instanceof TooManyCodes)
  return pocketBaseForm(c, isOfServer ? new ApiError(503, error.message) : error)
}

/** `{"message"}`, as SMSGate's server answers. */
export const messageForm: ErrorForm = (c, { status, message }) => sendError(c, status, { message })
