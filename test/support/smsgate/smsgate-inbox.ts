import { createHash, createHmac, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Phone } from './smsgate-app.ts'
import type { QueuedHook } from './smsgate-store.ts'

// What comes in at the phone, and the app's queue of webhooks: modules/receiver and modules/webhooks of the
// app.

const BATCH = 20
const HOOK_WAIT_MS = 5_000

/** A text in the inbox of the phone, which Android keeps. `receivedAt`: the network's time. */
export interface InboxText {
  readonly sender: string
  readonly text: string
  readonly receivedAt: number
}

/** The app hears of a text, or finds it when it is asked for its inbox: one that it has handled it skips. */
export function hear(phone: Phone, { sender, text, receivedAt }: InboxText): void {
  const messageId = createHash('sha256')
    .update(`${sender} ${text} ${receivedAt}`)
    .digest('hex')
    .slice(0, 8)
  if (phone.store.seen.has(messageId)) return
  phone.store.write({ kind: 'seen', text: messageId })
  emit(phone, 'sms:received', {
    messageId,
    sender,
    recipient: null,
    simNumber: 1,
    phoneNumber: sender,
    message: text,
    receivedAt: new Date(receivedAt).toISOString(),
  })
}

let hooks = 0

/** Queues an event for each webhook that wants it. The id is new for each. */
export function emit(phone: Phone, event: string, payload: object): void {
  for (const webhook of phone.store.webhooks.filter((one) => one.event === event)) {
    const deviceId = phone.store.registration?.id
    const body = JSON.stringify({
      id: randomUUID(),
      webhookId: webhook.id,
      event,
      deviceId,
      payload,
    })
    phone.store.write({ kind: 'hook', hook: { number: ++hooks, url: webhook.url, body } })
  }
}

/**
 * Posts what is in the queue, twenty at a time, each as often as the setting says, with waits that double.
 */
export async function postHooks(phone: Phone): Promise<void> {
  while (phone.isOn) {
    const batch = [...phone.store.hooks.values()].slice(0, BATCH)
    await Promise.all(batch.map((hook) => post(phone, hook)))
    await sleep(phone.scaled(500))
  }
}

async function post(phone: Phone, hook: QueuedHook): Promise<void> {
  const retries = Number(phone.store.settings.webhooks?.retry_count ?? 15)
  for (let retry = 0; phone.isOn && retry <= retries; retry++) {
    if (await postOnce(phone, hook)) break
    await phone.backOff(HOOK_WAIT_MS, retry)
  }
  if (phone.isOn) phone.store.write({ kind: 'hooked', number: hook.number })
}

/** Signed when it is posted: by the phone's clock, with the key it has then. */
async function postOnce(phone: Phone, { url, body }: QueuedHook): Promise<boolean> {
  const timestamp = String(Math.floor(phone.now() / 1000))
  const key = String(phone.store.settings.webhooks?.signing_key ?? 'fresh-app')
  const signature = createHmac('sha256', key)
    .update(body + timestamp)
    .digest('hex')
  const headers = {
    'content-type': 'application/json',
    'x-timestamp': timestamp,
    'x-signature': signature,
  }
  const answer = await phone.fetch(url, { method: 'POST', headers, body })
  return answer.status >= 200 && answer.status < 300
}
