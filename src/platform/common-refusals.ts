import { GatewayError } from './api-errors.ts'

/** Refusals by code, each with its HTTP status and message; '' if each case has its own message. */
export type Refusals = Readonly<Record<string, readonly [status: number, message: string]>>

/** Refusals that any of the gateway's own routes may answer with. */
export const COMMON_REFUSALS = {
  unauthorized: [401, 'Authentication required'],
  forbidden: [403, 'Only users may do this'],
  invalid_request: [400, ''],
  request_too_large: [413, ''],
  unsupported_media_type: [415, ''],
} as const satisfies Refusals

/** The `error` of refusals without a code of their own, by HTTP status, for example for an unknown route. */
export const OTHER_REFUSALS = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  413: 'request_too_large',
  415: 'unsupported_media_type',
  429: 'too_many_requests',
  500: 'internal_error',
  503: 'unavailable',
} as const

/**
 * Returns a function that makes errors of these refusals, which are answered with `{"error","message"}`.
 * `message` replaces the fixed one. `hint`: what the caller should do; the answer has it, too.
 */
export const makeErrorFactory =
  <R extends Refusals>(refusals: R) =>
  (error: keyof R & string, message?: string, hint?: string): GatewayError => {
    const [status, fixed] = refusals[error]!
    return new GatewayError(status, { error, message: message ?? fixed, ...(hint && { hint }) })
  }

export const commonRefusal = makeErrorFactory(COMMON_REFUSALS)

/** 400 with a message that says what is wrong with the request. */
export const invalidRequest = (message: string) => commonRefusal('invalid_request', message)
