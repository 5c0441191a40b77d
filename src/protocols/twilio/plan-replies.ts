import type { Store } from '../../engine/collections/catalog.ts'
import { makeAccountSender } from '../../gateway/base/make-sender.ts'
import type { Media } from '../../gateway/base/message-files.ts'
import { readNumbers } from '../../gateway/base/read-numbers.ts'
import { wakeDevices } from '../../gateway/lines/wake-devices.ts'
import { sendBodyInTransaction } from '../../gateway/messages/send/accept-send.ts'
import { MAX_FILES } from '../../gateway/messages/send/mms.ts'
import { findRefused } from '../../gateway/messages/send/refused-recipients.ts'
import { makePlainSend } from '../../gateway/messages/send/send-options.ts'
import { countReplies } from '../../gateway/messages/texts-of-origin.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { findUrlFault } from '../../platform/outgoing/refuse-private-addresses.ts'
import { cleanText } from '../../platform/tools/clean-text.ts'
import { isInvisible } from '../../portable/fold-text.ts'
import { MAX_TEXT_CHARACTERS } from '../../portable/max-text-characters.ts'
import { E164 } from '../../portable/phone/e164.ts'
import { isOtherForm } from '../../portable/phone/other-phone-forms.ts'
import { listNumberSenders, type NumberSender } from './devices-with-number.ts'
import type { CallServices } from './make-url-caller.ts'
import { makeTwilioOrigin } from './messages.ts'
import { TwilioRefusal } from './twilio-errors.ts'
import type { TwimlMessage } from './twiml.ts'

/** The incoming text of a call. `key`: the API key that signs the status callbacks of replies. */
export type AnsweredText = Readonly<Record<'user' | 'message' | 'device' | 'from' | 'key', string>>

/** `media`: the addresses of the files of an MMS; `files`: these files. */
export type Reply = NumberSender &
  Readonly<Record<'to' | 'body' | 'callback', string>> & {
    readonly media: readonly string[]
    readonly files?: Media
  }

const MAX_REPLIES = 10
/** Maximum replies from one device to one number, and the seconds for which they count. */
const MAX_BETWEEN = { replies: 15, seconds: 30 }

/** The replies of a TwiML document. `base`: its address. Throws a TwilioRefusal for the first fault. */
export async function planReplies(
  store: Store,
  text: AnsweredText,
  messages: readonly TwimlMessage[],
  base: string,
  allowPrivate: boolean,
): Promise<Reply[]> {
  const replies: Reply[] = []
  // read one more than allowed, so that too many are refused; each takes a query, and 1,500 would fit
  for (const message of messages.slice(0, MAX_REPLIES + 1)) {
    const [given, line] = await readNumbers(store, text.user, [message.to, message.from])
    const from = isOtherForm(message.from) ? message.from : line
    const to = message.to.trim() === '' ? text.from : given
    if (!to || !E164.test(to))
      throw new TwilioRefusal(14101, "The 'to' of a <Message> is no phone number")
    const sender = await chooseReplySender(
      store,
      text,
      message.from.trim() === '' ? '' : (from ?? message.from),
    )
    const { media } = message
    const body = cleanText(message.body)
    const isEmpty = isInvisible(body)
    if ((isEmpty && media.length === 0) || [...body].length > MAX_TEXT_CHARACTERS)
      throw new TwilioRefusal(14103, `A <Message> must have 1 to ${MAX_TEXT_CHARACTERS} characters`)
    replies.push({
      ...sender,
      to,
      body: isEmpty ? '' : body,
      media: media.map((url) => URL.parse(url, base)?.href ?? url),
      callback: resolveCallback(message.callback, base, allowPrivate),
    })
  }
  return replies
}

/** The device or line with the number `from`, preferably on the text's device. For '', the text's device. */
async function chooseReplySender(
  store: Store,
  text: AnsweredText,
  from: string,
): Promise<NumberSender> {
  if (from === '') return { device: text.device, line: '' }
  const senders = await listNumberSenders(store, text.user, from)
  const sender = senders.find(({ device }) => device === text.device) ?? senders[0]
  if (!sender)
    throw new TwilioRefusal(14102, "The 'from' of a <Message> is not one of your numbers")
  return sender
}

/** A callback's absolute address; '' if it cannot be called: the message is sent without a callback. */
function resolveCallback(address: string, base: string, allowPrivate: boolean): string {
  if (address === '') return ''
  const url = URL.parse(address, base)?.href ?? ''
  return findUrlFault(url, allowPrivate) === undefined ? url : ''
}

/**
 * Throws TwilioRefusal for too many replies or files, and for one whose recipient has opted out. All files of
 * an answer are fetched and made smaller within the lease of its call, which is repeated after that.
 */
export async function checkReplies(
  store: Store,
  user: string,
  replies: readonly Reply[],
): Promise<void> {
  if (replies.length > MAX_REPLIES)
    throw new TwilioRefusal(14109, `A text gets at most ${MAX_REPLIES} replies`)
  if (replies.flatMap(({ media }) => media).length > MAX_FILES)
    throw new TwilioRefusal(21623, `The replies to a text have at most ${MAX_FILES} <Media>`)
  const recipients = replies.map(({ to }) => to)
  if ((await findRefused(store, user, recipients)).size > 0)
    throw new TwilioRefusal(21610, 'The recipient of a reply has opted out')
  const pairs = Map.groupBy(replies, ({ to, device }) => `${to} ${device}`)
  for (const [{ to, device }, ...more] of pairs.values() as Iterable<[Reply, ...Reply[]]>) {
    const before = await countReplies(store, user, to, device, MAX_BETWEEN.seconds)
    const text = `${MAX_BETWEEN.replies} replies between two numbers in ${MAX_BETWEEN.seconds} s`
    if (before + 1 + more.length > MAX_BETWEEN.replies) throw new TwilioRefusal(14107, text)
  }
}

export const findAnswered = (db: Db, message: string) =>
  queries(db).selectFrom('twilio_answers').where('message', '=', message).executeTakeFirst()

const recordAnswered = (db: Db, message: string) =>
  queries(db)
    .insertInto('twilio_answers')
    .values({ message })
    .onConflict((found) => found.column('message').doNothing())
    .returning('message')
    .executeTakeFirst()

/** Sends all replies to a text or none, unless an earlier attempt did. Throws the refusals of a send. */
export async function sendReplies(
  { store, config }: CallServices,
  { message, user, key }: AnsweredText,
  replies: readonly Reply[],
): Promise<void> {
  const sender = makeAccountSender(user, key || user)
  const wake: string[] = []
  await store.db.transaction(async (db) => {
    if (!(await recordAnswered(db, message))) return
    const inside = { db, catalog: store.catalog }
    for (const { to, body, device, line, callback, files } of replies) {
      const options = { origin: makeTwilioOrigin(key, callback, { reply: true }) }
      const request = { ...makePlainSend(to, body, options, device, line), media: files }
      wake.push(...(await sendBodyInTransaction(inside, config, sender, request)))
    }
  })
  wakeDevices(store.db, wake)
}
