import { effect } from '@preact/signals'
import { t } from '../../language/words.ts'
import { pb } from '../client.ts'
import { faultOf, faultText } from '../fault.ts'
import { remembered } from '../remembered.ts'
import { session, userId } from '../session.ts'
import { isOnline } from './line.ts'
import { newRequestKey } from './request-key.ts'

/** A text that the server has not yet accepted for certain. */
export interface Unsent {
  /** Sent with each try, so that it goes out once: the server knows keys for a day. */
  readonly key: string
  /** The account and person that wrote it. Only they send it. */
  readonly from: string
  readonly number: string
  readonly request: { readonly body: string }
  /** There is no conversation with the number yet. */
  readonly isFirst: boolean
  /** When it was written, in ms since 1970. */
  readonly at: number
  /** Why the server refused it; '' while it waits. */
  readonly fault: string
}

const ANSWER_MS = 10_000
const KEYS_LIVE_MS = 23 * 3_600_000

const kept = remembered<readonly Unsent[]>('outbox', [])
const self = () => `${session.value?.record.id} ${session.value?.sender}`

/** This person's texts that wait for a connection or were refused. */
export const unsentTexts = (number?: string): readonly Unsent[] =>
  kept.value.filter((text) => text.from === self() && (number ?? text.number) === text.number)

const put = (key: string, fault: string) => {
  kept.value = kept.value.map((text) => (text.key === key ? { ...text, fault } : text))
}

export function discardUnsent(key: string): void {
  kept.value = kept.value.filter((text) => text.key !== key)
}

export function discardAllUnsent(): void {
  kept.value = []
}

/** Retries a refused text. */
export function retryUnsent(key: string): void {
  put(key, '')
  void flush()
}

/**
 * Sends a text. Without an answer this browser keeps it until the server has it, even if the page is
 * closed. If the server refuses it, throws the error and drops it.
 */
export async function sendText(number: string, request: Unsent['request'], isFirst: boolean): Promise<void> {
  const key = newRequestKey()
  const text = { key, from: self(), number, request, isFirst, at: Date.now(), fault: '' }
  kept.value = [...kept.value, text]
  await flush(key)
}

let last: Promise<unknown> = Promise.resolve()

/** Sends waiting texts in order. Throws if the text with key `own` is refused. */
function flush(own?: string): Promise<void> {
  const work = last.then(() => sendWaiting(own))
  last = work.catch(() => {})
  return work
}

async function sendWaiting(own: string | undefined): Promise<void> {
  for (const text of unsentTexts().filter(({ fault }) => fault === '')) {
    if (!isOnline.value) return
    const isOld = Date.now() - text.at > KEYS_LIVE_MS
    if (isOld) put(text.key, t('It waited for a day. Look whether it was sent.'))
    else if (!(await trySending(text, own))) return
  }
}

/** Returns whether the server answered. */
async function trySending({ key, number, request, isFirst }: Unsent, own?: string): Promise<boolean> {
  const options = { method: 'POST', signal: AbortSignal.timeout(ANSWER_MS) }
  try {
    if (isFirst) await startConversation(number, options)
    await pb.send('/api/sms/send', { ...options, headers: { 'Idempotency-Key': key }, body: request })
  } catch (error) {
    const fault = faultOf(error)
    if (fault.status === 0) return false
    if (key !== own) put(key, faultText(fault))
    else {
      discardUnsent(key)
      throw error
    }
    return true
  }
  discardUnsent(key)
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

/** Sends waiting texts at each sign-in and when the server is reachable again. */
export const watchOutbox = () => effect(() => void (isOnline.value && session.value && flush()))
