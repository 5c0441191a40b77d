import { setTimeout as sleep } from 'node:timers/promises'
import type { Phone } from './smsgate-app.ts'
import type { State, StoredMessage } from './smsgate-store.ts'
import { isSince, restartsSender } from './smsgate-versions.ts'

// What the app does with messages: modules/messages and SendStateWorker of the app.

/** A report is tried so often, with waits of 10 s and twice as long each time. */
const REPORT_RETRIES = 10
const REPORT_WAIT_MS = 10_000
/** How often the simulation looks whether the work hours have begun. */
const WORK_HOURS_LOOK_MS = 20
/** Between two texts, the app hears what has been pulled meanwhile. */
const BETWEEN_TEXTS_MS = 1
/** From this priority on a text starts the sender anew, whatever it does. */
const EXPEDITED = 100

/**
 * SendMessagesWorker: sends what is pending, one after the other: highest priority first, then as the setting
 * says. It can be stopped before a text and in the pause after it, not while Android takes the text.
 */
export async function sendPending(phone: Phone, stop: AbortSignal): Promise<void> {
  for (let next = nextPending(phone); next && phone.isOn; next = nextPending(phone)) {
    await sleep(BETWEEN_TEXTS_MS)
    if (next.priority < EXPEDITED) await awaitWorkHours(phone, stop)
    if (stop.aborted) return
    if (await send(phone, next)) await pause(phone, stop)
    if (stop.aborted) return
  }
}

/**
 * applyWorkHoursLimit: the work is put off until the hours begin. A text that starts the sender anew ends the
 * wait: then the one with the highest priority is next.
 */
async function awaitWorkHours(phone: Phone, stop: AbortSignal): Promise<void> {
  while (!phone.options.isAtWork() && !stop.aborted) await sleep(WORK_HOURS_LOOK_MS)
}

const isPending = ({ state }: StoredMessage) => state === 'Pending'

function nextPending(phone: Phone): StoredMessage | undefined {
  const { store } = phone
  const sign = store.settings.messages?.processing_order === 'FIFO' ? 1 : -1
  const due = [...store.messages.values()]
    .filter(isPending)
    .filter(({ scheduleAt }) => scheduleAt === null || scheduleAt <= phone.now())
  return due.sort((a, b) => b.priority - a.priority || sign * (a.createdAt - b.createdAt))[0]
}

/** Whether it went on air. That is noted when Android has taken it: until then the text is pending. */
async function send(phone: Phone, message: StoredMessage): Promise<boolean> {
  const { id, to, text, pictures } = message
  if (message.validUntil < phone.now()) {
    change(phone, id, 'Failed', 'TTL expired')
    return false
  }
  if (phone.store.messages.get(id)!.state === 'Cancelled') return false
  phone.store.send({ id, to, text, ...(pictures && { pictures }) })
  phone.calling.add(id)
  await sleep(phone.options.callMs())
  noteSent(phone, id)
  return true
}

/** Android has taken a text. */
export function noteSent(phone: Phone, id: string): void {
  if (!phone.calling.delete(id)) return
  change(phone, id, 'Processed')
  awaitRadio(phone, id)
}

async function pause(phone: Phone, stop: AbortSignal): Promise<void> {
  const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve()))
  await Promise.race([Promise.resolve(phone.options.sendMs()).then(sleep), stopped])
}

/** What Android says next of a message, after a while, to the app that is there then. */
const NEXT: Readonly<Partial<Record<State, State>>> = { Processed: 'Sent', Sent: 'Delivered' }

export function awaitRadio(phone: Phone, id: string): void {
  const { state, pictures } = phone.store.messages.get(id)!
  const next = NEXT[state]
  // no delivery report is asked for an MMS
  if (!next || (pictures && next === 'Delivered')) return
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
  if (!phone.isDeaf) phone.run(() => report(phone, id))
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
    await phone.backOff(REPORT_WAIT_MS, retry)
  }
}

export interface WireMessage {
  readonly id: string
  readonly textMessage?: { readonly text: string }
  readonly message?: string
  /** Read by the app from version 1.74 on. */
  readonly mmsMessage?: {
    readonly subject?: string
    readonly text?: string
    readonly attachments?: readonly { readonly contentType: string; readonly data: string }[]
  }
  readonly phoneNumbers: readonly string[]
  readonly validUntil?: string
  readonly scheduleAt?: string
  readonly createdAt?: string
  readonly priority?: number
  readonly state?: string
}

/**
 * GatewayService.processMessage: takes a message that was pulled. One that the phone knows is only reported.
 */
export async function take(phone: Phone, wire: WireMessage): Promise<void> {
  if (wire.state === 'Cancelling') return cancel(phone, wire)
  if (wire.state && wire.state !== 'Pending') return
  if (phone.store.messages.has(wire.id)) return tell(phone, wire.id)
  const waiting = [...phone.store.messages.values()].filter(isPending)
  const arrival = {
    areAllScheduled: waiting.length > 0 && waiting.every(({ scheduleAt }) => scheduleAt !== null),
    isExpedited: (wire.priority ?? 0) >= EXPEDITED,
  }
  await sleep(phone.options.insertMs())
  // its id is unique in the app's database: another pull was faster
  if (phone.isKilled || phone.store.messages.has(wire.id)) return
  phone.store.write({ kind: 'message', message: toStored(phone, wire) })
  phone.run(() =>
    phone.sender.start(restartsSender(phone.options.version, arrival) ? 'replace' : 'keep'),
  )
}

const toStored = (phone: Phone, wire: WireMessage): StoredMessage => ({
  id: wire.id,
  text: wire.textMessage?.text ?? wire.message ?? wire.mmsMessage?.text ?? '',
  ...(wire.mmsMessage && { pictures: readPictures(phone, wire.mmsMessage) }),
  to: wire.phoneNumbers[0]!,
  validUntil: wire.validUntil ? readDate(wire.validUntil) : Infinity,
  scheduleAt: wire.scheduleAt ? readDate(wire.scheduleAt) : null,
  createdAt: wire.createdAt ? readDate(wire.createdAt) : phone.now(),
  priority: wire.priority ?? 0,
  state: 'Pending',
  error: null,
  states: { Pending: phone.stamp() },
})

/** The sizes of the pictures of an MMS. */
function readPictures(phone: Phone, { attachments = [] }: NonNullable<WireMessage['mmsMessage']>) {
  if (!isSince(phone.options.version, '1.74.0')) throw new Error('the app sends no MMS')
  return attachments.map(({ data }) => Buffer.from(data, 'base64').length)
}

/** What waits is canceled; of what the phone does not know it says so; what has gone out stays as it is. */
async function cancel(phone: Phone, { id }: WireMessage): Promise<void> {
  const known = phone.store.messages.get(id)
  if (known && isPending(known)) change(phone, id, 'Cancelled')
  if (!known)
    await phone.call('PATCH', '/message', [{ id, state: 'Cancelled', recipients: [], states: {} }])
}

const GSON_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?:Z|[+-]\d\d:\d\d)$/

/** Throws for what the app's parser does not read. */
export function readDate(text: string): number {
  if (!GSON_DATE.test(text)) throw new Error(`the app cannot read the date ${text}`)
  return Date.parse(text)
}
