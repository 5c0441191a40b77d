import { GatewayError } from '../../../errors.ts'
import { isDisabledSql } from '../../../records/auth/disabled.ts'
import { PLAIN_OPTIONS } from '../../../sms/send/body.ts'
import { type SendServices, send } from '../../../sms/send/send.ts'
import { retryStale } from '../../../sms/send/sender.ts'
import { originOf } from '../messages/message.ts'
import type { AnsweredText, Reply } from './replies.ts'

const STORED = 'select replies::text from twilio_answers where message = $1'
const STORE = `insert into twilio_answers (message, replies) values ($1, $2) on conflict (message) do nothing`
const SENT = 'update twilio_answers set replies = null where message = $1'

/** Stores the replies unless another attempt did, then sends them: a crash loses and repeats none. */
export async function sendReplies(
  services: SendServices,
  text: AnsweredText,
  replies: readonly Reply[],
): Promise<void> {
  await services.store.db.query(STORE, [text.message, JSON.stringify(replies)])
  await sendStored(services, text)
}

/** Sends the replies to a text that were stored and not sent yet. False if none were ever stored. */
export async function sendStored(services: SendServices, text: AnsweredText): Promise<boolean> {
  const { rows } = await services.store.db.query(STORED, [text.message])
  if (!rows[0]) return false
  const [replies] = rows[0] as [string | null]
  if (replies !== null) await sendAll(services, text, JSON.parse(replies))
  return true
}

async function sendAll(services: SendServices, text: AnsweredText, replies: readonly Reply[]): Promise<void> {
  const markSent = () => services.store.db.query(SENT, [text.message])
  try {
    for (const [i, reply] of replies.entries()) await sendReply(services, text, reply, i)
  } catch (error) {
    // a refusal is final: what follows is not sent either
    if (error instanceof GatewayError) await markSent()
    throw error
  }
  await markSent()
}

const SENDER = `select xmin::text from users where id = $1 and not ${isDisabledSql('$1')}`

/** Sends a reply once: its idempotency key is the text and the reply's place among the replies. */
async function sendReply(services: SendServices, text: AnsweredText, reply: Reply, place: number) {
  const { to, body, device, line, callback } = reply
  const request = {
    recipients: [to],
    groupIds: [],
    deviceId: device,
    // '' is missing in what earlier versions have stored
    line: { id: line ?? '', number: '' },
    content: { body },
    options: { ...PLAIN_OPTIONS, origin: originOf(text.key, callback, { reply: true }) },
  }
  const key = `twiml ${text.message} ${place}`
  await retryStale(async () => {
    const { rows } = await services.store.db.query(SENDER, [text.user])
    if (!rows[0]) return
    const sender = { user: text.user, version: String(rows[0][0]), key: null }
    await send(services, sender, request, { key, fingerprint: key })
  })
}
