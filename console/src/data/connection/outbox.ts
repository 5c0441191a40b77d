import { effect, signal } from '@preact/signals'
import { t } from '../../language/words.ts'
import { pb } from '../client.ts'
import { describeFault, readFault } from '../fault.ts'
import { readUserId, session } from '../session.ts'
import { isOnline } from './connection.ts'
import { makeRequestKey } from './request-key.ts'

/** A text or note that this browser has not yet seen accepted by the server. */
export interface Unsent {
  /** The Idempotency-Key of all tries, so the text is sent only once. The server keeps keys for a day. */
  readonly key: string
  /** The ids of account and person. The text is sent only while this person acts for this account. */
  readonly from: string
  readonly number: string
  readonly request: { readonly body: string }
  /** Absent: a text. A note is saved in a conversation, and not sent. */
  readonly note?: { readonly conversation: string; readonly mentions: readonly string[] }
  /** When the newest text of the thread was created; '' if there was none. */
  readonly after: string
  /** Whether the number has no conversation yet. */
  readonly isFirst: boolean
  /** When the text was written, in ms since 1970. */
  readonly at: number
  /** Why the server refused the text; '' while the text waits to be sent. */
  readonly fault: string
  /** The id of the accepted message or note, until the open conversation has read it; absent before. */
  readonly message?: string
}

type Accepted = { readonly message_ids: readonly string[] }

const ANSWER_MS = 10_000
const PAUSE_MS = 5_000
/** An accepted text is forgotten after this time, if no conversation is open that reads it. */
const READ_MS = 30_000
const KEYS_LIVE_MS = 23 * 3_600_000
/** Messages to show, by the server's error code. The server's own messages are meant for programs. */
const REFUSALS: Readonly<Record<string, string>> = {
  no_devices: t(
    'None of your devices is online, so nothing was sent. Switch one on and send again.',
  ),
  quota_exceeded: t('Your quota of this month is used up.'),
}

/** The prefix of localStorage keys. Each text has its own key, so tabs do not overwrite each other. */
const PREFIX = 'pocketsms.outbox.'
const kept = signal<ReadonlyMap<string, Unsent>>(new Map())
for (const name of Object.keys(localStorage)) followStoredText(name, localStorage.getItem(name))
for (const text of kept.value.values()) if (text.message) discardUnsent(text)
addEventListener('storage', ({ key, newValue }) => followStoredText(key ?? '', newValue))

/** Updates `kept` after a tab has changed an item of localStorage to `stored`, or removed it (null). */
function followStoredText(name: string, stored: string | null): void {
  if (!name.startsWith(PREFIX)) return
  const texts = new Map(kept.value)
  if (stored) texts.set(name, JSON.parse(stored))
  else texts.delete(name)
  kept.value = texts
}

function storeUnsent(text: Unsent): void {
  const [name, stored] = [PREFIX + text.key, JSON.stringify(text)]
  try {
    localStorage.setItem(name, stored)
  } catch {} // without storage, the text is still sent
  followStoredText(name, stored)
}

export function discardUnsent({ key }: Unsent): void {
  localStorage.removeItem(PREFIX + key)
  followStoredText(PREFIX + key, null)
}

const identifySender = () => `${session.value?.record.id} ${session.value?.sender}`

const listOwnTexts = (): readonly Unsent[] =>
  [...kept.value.values()]
    .filter((text) => text.from === identifySender())
    .sort((a, b) => a.at - b.at)

/** The person's texts that the server has not accepted, oldest first. */
export const listUnsentTexts = (): readonly Unsent[] =>
  listOwnTexts().filter(({ message }) => !message)

/** The person's texts and notes of a number that its conversation may not have read yet, oldest first. */
export const listTextsOnTheWay = (number: string): readonly Unsent[] =>
  listOwnTexts().filter((text) => text.number === number)

export const retryUnsent = (text: Unsent): void => storeUnsent({ ...text, fault: '' })

