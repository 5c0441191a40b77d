import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import { oneOf, runForRow, statement, text, unindexed } from '../../db/statement.ts'
import { GatewayError } from '../../errors.ts'
import { cleanText } from '../../fields/cast.ts'
import { dateOf } from '../../fields/date.ts'
import { type ResponseHead, urlFault } from '../../outgoing/send.ts'
import { readOptWord } from '../../portable/opt-words.ts'
import { E164 } from '../../portable/phone/e164.ts'
import { MAX_CHARACTERS, PLAIN_OPTIONS, toOne } from '../../sms/send/body.ts'
import { optedOut } from '../../sms/send/content.ts'
import { readNumbers } from '../../sms/send/read-numbers.ts'
import { prepareOffer, sendInside } from '../../sms/send/send.ts'
import { accountSender } from '../../sms/send/sender.ts'
import { isInvisible } from '../../sms/send/shape.ts'
import { wakeDevices } from '../../sms/wake.ts'
import type { DueDelivery, OtherForms } from '../../webhooks/call-webhook.ts'
import { TEST_EVENT } from '../../webhooks/deliveries.ts'
import { keptAnswer, reasonOf } from '../../webhooks/kept-answer.ts'
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
  type TwimlMessage,
  unanswered,
} from './caller.ts'
import { KEY_DELETED } from './extensions.ts'
import { mediaPath, originOf, twilioState } from './messages.ts'
import { type NumberSender, sendersFrom } from './numbers.ts'
import { API_VERSION, refusalFor, sidOf, TwilioRefusal } from './wire.ts'

const STATUS_EVENT = 'message.status'

/**
 * The key to sign with, and the method of the `SmsUrl`. After a rotation of the API key, the old secret signs
 * until the new one is used.
 */
const SIGNING = statement('twilio signing', { signing: 'string', method: oneOf<'GET' | 'POST'>() })`
select case when k.previous_until > pb_text(now()) and k.last_used_prefix <> k.prefix then k.previous_signing
  else k.signing end as signing, coalesce(n.sms_method, 'POST') as method from api_keys k
left join webhooks w on w.id = ${text('webhook')} left join twilio_numbers n on n.device = w.device
where k.id = ${text('apiKey')} and ${unindexed('k."user"')} = ${text('user')} and k.signing <> ''`

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
  const signing = await runForRow(store.db, SIGNING, due)
  if (!signing) return failed(0, KEY_DELETED)
  const { signing: signingKey, method } = signing
  const caller = callerFor(due, formOf(due, config), signingKey, config, signal)
  const outcome = await outcomeOfCall(services, caller, due, method)
  return { ...outcome, ...(caller.firstHeaders && { headers: caller.firstHeaders }) }
}

/** The body of a call, as it is shown to the webhook's user. */
export const twilioBody = (due: DueDelivery, config: Config): string =>
  new URLSearchParams([...formOf(due, config)]).toString()

