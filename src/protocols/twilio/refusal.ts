import { ApiError, GatewayError } from '../../errors.ts'
import type { ErrorForm } from '../../http/context.ts'
import { sendError } from '../../http/middleware/error-forms.ts'
import type { OTHER_REFUSALS, RefusalCode } from '../../sms/send/refusal.ts'

/** An error answer of Twilio's API. */
export class TwilioRefusal extends GatewayError {
  override name = 'TwilioRefusal'
  /** Twilio's error code. https://www.twilio.com/docs/api/errors */
  readonly code: number

  constructor(code: number, message: string, status = STATUSES[code] ?? 400) {
    super(status, { error: String(code), message })
    this.code = code
  }
}

/** HTTP statuses of error codes; 400 for others (wrong parameters). */
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
  63038: 429,
}

/** Codes of our own refusals; 20001 for others (wrong parameters). */
const CODES: Partial<Record<RefusalCode | (typeof OTHER_REFUSALS)[keyof typeof OTHER_REFUSALS], number>> = {
  unauthorized: 20003,
  forbidden: 20003,
  invalid_phone_number: 21211,
  body_too_long: 21617,
  device_not_found: 21606,
  message_not_found: 20404,
  not_found: 20404,
  not_cancelable: 30409,
  quota_exceeded: 63038,
  no_devices: 20503,
}
const CODES_BY_STATUS: Readonly<Record<number, number>> = {
  401: 20003,
  403: 20003,
  404: 20404,
  429: 20429,
  500: 20500,
  503: 20503,
}

export const INVALID = 20001
export const invalid = (message: string) => new TwilioRefusal(INVALID, message)
export const notFound = () => new TwilioRefusal(20404, 'The requested resource was not found')
export const unauthorized = () =>
  new TwilioRefusal(20003, 'Authenticate with an AccountSid or key SID and its token, of a key made for this')

/** Any error in the form of Twilio's API. An internal error is a 500. */
export function refusalFor(error: unknown): TwilioRefusal {
  if (error instanceof TwilioRefusal) return error
  if (error instanceof GatewayError) return ofGateway(error)
  const { status, message } = error instanceof ApiError ? error : new ApiError(500)
  const code = CODES_BY_STATUS[status] ?? INVALID
  return new TwilioRefusal(code, message, code === INVALID ? status : undefined)
}

function ofGateway({ body, message, status }: GatewayError): TwilioRefusal {
  const code = CODES[body.error as RefusalCode] ?? INVALID
  return new TwilioRefusal(code, message, status === 413 ? 413 : undefined)
}

/** Errors in Twilio's form, with exactly its keys: clients recognize the API by them. */
export const twilioForm: ErrorForm = (c, error) => {
  const { code, message, status } = refusalFor(error)
  if (status === 401) c.header('www-authenticate', 'Basic realm="Twilio API"')
  const more_info = `https://www.twilio.com/docs/errors/${code}`
  return sendError(c, status, { code, message, more_info, status })
}