/** Sends a text or saves a note. This browser keeps it until the server has accepted it, even if closed. */
export function sendText(
  text: Pick<Unsent, 'number' | 'request' | 'isFirst' | 'after' | 'note'>,
  ready: Promise<unknown> = Promise.resolve(),
): void {
  const key = makeRequestKey()
  waits.set(key, ready)
  storeUnsent({ ...text, key, from: identifySender(), at: Date.now(), fault: '' })
}

/** Promises that texts wait for before their request, by key. */
const waits = new Map<string, Promise<unknown>>()

const findFirstWaiting = () => listUnsentTexts().find(({ fault }) => fault === '')
let isSending = false

/** Sends waiting texts in order, until none waits or the server does not answer. */
async function sendAllWaiting(): Promise<void> {
  if (isSending) return
  isSending = true
  let isAnswered = true
  while (isAnswered && isOnline.value) {
    const next = findFirstWaiting()
    if (!next) break
    isAnswered = await sendUnsent(next)
  }
  isSending = false
  // tries again soon: perhaps only this answer was lost, and the connection still works
  if (!isAnswered) setTimeout(sendAllWaiting, PAUSE_MS)
}

/** Sends one text and stores the result. Returns false if the text must be tried again later. */
async function sendUnsent(text: Unsent): Promise<boolean> {
  const { key, number, request, isFirst, at, note } = text
  const options = { method: 'POST', signal: AbortSignal.timeout(ANSWER_MS) }
  // stores the result, unless another tab has discarded or sent the text meanwhile
  const keep = (result: Partial<Unsent>) =>
    kept.value.has(PREFIX + key) && storeUnsent({ ...text, ...result })
  const refuse = (fault: string) => keep({ fault })
  if (Date.now() - at > KEYS_LIVE_MS) {
    refuse(t('The text waited for a day. Check whether it was sent.'))
    return true
  }
  await waits.get(key)
  waits.delete(key)
  try {
    if (isFirst) await startConversation(number, options)
    const headers = { 'Idempotency-Key': key }
    const message = note
      ? await saveNote(text, options)
      : (await pb.send<Accepted>('/api/sms/send', { ...options, headers, body: request }))
          .message_ids[0]
    // the open conversation shows the text until it has read the message
    keep({ message })
    setTimeout(() => discardUnsent(text), READ_MS)
  } catch (error) {
    const fault = readFault(error)
    // must be tried again: an earlier try still runs, or a proxy answered for the server
    const isOpen =
      fault.code === 'idempotency_key_in_use' || (fault.status > 501 && fault.code === '')
    if (isOpen || fault.isAway || fault.status === 401) return false
    refuse(REFUSALS[fault.code] ?? describeFault(fault))
  }
  return true
}

/** Creates a conversation with a number. Does nothing if it exists already. */
export const startConversation = (number: string, options: object = {}) =>
  createRecordOnce('conversations', 'number', { user: readUserId(), number }, options)

/** Saves a note, and returns its id. A second try has the same id. */
async function saveNote({ key, request, note }: Unsent, options: object): Promise<string> {
  const id = key.slice(0, 15)
  const body = { id, user: readUserId(), text: request.body, ...note }
  await createRecordOnce('conversation_notes', 'id', body, options)
  return id
}

/** Creates a record. Does nothing if there is one with the same value of a unique field. */
async function createRecordOnce(
  collection: string,
  unique: string,
  body: object,
  options: object,
): Promise<void> {
  await pb
    .collection(collection)
    .create(body, options)
    .catch((error) => {
      if (error?.response?.data?.[unique]?.code !== 'validation_not_unique') throw error
    })
}

/** Sends waiting texts when one is added, after each sign-in, and when the server is reachable again. */
export const watchOutbox = () =>
  effect(() => void (isOnline.value && findFirstWaiting() && setTimeout(sendAllWaiting)))