const formOf = (due: DueDelivery, config: Config): Form =>
  due.event === STATUS_EVENT ? statusForm(due.image, due.user) : incomingForm(due, config)

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
function incomingForm({ image, user, files }: DueDelivery, { optWords, publicUrl }: Config): Form {
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
    const { rows: answers } = await services.store.db.query(IS_ANSWERED, [text.message], 'twilio is answered')
    if (answers.length > 0) return undefined
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

/** The incoming text of a call. `key`: the API key that signs the status callbacks of replies. */
type AnsweredText = Readonly<Record<'user' | 'message' | 'device' | 'from' | 'key', string>>

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

type Reply = NumberSender & Readonly<Record<'to' | 'body' | 'callback', string>>

const MAX_REPLIES = 10
/** Maximum replies from one device to one number within so many seconds. */
const MAX_BETWEEN = { replies: 15, seconds: 30 }

/** The replies of a TwiML document. `base`: its address. Throws a TwilioRefusal for the first fault. */
async function planReplies(
  store: Store,
  text: AnsweredText,
  messages: readonly TwimlMessage[],
  base: string,
  allowPrivate: boolean,
): Promise<Reply[]> {
  const replies: Reply[] = []
  // read one more than allowed, so that too many are refused; each takes a query, and 1,500 would fit
  for (const message of messages.slice(0, MAX_REPLIES + 1)) {
    const [given, from] = await readNumbers(store, text.user, [message.to, message.from])
    const to = message.to.trim() === '' ? text.from : given
    if (!to || !E164.test(to)) throw new TwilioRefusal(14101, "The 'to' of a <Message> is no phone number")
    const sender = await senderFor(store, text, message.from.trim() === '' ? '' : (from ?? message.from))
    const body = cleanText(message.body)
    if (isInvisible(body) || [...body].length > MAX_CHARACTERS)
      throw new TwilioRefusal(14103, `A <Message> must have 1 to ${MAX_CHARACTERS} characters`)
    replies.push({ ...sender, to, body, callback: callbackOf(message.callback, base, allowPrivate) })
  }
  return replies
}

/** The device or line with the number `from`, preferably on the text's device. For '', the text's device. */
async function senderFor(store: Store, text: AnsweredText, from: string): Promise<NumberSender> {
  if (from === '') return { device: text.device, line: '' }
  const senders = await sendersFrom(store, text.user, from)
  const sender = senders.find(({ device }) => device === text.device) ?? senders[0]
  if (!sender) throw new TwilioRefusal(14102, "The 'from' of a <Message> is not one of your numbers")
  return sender
}

/** A callback's absolute address; '' if it cannot be called: the message is sent without a callback. */
function callbackOf(address: string, base: string, allowPrivate: boolean): string {
  if (address === '') return ''
  const url = URL.parse(address, base)?.href ?? ''
  return urlFault(url, allowPrivate) === undefined ? url : ''
}

const BETWEEN = `
select count(*) from sms_messages m join sms_origins o on o.ref = m.id and (o.data ->> 'reply')::boolean
where m."user" = $1 and m."to" = $2 and m.device || '' = $3 and m.created || '' > pb_text(now() - interval '${MAX_BETWEEN.seconds} seconds')`

/** Throws TwilioRefusal for too many replies, and for one whose recipient has opted out. */
async function checkReplies(store: Store, user: string, replies: readonly Reply[]): Promise<void> {
  if (replies.length > MAX_REPLIES)
    throw new TwilioRefusal(14109, `A text gets at most ${MAX_REPLIES} replies`)
  const recipients = replies.map(({ to }) => to)
  if ((await optedOut(store, user, recipients)).size > 0)
    throw new TwilioRefusal(21610, 'The recipient of a reply has opted out')
  const pairs = Map.groupBy(replies, ({ to, device }) => `${to} ${device}`)
  for (const [{ to, device }, ...more] of pairs.values() as Iterable<[Reply, ...Reply[]]>) {
    const { rows } = await store.db.query(BETWEEN, [user, to, device])
    const text = `${MAX_BETWEEN.replies} replies between two numbers in ${MAX_BETWEEN.seconds} s`
    if (Number(rows[0]![0]) + 1 + more.length > MAX_BETWEEN.replies) throw new TwilioRefusal(14107, text)
  }
}

const IS_ANSWERED = 'select 1 from twilio_answers where message = $1'
const ANSWER = 'insert into twilio_answers (message) values ($1) on conflict (message) do nothing returning 1'

/** Sends all replies to a text or none, unless an earlier attempt did. Throws the refusals of a send. */
async function sendReplies(
  { store, config }: CallServices,
  { message, user, key }: AnsweredText,
  replies: readonly Reply[],
): Promise<void> {
  const sender = accountSender(user, key || user)
  const wake: string[] = []
  await store.db.transaction(async (db) => {
    const { rows } = await db.query(ANSWER, [message])
    if (!rows[0]) return
    const inside = { db, catalog: store.catalog }
    for (const { to, body, device, line, callback } of replies) {
      const options = { ...PLAIN_OPTIONS, origin: originOf(key, callback, { reply: true }) }
      const request = toOne(to, body, options, device, line)
      const offer = await prepareOffer(inside, config.maxRecipients, sender, request)
      wake.push(...(await sendInside(inside, config, offer)))
    }
  })
  wakeDevices(store.db, wake)
}
