import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { queries } from '../../db/queries.ts'
import { GatewayError } from '../../errors.ts'
import { dateOf } from '../../fields/date.ts'
import type { ResponseHead } from '../../outgoing/send.ts'
import type { OtherForms } from '../../webhooks/call-webhook.ts'
import type { DueDelivery } from '../../webhooks/due-delivery.ts'
import { keptAnswer, reasonOf } from '../../webhooks/kept-answer.ts'
import { TEST_EVENT } from '../../webhooks/send-test.ts'
import {
  type Caller,
  type CallServices,
  callerFor,
  type Form,
  failed,
  isSuccess,
  type Outcome,
  outcomeOf,
  readAnswer,
  unanswered,
} from './caller.ts'
import { KEY_DELETED } from './extensions.ts'
import { mediaPath, twilioState } from './messages.ts'
import { optOutType } from './opt-out-type.ts'
import {
  type AnsweredText,
  checkReplies,
  findAnswered,
  planReplies,
  type Reply,
  sendReplies,
} from './replies.ts'
import { API_VERSION, refusalFor, sidOf, TwilioRefusal } from './wire.ts'

const STATUS_EVENT = 'message.status'

/**
 * The key to sign with, and the method of the `SmsUrl`. After a rotation of the API key, the old secret signs
 * until the new one is used.
 */
const findSigning = (db: Db, { webhook, apiKey, user }: DueDelivery) =>
  queries(db)
    .selectFrom('api_keys as k')
    .leftJoin('webhooks as w', (join) => join.on('w.id', '=', webhook))
    .leftJoin('twilio_numbers as n', 'n.device', 'w.device')
    .select([
      sql<string>`case when k.previous_until > pb_text(now()) and k.last_used_prefix <> k.prefix
        then k.previous_signing else k.signing end`.as('signing'),
      sql<'GET' | 'POST'>`coalesce(n.sms_method, 'POST')`.as('method'),
    ])
    .where('k.id', '=', apiKey)
    .where(sql`k."user" || ''`, '=', user)
    .where('k.signing', '<>', '')
    .executeTakeFirst()

/** Makes webhook calls in Twilio's form for statuses and incoming texts. Their answers may have replies. */
export const twilioCalls =
  (servicesOf: (user: string) => CallServices): OtherForms['call'] =>
  async (due, signal) => {
    const begun = performance.now()
    const outcome = await callOnce(servicesOf(due.user), due, signal)
    return { ...outcome, latencyMs: Math.round(performance.now() - begun) }
  }

async function callOnce(services: CallServices, due: DueDelivery, signal: AbortSignal): Promise<Outcome> {
  const { store, config } = services
  const signing = await findSigning(store.db, due)
  if (!signing) return failed(0, KEY_DELETED)
  const { signing: signingKey, method } = signing
  const caller = callerFor(due, await formOf(services, due), signingKey, config, signal)
  const outcome = await outcomeOfCall(services, caller, due, method)
  return { ...outcome, ...(caller.firstHeaders && { headers: caller.firstHeaders }) }
}

/** The body of a call, as it is shown to the webhook's user. */
export const twilioBody = async (services: CallServices, due: DueDelivery): Promise<string> =>
  new URLSearchParams([...(await formOf(services, due))]).toString()

const formOf = async (services: CallServices, due: DueDelivery): Promise<Form> =>
  due.event === STATUS_EVENT ? statusForm(due.image, due.user) : incomingForm(services, due)

/** A message's row as an event left it, with its device's number (`device_phone`) and origin (`origin`). */
type Image = Readonly<Record<string, unknown>>

const textIn = (image: Image, name: string) => String(image[name] ?? '')

const commonPairs = (image: Image, user: string): [string, string][] => [
  ['AccountSid', sidOf('AC', user)],
  ['ApiVersion', API_VERSION],
  ['To', textIn(image, 'to')],
  ...['MessageSid', 'SmsSid'].map((name): [string, string] => [name, sidOf('SM', textIn(image, 'id'))]),
]

