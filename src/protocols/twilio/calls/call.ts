import type { Config } from '../../../config.ts'
import { oneOf, runForRow, statement, text, unindexed } from '../../../db/statement.ts'
import { readOptWord } from '../../../sms/queue/opt-out.ts'
import { type OtherForms, readable, reasonOf } from '../../../webhooks/call-webhook.ts'
import type { DueDelivery } from '../../../webhooks/due.ts'
import { KEY_DELETED } from '../extensions.ts'
import { mediaPath } from '../messages/media.ts'
import { twilioState } from '../messages/message.ts'
import { API_VERSION, sidOf } from '../refusal.ts'
import { callForText } from './call-for-text.ts'
import {
  type Caller,
  type CallServices,
  callerFor,
  type Form,
  failed,
  type Outcome,
  outcomeOf,
  unanswered,
} from './caller.ts'

const STATUS_EVENT = 'message.status'

/** The key of the signatures, of the old secret until the new one is used; how the `SmsUrl` is called. */
const SIGNING = statement('twilio signing', { signing: 'string', method: oneOf<'GET' | 'POST'>() })`
select case when k.previous_until > pb_text(now()) and k.last_used_prefix <> k.prefix then k.previous_signing
  else k.signing end as signing, coalesce(n.sms_method, 'POST') as method from api_keys k
left join webhooks w on w.id = ${text('webhook')} left join twilio_numbers n on n.device = w.device
where k.id = ${text('apiKey')} and ${unindexed('k."user"')} = ${text('user')} and k.signing <> ''`

/** Makes the calls in Twilio's form: for statuses, and for incoming texts, whose answers may send replies. */
export const twilioCalls =
  (servicesOf: (user: string) => CallServices): OtherForms['call'] =>
  async (due, signal) => {
    const begun = performance.now()
    const outcome = await callOnce(servicesOf(due.user), due, signal)
    return { ...outcome, latencyMs: Math.round(performance.now() - begun) }
  }

async function callOnce(services: CallServices, due: DueDelivery, signal: AbortSignal): Promise<Outcome> {
  const { store, config } = services
  const signing = await runForRow(store.db, SIGNING, due)
  if (!signing) return failed(0, KEY_DELETED)
  const { signing: signingKey, method } = signing
  const caller = callerFor(due, formOf(due, config), signingKey, config, signal)
  const outcome = await (due.event === STATUS_EVENT
    ? callForStatus(caller, due)
    : callForText(services, caller, due, method))
  return { ...outcome, ...(caller.firstHeaders && { headers: caller.firstHeaders }) }
}

/** The body of a call, as it is shown to the webhook's user. */
export const twilioBody = (due: DueDelivery, config: FormConfig): string =>
  new URLSearchParams([...formOf(due, config)]).toString()

const formOf = (due: DueDelivery, config: FormConfig): Form =>
  due.event === STATUS_EVENT ? statusForm(due.image, due.user) : incomingForm(due, config)

type FormConfig = Pick<Config, 'optWords' | 'publicUrl'>

async function callForStatus(caller: Caller, due: DueDelivery): Promise<Outcome> {
  try {
    const { status, body } = await caller.call(due.url, 'POST')
    return outcomeOf(status, readable(body.toString('utf8')))
  } catch (error) {
    if (caller.signal.aborted) throw error
    return unanswered(reasonOf(error))
  }
}

/** A message's row as an event left it, with its device's number (`device_phone`) and origin (`origin`). */
type Image = Readonly<Record<string, unknown>>

const textIn = (image: Image, name: string) => String(image[name] ?? '')

const commonPairs = (image: Image, user: string): [string, string][] => [
  ['AccountSid', sidOf('AC', user)],
  ['ApiVersion', API_VERSION],
  ['To', textIn(image, 'to')],
  ...['MessageSid', 'SmsSid'].map((name): [string, string] => [name, sidOf('SM', textIn(image, 'id'))]),
]

/** A status callback. Empty parameters are left out: some parsers drop them, breaking the signature. */
function statusForm(image: Image, user: string): Form {
  const { status, errorCode } = twilioState(image as Parameters<typeof twilioState>[0], '')
  const pairs: [string, string][] = [
    ...commonPairs(image, user),
    ['From', textIn(image, 'from') || textIn(image, 'device_phone')],
    ['MessageStatus', status],
    ['SmsStatus', status],
    ['ErrorCode', errorCode === null ? '' : String(errorCode)],
    ['ErrorMessage', errorCode === null ? '' : textIn(image, 'error_message')],
    ['MessagingServiceSid', (image.origin as { service?: boolean }).service ? sidOf('MG', user) : ''],
  ]
  return new Map(pairs.filter(([, value]) => value !== ''))
}

/** The parameters of the call for an incoming text. `Body` is sent even when it is empty. */
function incomingForm({ image, user, files }: DueDelivery, { optWords, publicUrl }: FormConfig): Form {
  const isOut = readOptWord(textIn(image, 'body'), optWords)
  const pairs: [string, string][] = [
    ...commonPairs(image, user),
    ['Body', textIn(image, 'body')],
    ['From', textIn(image, 'from')],
    ['SmsMessageSid', sidOf('SM', textIn(image, 'id'))],
    ['NumMedia', String(files.length)],
    ['NumSegments', String(Number(image.segments ?? 1))],
    ['SmsStatus', 'received'],
    ['OptOutType', isOut === undefined ? '' : isOut ? 'STOP' : 'START'],
    ...files.flatMap(({ name, type }, i): [string, string][] => [
      [`MediaUrl${i}`, publicUrl + mediaPath(user, textIn(image, 'id'), name)],
      [`MediaContentType${i}`, type],
    ]),
  ]
  return new Map(pairs.filter(([name, value]) => name === 'Body' || value !== ''))
}
