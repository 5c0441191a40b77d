import { GatewayError } from '../../platform/api-errors.ts'
import { COMMON_REFUSALS, makeErrorFactory, type Refusals } from '../../platform/common-refusals.ts'
import { MAX_TEXT_CHARACTERS } from '../../portable/max-text-characters.ts'

/** Refusals of the gateway's own endpoints: HTTP status and message ('' if each case has its own). */
export const REFUSALS = {
  ...COMMON_REFUSALS,
  invalid_template: [400, ''],
  invalid_phone_number: [400, 'Phone number must be in E.164 format'],
  body_too_long: [400, `Message body must be at most ${MAX_TEXT_CHARACTERS} characters`],
  too_many_recipients: [400, ''],
  mms_not_supported: [
    400,
    'No line that may send this can send MMS (mms of lines). A phone needs the SMSGate app from 1.74 on, or use a carrier with MMS.',
  ],
  files_too_large: [400, 'The files are too large for an MMS'],
  device_disabled: [403, 'This device is disabled. Its owner can enable it again.'],
  account_disabled: [
    403,
    'The account of this device is disabled. A superuser can enable it again.',
  ],
  wrong_code: [400, 'This pairing code is wrong, used or expired. Ask for a new one.'],
  too_many_codes: [
    429,
    'Too many pairing codes are waiting for their device. Use one, or wait 5 minutes.',
  ],
  too_many_tries: [429, 'Too many pairing codes were tried from this address. Wait 5 minutes.'],
  destination_not_allowed: [
    403,
    'The account or the API key may not send to this number (destinations)',
  ],
  device_not_found: [404, 'Device not found'],
  line_not_found: [404, 'Line not found'],
  line_ambiguous: [409, 'Several lines have this number. Name one by its line_id.'],
  line_not_allowed: [403, 'The API key may not send by this line or device (lines)'],
  group_not_found: [404, 'Contact group not found'],
  message_not_found: [404, 'Message not found'],
  batch_not_found: [404, 'Batch not found'],
  campaign_not_found: [404, 'Campaign not found'],
  campaign_begun: [
    409,
    'The campaign has begun: its time and audience can no longer be changed, nor a text that nobody waits for',
  ],
  campaign_over: [409, 'The campaign is over'],
  campaign_not_retriable: [
    409,
    'Only a campaign that is being sent, or was sent, has texts to send again',
  ],
  campaign_busy: [409, 'The campaign is still being prepared. Try again in a moment.'],
  not_cancelable: [409, 'Message can no longer be canceled'],
  not_changeable: [409, 'Only a message that waits for its time can be changed'],
  not_retriable: [409, 'Only a failed message can be sent again'],
  idempotency_key_reused: [422, 'This Idempotency-Key was used for another request'],
  client_ref_reused: [
    422,
    'This client_ref was used for a message to another number, with another text or with other files',
  ],
  owned_by_campaign: [409, 'The text belongs to a campaign: change, retry or cancel the campaign'],
  message_id_in_use: [409, 'A message with this id was sent before'],
  destination_stopped: [
    403,
    'Codes to this country are stopped, since too few were entered (code_stopped of user_settings)',
  ],
  sender_limit_reached: [
    429,
    'As many codes were sent for this network or this account as an hour may have.',
  ],
  resend_too_soon: [429, 'A code was sent to this number just now. Wait before it is sent again.'],
  number_limit_reached: [429, 'This number was sent as many codes as it may get.'],
  verification_not_found: [404, 'Verification not found'],
  service_not_found: [404, 'Service not found'],
  recipient_opted_out: [403, 'The recipient has opted out of your texts'],
  quota_exceeded: [402, 'Monthly message quota exceeded'],
  no_devices: [503, 'No devices available to send messages'],
} as const satisfies Refusals

export type RefusalCode = keyof typeof REFUSALS

/** An error of REFUSALS. See `makeErrorFactory`. */
export const gatewayRefusal = makeErrorFactory(REFUSALS)

export const isRefusal = (error: unknown, code: RefusalCode): boolean =>
  error instanceof GatewayError && error.body.error === code

/** 400 for a text that is no number in E.164. For a national number the hint says what to do. */
export const makePhoneError = (given: string) =>
  gatewayRefusal(
    'invalid_phone_number',
    undefined,
    /^\(?0[1-9]/.test(given)
      ? 'Replace the first 0 by the country code, as in +4915112345678.'
      : undefined,
  )

/** 400 for an invalid template, or a variable without a value. */
export const makeTemplateError = (message: string) => gatewayRefusal('invalid_template', message)
