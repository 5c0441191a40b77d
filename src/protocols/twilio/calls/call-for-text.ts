import type { Store } from '../../../collections/catalog.ts'
import { GatewayError } from '../../../errors.ts'
import { dateOf } from '../../../fields/types/date.ts'
import { cleanText } from '../../../fields/values/cast.ts'
import { urlFault } from '../../../outgoing/addresses.ts'
import type { ResponseHead } from '../../../outgoing/send.ts'
import { E164, withoutSeparators } from '../../../portable/phone.ts'
import { MAX_CHARACTERS, PLAIN_OPTIONS, toOne } from '../../../sms/send/body.ts'
import { optedOut } from '../../../sms/send/content.ts'
import { prepareOffer, sendInside } from '../../../sms/send/send.ts'
import { accountSender, isInvisible } from '../../../sms/send/shape.ts'
import { wakeDevices } from '../../../sms/wake/wake.ts'
import { readable, reasonOf } from '../../../webhooks/call-webhook.ts'
import type { DueDelivery } from '../../../webhooks/due.ts'
import { originOf } from '../messages/message.ts'
import { type NumberSender, sendersFrom } from '../numbers/number.ts'
import { refusalFor } from '../refusal.ts'
import {
  type Caller,
  type CallServices,
  failed,
  isSuccess,
  type Outcome,
  outcomeOf,
  unanswered,
} from './caller.ts'
import { readAnswer, TwimlError, type TwimlMessage } from './twiml.ts'

const MAX_REDIRECTS = 10
/** The longest time between a text and the call's answer. A later answer sends nothing. */
const MAX_AGE_MS = 3_600_000
const TEST_EVENT = 'webhook.test'

/** Twilio's number of the error for a request that was not answered with success. */
const NO_SUCCESS = 11200

/** Calls the address of an incoming text, and sends the replies that its answer asks for. */
export async function callForText(
  services: CallServices,
  caller: Caller,
  due: DueDelivery,
  method: 'GET' | 'POST',
): Promise<Outcome> {
  let answer: ResponseHead
  try {
    answer = await caller.call(due.url, method)
  } catch (error) {
    if (caller.signal.aborted) throw error
    return unanswered(`${NO_SUCCESS} ${reasonOf(error)}`)
  }
  const { status, body } = answer
  if (!isSuccess(status)) return outcomeOf(status, `${NO_SUCCESS} The address answered ${status}`)
  const error = mayReply(due) ? await reply(services, caller, due, answer) : undefined
  if (error) return failed(status, `${error.code} ${error.message}`)
  return outcomeOf(status, readable(body.toString('utf8')))
}

/** Whether the answer to a call may send replies: not to a test, not to an old text. */
function mayReply({ event, image }: DueDelivery): boolean {
  const receivedMs = dateOf(String(image.created))?.getTime() ?? 0
  return event !== TEST_EVENT && Date.now() - receivedMs < MAX_AGE_MS
}

/** Sends the replies in an answer. Returns the error that prevented some. */
async function reply(services: CallServices, caller: Caller, due: DueDelivery, answer: ResponseHead) {
  const text = answeredText(due)
  try {
    if (await isAnswered(services.store, text)) return undefined
    const { replies, error } = await collectReplies(services, caller, text, answer, due.url)
    // without replies the call can be repeated after a fix
    if (replies.length > 0 || !error) await sendReplies(services, text, replies)
    return error
  } catch (error) {
    if (error instanceof TwimlError) return error
    // internal error: another attempt follows after the lease
    if (!(error instanceof GatewayError)) throw error
    const { code, message } = refusalFor(error)
    return new TwimlError(code, message)
  }
}

/** The text that a call is about. `key`: the API key that signs the callbacks of the replies. */
const answeredText = ({ user, apiKey, image }: DueDelivery) => ({
  user,
  message: String(image.id),
  device: String(image.device),
  from: String(image.from),
  key: apiKey,
})
type AnsweredText = ReturnType<typeof answeredText>

/** Replies of an answer and its redirects. `error`: the first fault; replies are those before it. */
async function collectReplies(
  { store, config }: CallServices,
  caller: Caller,
  text: AnsweredText,
  first: ResponseHead,
  address: string,
): Promise<{ readonly replies: readonly Reply[]; readonly error: TwimlError | undefined }> {
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
        throw new TwimlError(NO_SUCCESS, `The answer leads to more than ${MAX_REDIRECTS} others`)
      base = URL.parse(redirect.url, base)?.href ?? ''
      answer = await fetchNext(caller, base, redirect.method)
    }
  } catch (error) {
    if (!(error instanceof TwimlError)) throw error
    return { replies, error }
  }
}

