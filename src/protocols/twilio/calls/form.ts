import { type OptWords, readOptWord } from '../../../sms/queue/opt-out.ts'
import { API_VERSION } from '../messages/message.ts'
import { twilioState } from '../messages/status.ts'
import { sidOf } from '../sid.ts'
import type { Form } from './signature.ts'

/** A message's row as an event left it, by columns, with the number of its device and the service. */
export type Image = Readonly<Record<string, unknown>>

const text = (image: Image, name: string) => String(image[name] ?? '')

/** A status callback. Empty parameters are left out: some parsers drop them, breaking the signature. */
export function statusForm(image: Image, user: string): Form {
  const columns = ['status', 'scheduled_at', 'sent_at', 'error_message'] as const
  const row = Object.fromEntries(columns.map((name) => [name, text(image, name)]))
  const { status, errorCode } = twilioState(row as Record<(typeof columns)[number], string>, '')
  const sid = sidOf('SM', text(image, 'id'))
  const pairs: [string, string][] = [
    ['AccountSid', sidOf('AC', user)],
    ['ApiVersion', API_VERSION],
    ['From', text(image, 'from') || text(image, 'device_phone')],
    ['To', text(image, 'to')],
    ['MessageSid', sid],
    ['SmsSid', sid],
    ['MessageStatus', status],
    ['SmsStatus', status],
    ['ErrorCode', errorCode === null ? '' : String(errorCode)],
    ['ErrorMessage', errorCode === null ? '' : text(image, 'error_message')],
    ['MessagingServiceSid', (image.origin as { service?: boolean }).service ? sidOf('MG', user) : ''],
  ]
  return new Map(pairs.filter(([, value]) => value !== ''))
}

/** The parameters of the call for an incoming text. `Body` is there even when it is empty. */
export function incomingForm(image: Image, user: string, words: OptWords): Form {
  const sid = sidOf('SM', text(image, 'id'))
  const isOut = readOptWord(text(image, 'body'), words)
  const pairs: [string, string][] = [
    ['AccountSid', sidOf('AC', user)],
    ['ApiVersion', API_VERSION],
    ['Body', text(image, 'body')],
    ['From', text(image, 'from')],
    ['To', text(image, 'to')],
    ['MessageSid', sid],
    ['SmsSid', sid],
    ['SmsMessageSid', sid],
    ['NumMedia', '0'],
    ['NumSegments', String(Number(image.segments ?? 1))],
    ['SmsStatus', 'received'],
    ['OptOutType', isOut === undefined ? '' : isOut ? 'STOP' : 'START'],
  ]
  return new Map(pairs.filter(([name, value]) => name === 'Body' || value !== ''))
}
