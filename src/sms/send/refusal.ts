import { GatewayError } from '../../errors.ts'

/** All refusals of the gateway's own endpoints: status, and message if fixed. */
export const REFUSALS = {
  unauthorized: [401, 'Authentication required'],
  forbidden: [403, 'Only users may do this'],
  invalid_request: [400, ''],
  invalid_phone_number: [400, 'Phone number must be in E.164 format'],
  body_too_long: [400, 'Message body must be at most 1600 characters'],
  too_many_recipients: [400, ''],
  device_disabled: [403, 'This device is disabled. Its owner can enable it again.'],
  account_disabled: [403, 'The account of this device is disabled. A superuser can enable it again.'],
  wrong_code: [400, 'This pairing code is wrong, used or expired. Ask for a new one.'],
  too_many_codes: [429, 'Too many pairing codes are waiting for their device. Use one, or wait 5 minutes.'],
  too_many_tries: [429, 'Too many pairing codes were tried from this address. Wait 5 minutes.'],
  device_not_found: [404, 'Device not found'],
  line_not_found: [404, 'Line not found'],
  line_ambiguous: [409, 'Several lines have this number. Name one by its line_id.'],
  group_not_found: [404, 'Contact group not found'],
  message_not_found: [404, 'Message not found'],
  batch_not_found: [404, 'Batch not found'],
  campaign_not_found: [404, 'Campaign not found'],
  campaign_begun: [409, 'The campaign has begun: its text, time and audience can no longer be changed'],
  campaign_over: [409, 'The campaign is over'],
  campaign_not_retriable: [409, 'Only a campaign that is being sent, or was sent, has texts to send again'],
  campaign_busy: [409, 'The campaign is still being prepared. Try again in a moment.'],
  not_cancelable: [409, 'Message can no longer be canceled'],
  not_changeable: [409, 'Only a message that waits for its time can be changed'],
  not_retriable: [409, 'Only a failed message can be sent again'],
  idempotency_key_reused: [422, 'This Idempotency-Key was used for another request'],
  client_ref_reused: [422, 'This client_ref was used for a message to another number or with another text'],
  message_id_in_use: [409, 'A message with this id was sent before'],
  request_too_large: [413, ''],
  quota_exceeded: [402, 'Monthly message quota exceeded'],
  no_devices: [503, 'No devices available to send messages'],
} as const satisfies Record<string, readonly [status: number, message: string]>

/** `error` by status for other refusals: a limit, a fault, an unknown route. */
export const OTHER_REFUSALS = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  413: 'request_too_large',
  429: 'too_many_requests',
  500: 'internal_error',
  503: 'unavailable',
} as const

export type RefusalCode = keyof typeof REFUSALS

/** The answer `{"error","message"}` of a refused request. `message` where the table has none. */
export function gatewayRefusal(error: RefusalCode, message?: string): GatewayError {
  const [status, fixed] = REFUSALS[error]
  return new GatewayError(status, { error, message: message ?? fixed })
}

export const isRefusal = (error: unknown, code: RefusalCode): boolean =>
  error instanceof GatewayError && error.body.error === code

/** 400 with a message that says what is wrong with the request. */
export const invalid = (message: string) => gatewayRefusal('invalid_request', message)

/** 400 for an invalid template, with only a message. */
export const templateRefusal = (message: string) => new GatewayError(400, { message })