async function fetchNext(caller: Caller, address: string, method: 'GET' | 'POST'): Promise<ResponseHead> {
  const answer = await caller.call(address, method).catch((error: unknown) => {
    if (caller.signal.aborted) throw error
    throw new TwimlError(NO_SUCCESS, reasonOf(error))
  })
  if (isSuccess(answer.status)) return answer
  throw new TwimlError(NO_SUCCESS, `${new URL(address).origin} answered ${answer.status}`)
}

interface Reply extends NumberSender {
  readonly to: string
  readonly body: string
  readonly callback: string
}

const MAX_REPLIES = 10
/** Limit of replies from one device to one number. */
const MAX_BETWEEN = { replies: 15, seconds: 30 }

/** The replies of a document. `base`: for relative addresses. Throws TwimlError for the first fault. */
async function planReplies(
  store: Store,
  text: AnsweredText,
  messages: readonly TwimlMessage[],
  base: string,
  allowPrivate: boolean,
): Promise<Reply[]> {
  const replies: Reply[] = []
  // one more than allowed, so that too many are refused: a document can have 1,500, with a query each
  for (const message of messages.slice(0, MAX_REPLIES + 1)) {
    const to = withoutSeparators(message.to) || text.from
    if (!E164.test(to)) throw new TwimlError(14101, "The 'to' of a <Message> is no phone number")
    const sender = await senderFor(store, text, withoutSeparators(message.from))
    const body = cleanText(message.body)
    if (isInvisible(body) || [...body].length > MAX_CHARACTERS)
      throw new TwimlError(14103, `A <Message> must have 1 to ${MAX_CHARACTERS} characters`)
    replies.push({ ...sender, to, body, callback: callbackOf(message.callback, base, allowPrivate) })
  }
  return replies
}

/** The sender with this number, preferably the device that got the text; this device for ''. */
async function senderFor(store: Store, text: AnsweredText, from: string): Promise<NumberSender> {
  if (from === '') return { device: text.device, line: '' }
  const senders = await sendersFrom(store, text.user, from)
  const sender = senders.find(({ device }) => device === text.device) ?? senders[0]
  if (!sender) throw new TwimlError(14102, "The 'from' of a <Message> is not one of your numbers")
  return sender
}

/** '' for an address that cannot be called: the message is sent without a callback. */
function callbackOf(address: string, base: string, allowPrivate: boolean): string {
  if (address === '') return ''
  const url = URL.parse(address, base)?.href ?? ''
  return urlFault(url, allowPrivate) === undefined ? url : ''
}

const BETWEEN = `
select count(*) from sms_messages m join sms_origins o on o.ref = m.id and (o.data ->> 'reply')::boolean
where m."user" = $1 and m."to" = $2 and m.device || '' = $3 and m.created || '' > pb_text(now() - interval '${MAX_BETWEEN.seconds} seconds')`

/** Throws TwimlError for too many replies, and for one whose recipient has opted out. */
async function checkReplies(store: Store, user: string, replies: readonly Reply[]): Promise<void> {
  if (replies.length > MAX_REPLIES) throw new TwimlError(14109, `A text gets at most ${MAX_REPLIES} replies`)
  const recipients = replies.map(({ to }) => to)
  if ((await optedOut(store, user, recipients)).size > 0)
    throw new TwimlError(21610, 'The recipient of a reply has opted out')
  const pairs = Map.groupBy(replies, ({ to, device }) => `${to} ${device}`)
  for (const [{ to, device }, ...more] of pairs.values() as Iterable<[Reply, ...Reply[]]>) {
    const { rows } = await store.db.query(BETWEEN, [user, to, device])
    const text = `${MAX_BETWEEN.replies} replies between two numbers in ${MAX_BETWEEN.seconds} s`
    if (Number(rows[0]![0]) + 1 + more.length > MAX_BETWEEN.replies) throw new TwimlError(14107, text)
  }
}

const IS_ANSWERED = 'select 1 from twilio_answers where message = $1'

async function isAnswered({ db }: Store, { message }: AnsweredText): Promise<boolean> {
  return (await db.query(IS_ANSWERED, [message], 'twilio is answered')).rows.length > 0
}

const ANSWER = 'insert into twilio_answers (message) values ($1) on conflict (message) do nothing returning 1'

/** Sends the replies to a text, all or none, unless another attempt did. Throws as a send. */
async function sendReplies(
  { store, config }: Pick<CallServices, 'store' | 'config'>,
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
