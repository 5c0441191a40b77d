import type { UnsubscribeFunc } from 'pocketbase'
import { pb } from '../client.ts'

type Hear = (data: unknown) => void

interface Shared {
  readonly listeners: Set<Hear>
  readonly subscribed: Promise<UnsubscribeFunc>
}

const subscriptions = new Map<string, Shared>()
/** Unsubscriptions under way, by topic. */
const leaving = new Map<string, Promise<unknown>>()
/** Pause before another try, when the server is unreachable or refuses a subscription. */
const PAUSE_MS = 5_000

let closed: Promise<unknown> = Promise.resolve()

/** Closes the event stream. A new one opens only when the requests of this one have ended. */
export function closeEventStream(): void {
  subscriptions.clear()
  closed = pb.realtime.unsubscribe().catch(() => {})
}

function shareSubscription(topic: string): Shared {
  const listeners = new Set<Hear>()
  const tell = (data: unknown) => {
    for (const hear of [...listeners]) hear(data)
  }
  const subscribe = async (): Promise<UnsubscribeFunc> => {
    await closed
    await leaving.get(topic)
    try {
      return await pb.realtime.subscribe(topic, tell)
    } catch (error) {
      // the SDK keeps a failed subscription, and each retry would then deliver every event once more
      if (subscriptions.get(topic) === shared) await pb.realtime.unsubscribe(topic).catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      if (listeners.size === 0) {
        forget(topic, shared)
        throw error
      }
      return subscribe()
    }
  }
  const shared: Shared = { listeners, subscribed: subscribe() }
  subscriptions.set(topic, shared)
  return shared
}

function forget(topic: string, shared: Shared): void {
  if (subscriptions.get(topic) === shared) subscriptions.delete(topic)
}

/**
 * Ends a subscription without listeners. One who joins meanwhile subscribes after it: the SDK delivers no
 * events to a subscription that replaces another one before the server heard of either.
 */
async function endUnused(topic: string, shared: Shared): Promise<void> {
  const unsubscribe = await shared.subscribed
  if (shared.listeners.size > 0) return
  forget(topic, shared)
  const ended = unsubscribe().catch(() => {})
  leaving.set(topic, ended)
  await ended
  if (leaving.get(topic) === ended) leaving.delete(topic)
}

/**
 * Adds a listener to a topic. A topic has only one subscription, because the SDK loses a second one that
 * is added while it connects. Retries a failed first connection, which the SDK does not. The result's
 * `subscribed` resolves when the subscription works, and rejects if all listeners left before.
 */
export function listenToTopic<T>(
  topic: string,
  hear: (data: T) => void,
): { readonly subscribed: Promise<unknown>; leave(): void } {
  const shared = subscriptions.get(topic) ?? shareSubscription(topic)
  // a new function for each listener, because the same `hear` may be added twice
  const own: Hear = (data) => hear(data as T)
  shared.listeners.add(own)
  return {
    subscribed: shared.subscribed,
    leave() {
      shared.listeners.delete(own)
      if (shared.listeners.size === 0) endUnused(topic, shared).catch(() => {})
    },
  }
}
