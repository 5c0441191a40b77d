import { z } from 'zod'
import { GatewayError } from '../../errors.ts'
import { cleanText } from '../../fields/cast.ts'
import { dateOf, parseDate } from '../../fields/date.ts'

/** Makes a failed zod check end the parse, so that a list with a million errors creates only one. */
const stop = (error: string) => ({ error, abort: true })

/** Makes texts of the schema storable in Postgres, and refuses texts of more than `max` code points. */
function cleaned(raw: z.ZodString, max?: number) {
  const text = raw.transform(cleanText)
  if (max === undefined) return text
  return text
    .refine(
      (value) => value.length <= max || [...value].length <= max,
      stop(`must have at most ${max} characters`),
    )
    .meta({ maxLength: max })
}

/** The schema of a text of at most `max` code points. Its output can be stored in Postgres. */
export const text = (max?: number) => cleaned(z.string(), max)

const nonEmpty = <T extends z.ZodType<string>>(schema: T) =>
  schema.refine((value) => value !== '', stop('must not be empty')).meta({ minLength: 1 })

export const nonEmptyText = (max?: number) => nonEmpty(text(max))

/** The schema of an id. Refuses NUL characters: if they were removed, the id could name another record. */
export const id = (max?: number) =>
  cleaned(
    z.string().refine((value) => !value.includes('\0'), stop('must not contain a NUL character')),
    max,
  )

export const nonEmptyId = (max?: number) => nonEmpty(id(max))

/** Matches texts of blanks and invisible characters only: control, zero-width and filler characters. */
const INVISIBLE = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u

export const isInvisible = (text: string): boolean => INVISIBLE.test(text)

export const visibleText = () =>
  text()
    .refine((value) => !INVISIBLE.test(value), stop('must have a visible character'))
    .meta({ minLength: 1 })

export const wholeNumber = (min: number, max: number) => {
  const fault = `must be a whole number from ${min} to ${max}`
  return z.int(fault).min(min, stop(fault)).max(max, stop(fault))
}

/** The last year of accepted dates: JavaScript, Postgres and PocketBase all support 1970 to 9999. */
const LAST_YEAR = 9999

/** The schema of an instant in any notation that PocketBase knows. Its output is milliseconds since 1970. */
export const instant = () =>
  z
    .string('must be a date')
    .transform((raw, issues) => {
      const at = dateOf(parseDate(raw))
      if (at && at.getTime() >= 0 && at.getUTCFullYear() <= LAST_YEAR) return at.getTime()
      issues.addIssue({
        code: 'custom',
        message: 'must be a date, for example 2026-11-20T07:00:00.000Z',
        continue: false,
      })
      return z.NEVER
    })
    .describe('An instant, as `2026-11-20T07:00:00.000Z`.')

/** A list of one to `max` items. */
export const listOf = <T extends z.ZodType>(item: T, max: number) =>
  z.array(item).min(1, 'must not be empty').max(max, `must have at most ${max} items`)

/** `abortEarly` ends lists and objects at their first fault. zod 4.6 reads it, but its types lack it. */
const FIRST_FAULT = { error: inPlainWords, abortEarly: true }

/** Parses a body, or its part at `place`. Throws 400 for the first error only: all in 4 MB took 10 s. */
export function checkShape<T extends z.ZodType>(
  schema: T,
  raw: unknown,
  place: readonly PropertyKey[] = [],
): z.output<T> {
  const parsed = schema.safeParse(raw, FIRST_FAULT)
  if (parsed.success) return parsed.data
  throw invalid(describeFault(parsed.error.issues[0]!, raw, place))
}

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** What error messages call zod's types, for schemas without a message of their own. */
const TYPES: Readonly<Record<string, string>> = {
  object: 'an object',
  record: 'an object',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
}

const ALTERNATIVES = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** Zod's error map. A message ends a sentence; for a union it is '', because its members have messages. */
function inPlainWords(issue: z.core.$ZodRawIssue) {
  if (issue.code === 'invalid_union') return ''
  if (issue.code === 'invalid_value') return `must be ${ALTERNATIVES.format(issue.values.map(String))}`
  const type = issue.code === 'invalid_type' && TYPES[String(issue.expected)]
  return type ? `must be ${type}` : 'has a value that is not allowed'
}

/** Describes a fault: `items[2].attempt must be a whole number`. `place`: where `raw` is in the body. */
function describeFault(issue: Issue, raw: unknown, place: Path = []): string {
  if (issue.code === 'invalid_union' && issue.message === '')
    return describeFault(likeliest(issue, raw), raw, place)
  const path = [...place, ...issue.path]
  if (issue.code === 'unrecognized_keys')
    return `${nameOf([...path, issue.keys[0]!])} is not a field of this request`
  if (path.length > 0) return `${nameOf(path)} ${isMissing(raw, issue.path) ? 'is required' : issue.message}`
  if (issue.code !== 'invalid_type') return `The body ${issue.message}`
  return `The body must be a JSON ${issue.expected === 'array' ? 'list' : 'object'}`
}

const nameOf = (path: Path) =>
  path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '')

/** The likeliest fault of a union: in a present value if possible, the deepest one, the last of equals. */
function likeliest(issue: z.core.$ZodIssueInvalidUnion, raw: unknown): Issue {
  const first = issue.errors.flatMap(([fault]) =>
    fault ? [{ ...fault, path: [...issue.path, ...fault.path] }] : [],
  )
  const rank = ({ path }: Issue) => (isMissing(raw, path) ? 0 : 1_000) + path.length
  return first.reduce((best, fault) => (rank(fault) >= rank(best) ? fault : best))
}

function isMissing(raw: unknown, path: Path) {
  let at = raw
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return true
    at = (at as Record<PropertyKey, unknown>)[key]
  }
  return false
}

/** Refusals of the gateway's own endpoints: HTTP status and message ('' if each case has its own). */
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
  destination_not_allowed: [403, 'The account or the API key may not send to this number (destinations)'],
  device_not_found: [404, 'Device not found'],
  line_not_found: [404, 'Line not found'],
  line_ambiguous: [409, 'Several lines have this number. Name one by its line_id.'],
  line_not_allowed: [403, 'The API key may not send by this line or device (lines)'],
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
  owned_by_campaign: [409, 'The text belongs to a campaign: change, retry or cancel the campaign'],
  message_id_in_use: [409, 'A message with this id was sent before'],
  request_too_large: [413, ''],
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
} as const satisfies Record<string, readonly [status: number, message: string]>

/** The `error` of refusals that are not in REFUSALS, by HTTP status, for example for an unknown route. */
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

/** A refusal that is answered with `{"error","message"}`. `message` replaces the one in REFUSALS. */
export function gatewayRefusal(error: RefusalCode, message?: string): GatewayError {
  const [status, fixed] = REFUSALS[error]
  return new GatewayError(status, { error, message: message ?? fixed })
}

export const isRefusal = (error: unknown, code: RefusalCode): boolean =>
  error instanceof GatewayError && error.body.error === code

/** 400 with a message that says what is wrong with the request. */
export const invalid = (message: string) => gatewayRefusal('invalid_request', message)

/** 400 for an invalid template. The answer has only a message, no `error`. */
export const templateRefusal = (message: string) => new GatewayError(400, { message })
