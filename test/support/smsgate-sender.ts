import { setTimeout as sleep } from 'node:timers/promises'
import type { Phone } from './smsgate-app.ts'
import type { State, StoredMessage } from './smsgate-store.ts'

// What the app does with messages: modules/messages and SendStateWorker of the app.

/** A report is tried so often, with waits of 10 s and twice as long each time. */
const REPORT_RETRIES = 10
const REPORT_WAIT_MS = 10_000

/** Sends what is pending, one after the other: highest priority first, then as the setting says. */
export async function sendPending(phone: Phone): Promise<void> {
  for (let next = nextPending(phone); next && phone.isOn; next = nextPending(phone)) await send(phone, next)
}

function nextPending({ store }: Phone): StoredMessage | undefined {
  const sign = store.settings.messages?.processing_order === 'FIFO' ? 1 : -1
  const pending = [...store.messages.values()].filter(({ state }) => state === 'Pending')
  return pending.sort((a, b) => b.priority - a.priority || sign * (a.createdAt - b.createdAt))[0]
}

async function send(phone: Phone, message: StoredMessage): Promise<void> {
  if (message.validUntil < phone.now()) return change(phone, message.id, 'Failed', 'TTL expired')
  const { id, to, text } = message
  phone.store.send({ id, to, text })
  change(phone, id, 'Processed')
  awaitRadio(phone, id)
  await sleep(await phone.options.sendMs())
}

/** What Android says next of a message, after a while, to the app that is there then. */
const NEXT: Readonly<Partial<Record<State, State>>> = { Processed: 'Sent', Sent: 'Delivered' }

export function awaitRadio(phone: Phone, id: string): void {
  const next = NEXT[phone.store.messages.get(id)!.state]
  if (!next) return
  phone.later(phone.options.radioMs(), () => {
    change(phone, id, next)
    awaitRadio(phone, id)
  })
}

export function change(phone: Phone, id: string, state: State, error: string | null = null): void {
  const message = phone.store.messages.get(id)
  if (!message || !phone.isOn) return
  const states = { ...message.states, [state]: phone.stamp() }
  phone.store.write({ kind: 'message', message: { ...message, state, error, states } })
  tell(phone, id)
}

/** Reports the state a message has when the report goes out; a report that is owed outlives the app. */
export function tell(phone: Phone, id: string): void {
  phone.store.write({ kind: 'owed', id })
  phone.run(() => report(phone, id))
}

export async function report(phone: Phone, id: string): Promise<void> {
  for (let retry = 0; retry <= REPORT_RETRIES; retry++) {
    const message = phone.store.messages.get(id)!
    const { state, error, states, to } = message
    const body = [{ id, state, recipients: [{ phoneNumber: to, state, error }], states }]
    const answer = await phone.call('PATCH', '/message', body)
    if (!phone.isOn) return
    if (answer.status >= 200 && answer.status < 300) {
      // each report is work of its own, kept until it is done: an older one does not end a newer one
      if (phone.store.messages.get(id)!.state === state) phone.store.write({ kind: 'told', id })
      return
    }
    await sleep(phone.scaled(REPORT_WAIT_MS * 2 ** Math.min(retry, 4)))
  }
}

export interface WireMessage {
  readonly id: string
  readonly textMessage?: { readonly text: string }
  readonly message?: string
  readonly phoneNumbers: readonly string[]
  readonly validUntil?: string
  readonly createdAt?: string
  readonly priority?: number
  readonly state?: string
}

/** Takes a message that was pulled: one that it knows is only reported. */
export function take(phone: Phone, wire: WireMessage): void {
  if (wire.state && wire.state !== 'Pending') return
  if (phone.store.messages.has(wire.id)) {
    tell(phone, wire.id)
    return
  }
  const message: StoredMessage = {
    id: wire.id,
    text: wire.textMessage?.text ?? wire.message ?? '',
    to: wire.phoneNumbers[0]!,
    validUntil: wire.validUntil ? readDate(wire.validUntil) : Infinity,
    createdAt: wire.createdAt ? readDate(wire.createdAt) : phone.now(),
    priority: wire.priority ?? 0,
    state: 'Pending',
    error: null,
    states: { Pending: phone.stamp() },
  }
  phone.store.write({ kind: 'message', message })
}

const GSON_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?:Z|[+-]\d\d:\d\d)$/

/** Throws for what the app's parser does not read. */
export function readDate(text: string): number {
  if (!GSON_DATE.test(text)) throw new Error(`the app cannot read the date ${text}`)
  return Date.parse(text)
}
