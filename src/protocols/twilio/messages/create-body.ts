import { formatDate } from '../../../fields/types/date.ts'
import { E164, withoutSeparators } from '../../../portable/phone.ts'
import { dateAt, MAX_CHARACTERS } from '../../../sms/send/body.ts'
import { isInvisible } from '../../../sms/send/shape.ts'
import { idOf, invalid, type Parameters, readAddress, readRequestDate, TwilioRefusal } from '../refusal.ts'

const MAX_VALIDITY_SECONDS = 36_000

const WITHOUT_EFFECT = ['MaxPrice', 'Attempt', 'ForceDelivery', 'TrafficType', 'RiskCheck', 'MessageIntent']
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

/** A checked request to send. Dates are in the stored form; '' stands for none. */
export type NewMessage = ReturnType<typeof readNewMessage>

/** Checks the parameters in Twilio's order. Throws a TwilioRefusal for the first that is wrong. */
export function readNewMessage(parameters: Parameters, user: string, now: Date, allowPrivate: boolean) {
  const of = (name: string) => parameters.get(name) ?? ''
  for (const [name, value] of Object.entries(ONLY_VALUES))
    if (of(name) !== '' && of(name).toLowerCase() !== value) throw invalid(`${name} can be ${value} only`)
  const [to, from] = [withoutSeparators(of('To')), withoutSeparators(of('From'))]
  if (to === '') throw new TwilioRefusal(21604, "A 'To' phone number is required")
  if (!E164.test(to)) throw new TwilioRefusal(21211, "The 'To' number is not a valid phone number in E.164")
  if (to === from) throw new TwilioRefusal(21211, "'To' and 'From' are the same number")
  if (from !== '' && !E164.test(from))
    throw new TwilioRefusal(21212, "The 'From' number is not a valid phone number in E.164")
  const service = of('MessagingServiceSid')
  if (service !== '' && idOf('MG', service) !== user)
    throw new TwilioRefusal(21701, 'The Messaging Service does not exist')
  if (of('MediaUrl') !== '') throw new TwilioRefusal(21622, 'MMS is not supported here')
  if (of('ContentSid') !== '' || of('ContentVariables') !== '')
    throw new TwilioRefusal(21655, 'Content templates are not supported here: send a Body')
  const body = of('Body')
  if (isInvisible(body)) throw new TwilioRefusal(21602, 'A message body is required')
  if (body.length > MAX_CHARACTERS && [...body].length > MAX_CHARACTERS)
    throw new TwilioRefusal(21617, `The message body has more than ${MAX_CHARACTERS} characters`)
  const due = readSchedule(of('ScheduleType'), of('SendAt'), now)
  const url = of('StatusCallback')
  return {
    ...{ to, from, body, service: service !== '' },
    scheduledAt: due ? formatDate(due) : '',
    expiresAt: readExpiry(of('ValidityPeriod'), due ?? now),
    callback: url && readAddress('StatusCallback', url, 21609, allowPrivate),
  }
}

function readSchedule(type: string, sendAt: string, now: Date): Date | undefined {
  if (type !== '' && type !== 'fixed') throw new TwilioRefusal(35126, "ScheduleType can be 'fixed' only")
  if (type === '' && sendAt !== '') throw invalid("SendAt needs ScheduleType 'fixed'")
  if (type === '') return undefined
  if (sendAt === '') throw new TwilioRefusal(35111, 'ScheduleType needs SendAt')
  const at = readRequestDate(sendAt)
  if (at && !at.isDay && at.ms > now.getTime()) return new Date(at.ms)
  throw new TwilioRefusal(35114, 'SendAt must be an ISO 8601 instant in the future')
}

function readExpiry(period: string, due: Date): string {
  if (period === '') return ''
  const seconds = /^\d{1,5}$/.test(period) ? Number(period) : 0
  if (seconds >= 1 && seconds <= MAX_VALIDITY_SECONDS) return dateAt(due.getTime() + seconds * 1000)
  throw new TwilioRefusal(21624, `ValidityPeriod must be 1 to ${MAX_VALIDITY_SECONDS} seconds`)
}