/** A status callback's parameters, without empty ones: some parsers drop those, breaking the signature. */
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
async function incomingForm(services: CallServices, { image, user, files }: DueDelivery): Promise<Form> {
  const pairs: [string, string][] = [
    ...commonPairs(image, user),
    ['Body', textIn(image, 'body')],
    ['From', textIn(image, 'from')],
    ['SmsMessageSid', sidOf('SM', textIn(image, 'id'))],
    ['NumMedia', String(files.length)],
    ['NumSegments', String(Number(image.segments ?? 1))],
    ['SmsStatus', 'received'],
    ['OptOutType', await optOutType(services, user, image.body)],
    ...files.flatMap(({ name, type }, i): [string, string][] => [
      [`MediaUrl${i}`, services.config.publicUrl + mediaPath(user, textIn(image, 'id'), name)],
      [`MediaContentType${i}`, type],
    ]),
  ]
  return new Map(pairs.filter(([name, value]) => name === 'Body' || value !== ''))
}

const MAX_REDIRECTS = 10
/** Replies are sent only until this long after the incoming text was received. */
const MAX_AGE_MS = 3_600_000

/** Twilio's error code for a call that was not answered with 2xx. */
const NO_SUCCESS = 11200

/** Calls the address. For an incoming text, sends the replies in the answer. */
async function outcomeOfCall(
  services: CallServices,
  caller: Caller,
  due: DueDelivery,
  method: 'GET' | 'POST',
): Promise<Outcome> {
  const isText = due.event !== STATUS_EVENT
  let answer: ResponseHead
  try {
    answer = await caller.call(due.url, isText ? method : 'POST')
  } catch (error) {
    if (caller.signal.aborted) throw error
    return unanswered(`${isText ? `${NO_SUCCESS} ` : ''}${reasonOf(error)}`)
  }
  const { status, body } = answer
  if (isText && !isSuccess(status)) return outcomeOf(status, `${NO_SUCCESS} The address answered ${status}`)
  const receivedMs = dateOf(String(due.image.created))?.getTime() ?? 0
  const mayReply = isText && due.event !== TEST_EVENT && Date.now() - receivedMs < MAX_AGE_MS
  const error = mayReply ? await reply(services, caller, due, answer) : undefined
  if (error) return failed(status, `${error.code} ${error.message}`)
  return outcomeOf(status, keptAnswer(body, due.url))
}

/** Sends the replies in an answer. Returns the error that prevented some of them, if any. */
async function reply(services: CallServices, caller: Caller, due: DueDelivery, answer: ResponseHead) {
  const { user, apiKey: key, image } = due
  const [message, device, from] = [image.id, image.device, image.from].map(String) as [string, string, string]
  const text = { user, message, device, from, key }
  try {
    if (await findAnswered(services.store.db, text.message)) return undefined
    const { replies, error } = await collectReplies(services, caller, text, answer, due.url)
    // if an error prevented all replies, nothing is stored: the call can be repeated
    if (replies.length > 0 || !error) await sendReplies(services, text, replies)
    return error
  } catch (error) {
    // an internal error: the call is repeated when the lease of the delivery ends
    if (!(error instanceof GatewayError)) throw error
    return refusalFor(error)
  }
}

/** The replies in an answer and in the documents to which it redirects, up to the first fault (`error`). */
async function collectReplies(
  { store, config }: CallServices,
  caller: Caller,
  text: AnsweredText,
  first: ResponseHead,
  address: string,
): Promise<{ readonly replies: readonly Reply[]; readonly error: TwilioRefusal | undefined }> {
  const replies: Reply[] = []
  let [answer, base] = [first, address]
  try {
    for (let redirects = 0; ; redirects++) {
      const { messages, redirect } = readAnswer(answer.headers, answer.body)
      const more = await planReplies(store, text, messages, base, config.webhookAllowPrivate)
      await checkReplies(store, text.user, [...replies, ...more])
      replies.push(...more)
      if (!redirect) return { replies, error: undefined }
      if (redirects === MAX_REDIRECTS)
        throw new TwilioRefusal(NO_SUCCESS, `The answer leads to more than ${MAX_REDIRECTS} others`)
      base = URL.parse(redirect.url, base)?.href ?? ''
      answer = await fetchNext(caller, base, redirect.method)
    }
  } catch (error) {
    if (!(error instanceof TwilioRefusal)) throw error
    return { replies, error }
  }
}

async function fetchNext(caller: Caller, address: string, method: 'GET' | 'POST'): Promise<ResponseHead> {
  const answer = await caller.call(address, method).catch((error: unknown) => {
    if (caller.signal.aborted) throw error
    throw new TwilioRefusal(NO_SUCCESS, reasonOf(error))
  })
  if (isSuccess(answer.status)) return answer
  throw new TwilioRefusal(NO_SUCCESS, `${new URL(address).origin} answered ${answer.status}`)
}
