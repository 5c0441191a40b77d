import { E164, withoutSeparators } from '../../../portable/phone.ts'
import { dateAt, MAX_CHARACTERS } from '../../../sms/send/body.ts'
import { isInvisible } from '../../../sms/send/shape.ts'
import { type Parameters, readAddress } from '../parameters.ts'
import { invalid, TwilioRefusal } from '../refusal.ts'
import { readRequestDate } from '../sid.ts'

const MAX_VALIDITY_SECONDS = 36_000

/** Parameters that are accepted and ignored. */
const WITHOUT_EFFECT = ['MaxPrice', 'Attempt', 'ForceDelivery', 'TrafficType', 'RiskCheck', 'MessageIntent']
/** The only supported value of each parameter. */
const ONLY_VALUES: Readonly<Record<string, string>> = {
  ProvideFeedback: 'false',
  SmartEncoded: 'false',
  ShortenUrls: 'false',
  SendAsMms: 'false',
  ContentRetention: 'retain',
  AddressRetention: 'retain',
}

export const CREATE_PARAMETERS: readonly string[] = [
  'To',
  'From',
  'MessagingServiceSid',
  'Body',
  'StatusCallback',
  'ScheduleType',
  'SendAt',
  'ValidityPeriod',
  'MediaUrl',
  'ContentSid',
  'ContentVariables',
  ...WITHOUT_EFFECT,
  ...Object.keys(ONLY_VALUES),
]

const of = (parameters: Parameters, name: string) => parameters.get(name) ?? ''

/** Throws 20001 for unsupported parameters. */
export function refuseUnsupported(parameters: Parameters): void {
  for (const [name, value] of Object.entries(ONLY_VALUES)) {
    const given = of(parameters, name)
    if (given !== '' && given.toLowerCase() !== value) throw invalid(`${name} can be ${value} only`)
  }
}

/** The recipient, in E.164. Throws 21604, 21211. */
export function readTo(parameters: Parameters): string {
  const to = withoutSeparators(of(parameters, 'To'))
  if (to === '') throw new TwilioRefusal(21604, "A 'To' phone number is required")
  if (!E164.test(to)) throw new TwilioRefusal(21211, "The 'To' number is not a valid phone number in E.164")
  if (to === withoutSeparators(of(parameters, 'From')))
    throw new TwilioRefusal(21211, "'To' and 'From' are the same number")
  return to
}

/** The number to send from, '' when none was named. Throws 21212. */
export function readFrom(parameters: Parameters): string {
  const from = withoutSeparators(of(parameters, 'From'))
  if (from === '' || E164.test(from)) return from
  throw new TwilioRefusal(21212, "The 'From' number is not a valid phone number in E.164")
}

/** Throws 21622, 21655: there are only texts. */
export function refuseMedia(parameters: Parameters): void {
  if (of(parameters, 'MediaUrl') !== '') throw new TwilioRefusal(21622, 'MMS is not supported here')
  if (of(parameters, 'ContentSid') !== '' || of(parameters, 'ContentVariables') !== '')
    throw new TwilioRefusal(21655, 'Content templates are not supported here: send a Body')
}

/** The text. Throws 21602, 21617. */
export function readBody(parameters: Parameters): string {
  const body = of(parameters, 'Body')
  if (isInvisible(body)) throw new TwilioRefusal(21602, 'A message body is required')
  if (body.length > MAX_CHARACTERS && [...body].length > MAX_CHARACTERS)
    throw new TwilioRefusal(21617, `The message body has more than ${MAX_CHARACTERS} characters`)
  return body
}

/** When to send, in ms since 1970; undefined for now. Throws 35126, 35111, 35114, 20001. */
export function readSchedule(parameters: Parameters, nowMs: number): number | undefined {
  const [type, sendAt] = [of(parameters, 'ScheduleType'), of(parameters, 'SendAt')]
  if (type !== '' && type !== 'fixed') throw new TwilioRefusal(35126, "ScheduleType can be 'fixed' only")
  if (type === '' && sendAt !== '') throw invalid("SendAt needs ScheduleType 'fixed'")
  if (type === '') return undefined
  if (sendAt === '') throw new TwilioRefusal(35111, 'ScheduleType needs SendAt')
  const at = readRequestDate(sendAt)
  if (at && !at.isDay && at.ms > nowMs) return at.ms
  throw new TwilioRefusal(35114, 'SendAt must be an ISO 8601 instant in the future')
}

/** The end of a message, in the stored form; '' for none. Throws 21624. */
export function readExpiry(parameters: Parameters, dueMs: number): string {
  const text = of(parameters, 'ValidityPeriod')
  if (text === '') return ''
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (seconds >= 1 && seconds <= MAX_VALIDITY_SECONDS) return dateAt(dueMs + seconds * 1000)
  throw new TwilioRefusal(21624, `ValidityPeriod must be 1 to ${MAX_VALIDITY_SECONDS} seconds`)
}

/** Where the statuses go; '' for nowhere. Throws 21609. */
export function readCallback(parameters: Parameters, allowPrivate: boolean): string {
  const url = of(parameters, 'StatusCallback')
  return url === '' ? '' : readAddress('StatusCallback', url, 21609, allowPrivate)
}
