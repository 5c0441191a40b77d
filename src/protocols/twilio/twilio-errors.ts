import type { RefusalCode } from '../../gateway/base/gateway-errors.ts'
import { sendError } from '../../http/middleware/answer-errors.ts'
import type { ErrorForm } from '../../http/request-context.ts'
import { ApiError, GatewayError, RetryLater } from '../../platform/api-errors.ts'
import type { OTHER_REFUSALS } from '../../platform/common-refusals.ts'

export class TwilioRefusal extends GatewayError {
  override name = 'TwilioRefusal'
  /** Twilio's error code. https://www.twilio.com/docs/api/errors */
  readonly code: number

  constructor(code: number, message: string, status = STATUSES[code] ?? 400) {
    super(status, { error: String(code), message })
    this.code = code
  }
}

/** HTTP statuses by Twilio's error code. Other codes have 400 (wrong parameters). */
const STATUSES: Readonly<Record<number, number>> = {
  20003: 401,
  20004: 405,
  20009: 409,
  20404: 404,
  20429: 429,
  20500: 500,
  20503: 503,
  21701: 404,
  30409: 409,
  60202: 429,
  60203: 429,
  60212: 429,
  60410: 403,
  63038: 429,
}

/** Twilio's error codes for our refusals. Others get 20001 (wrong parameters). */
const CODES: Partial<
  Record<RefusalCode | (typeof OTHER_REFUSALS)[keyof typeof OTHER_REFUSALS], number>
> = {
  unauthorized: 20003,
  forbidden: 20003,
  invalid_phone_number: 21211,
  body_too_long: 21617,
  mms_not_supported: 21622,
  files_too_large: 11751,
  destination_not_allowed: 21408,
  device_not_found: 21606,
  line_not_allowed: 21606,
  message_not_found: 20404,
  not_found: 20404,
  not_cancelable: 30409,
  quota_exceeded: 63038,
  no_devices: 20503,
  verification_not_found: 20404,
  service_not_found: 20404,
  recipient_opted_out: 21610,
  destination_stopped: 60410,
  resend_too_soon: 60212,
  number_limit_reached: 60203,
  sender_limit_reached: 60203,
}

export const INVALID = 20001
export const makeInvalidError = (message: string) => new TwilioRefusal(INVALID, message)
export const makeNotFoundError = () =>
  new TwilioRefusal(20404, 'The requested resource was not found')
export const makeUnauthorizedError = () =>
  new TwilioRefusal(
    20003,
    'Authenticate with an AccountSid or key SID and its token, of a key made for this',
  )

/** Converts any error to the form of Twilio's API. An internal error becomes a 500. */
export function toTwilioError(error: unknown): TwilioRefusal {
  if (error instanceof TwilioRefusal) return error
  if (error instanceof GatewayError)
    return makeTwilioError(
      String(error.body.error),
      error.message,
      error.status === 413 ? 413 : undefined,
    )
  if (error instanceof RetryLater && error.code) return makeTwilioError(error.code, error.message)
  const { status, message } = error instanceof ApiError ? error : new ApiError(500)
  const ours = 20_000 + status
  // 20003 for 401 and 403, else 20000 + status if Twilio has that code, else 20001 (wrong parameters)
  const code = status === 401 || status === 403 ? 20003 : ours in STATUSES ? ours : INVALID
  return new TwilioRefusal(code, message, code === INVALID ? status : undefined)
}

const makeTwilioError = (ours: string, message: string, status?: number) =>
  new TwilioRefusal(CODES[ours as RefusalCode] ?? INVALID, message, status)

/** Errors in Twilio's form, with exactly its keys: clients recognize Twilio's errors by them. */
export const sendTwilioError: ErrorForm = (c, error) => {
  const { code, message, status } = toTwilioError(error)
  if (status === 401) c.header('www-authenticate', 'Basic realm="Twilio API"')
  const more_info = `https://www.twilio.com/docs/errors/${code}`
  return sendError(c, status, { code, message, more_info, status })
}

/** Twilio's error 60200, for a wrong parameter of Verify. */
export function makeParameterError(name: string, why = ''): TwilioRefusal {
  return new TwilioRefusal(60200, `Invalid parameter: \`${name}\`${why && `. ${why}`}`)
}
