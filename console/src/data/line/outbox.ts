import { effect, signal } from '@preact/signals'
import { t } from '../../language/words.ts'
import { pb } from '../client.ts'
import { faultOf, faultText } from '../fault.ts'
import { session, userId } from '../session.ts'
import { isOnline } from './line.ts'
import { newRequestKey } from './request-key.ts'

/** A text in the outbox: the server has not confirmed yet that it accepted the text. */
export interface Unsent {
  /** The idempotency key of all tries, so that the text is sent once. The server keeps keys for a day. */
  readonly key: string
  /** The account and the person who wrote the text. Sent only while both are signed in. */
  readonly from: string
  readonly number: string
  readonly request: { readonly body: string }
  /** Whether the number has no conversation yet. */
  readonly isFirst: boolean
  /** When the text was written, in ms since 1970. */
  readonly at: number
  /** Why the server refused the text; '' while it waits. */
  readonly fault: string
}

const ANSWER_MS = 10_000
const PAUSE_MS = 5_000
const KEYS_LIVE_MS = 23 * 3_600_000
/** Messages for refusals whose own messages are written for programs, by error code. */
const REFUSALS: Readonly<Record<string, string>> = {
  no_devices: t('None of your devices is online, so nothing was sent. Switch one on and send again.'),
  quota_exceeded: t('Your messages of this month are used up.'),
}

/** The prefix of storage keys. Each text has its own key, so that tabs do not overwrite others' texts. */
const PREFIX = 'pocketsms.outbox.'
const kept = signal<ReadonlyMap<string, Unsent>>(new Map())
for (const name of Object.keys(localStorage)) follow(name, localStorage.getItem(name))
addEventListener('storage', ({ key, newValue }) => follow(key ?? '', newValue))

/** Updates `kept` from an item that this tab or another one stored. */
function follow(name: string, stored: string | null): void {
  if (!name.startsWith(PREFIX)) return
  const texts = new Map(kept.value)
  if (stored) texts.set(name, JSON.parse(stored))
  else texts.delete(name)
  kept.value = texts
}

function put(text: Unsent): void {
  const [name, stored] = [PREFIX + text.key, JSON.stringify(text)]
  try {
    localStorage.setItem(name, stored)
  } catch {} // without storage, the text is still sent
  follow(name, stored)
}

export function discardUnsent({ key }: Unsent): void {
  localStorage.removeItem(PREFIX + key)
  follow(PREFIX + key, null)
}

const self = () => `${session.value?.record.id} ${session.value?.sender}`

/** This person's texts that wait for a connection or were refused. */
export const unsentTexts = (number?: string): readonly Unsent[] =>
  [...kept.value.values()]
    .filter((text) => text.from === self() && (number ?? text.number) === text.number)
    .sort((a, b) => a.at - b.at)

export const retryUnsent = (text: Unsent): void => put({ ...text, fault: '' })

/** Sends a text. This browser keeps it until the server has accepted it, even if the page is closed. */
export function sendText(number: string, request: Unsent['request'], isFirst: boolean): void {
  const key = newRequestKey()
  put({ key, from: self(), number, request, isFirst, at: Date.now(), fault: '' })
}

const firstWaiting = () => unsentTexts().find(({ fault }) => fault === '')
let isSending = false

/** Sends waiting texts in order, until there is none or the server does not answer. */
async function flush(): Promise<void> {
  if (isSending) return
  isSending = true
  let isAnswered = true
  while (isAnswered && isOnline.value) {
    const next = firstWaiting()
    if (!next) break
    isAnswered = await send(next)
  }
  isSending = false
  // the connection may still work: only this answer may be lost
  if (!isAnswered) setTimeout(flush, PAUSE_MS)
}

/** Sends one text and stores the result. Returns whether the server answered. */
async function send(text: Unsent): Promise<boolean> {
  const { key, number, request, isFirst, at } = text
  const options = { method: 'POST', signal: AbortSignal.timeout(ANSWER_MS) }
  // ignores the answer for a text that another tab has discarded or sent meanwhile
  const refuse = (fault: string) => kept.value.has(PREFIX + key) && put({ ...text, fault })
  if (Date.now() - at > KEYS_LIVE_MS) {
    refuse(t('It waited for a day. Look whether it was sent.'))
    return true
  }
  try {
    if (isFirst) await startConversation(number, options)
    await pb.send('/api/sms/send', { ...options, headers: { 'Idempotency-Key': key }, body: request })
    discardUnsent(text)
  } catch (error) {
    const fault = faultOf(error)
    // try again later: an earlier try still runs, a proxy answered for the server, or the sign-in ended
    const isOpen = fault.code === 'idempotency_key_in_use' || (fault.status > 501 && fault.code === '')
    if (isOpen || fault.status === 0 || fault.status === 401) return false
    refuse(REFUSALS[fault.code] ?? faultText(fault))
  }
  return true
}

/** Creates the record of a new conversation. An existing one is no error. */
async function startConversation(number: string, options: object): Promise<void> {
  const body = { user: userId(), number }
  await pb
    .collection('conversations')
    .create(body, options)
    .catch((error) => {
      if (error?.response?.data?.number?.code !== 'validation_not_unique') throw error
    })
}

/** Sends waiting texts at once, at each sign-in, and when the server is reachable again. */
export const watchOutbox = () => effect(() => void (isOnline.value && firstWaiting() && setTimeout(flush)))
