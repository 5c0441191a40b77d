import type { UnsubscribeFunc } from 'pocketbase'
import { pb } from '../client.ts'

type Hear = (data: unknown) => void

interface Shared {
  readonly listeners: Set<Hear>
  readonly subscribed: Promise<UnsubscribeFunc>
}

const subscriptions = new Map<string, Shared>()

function share(topic: string): Shared {
  const listeners = new Set<Hear>()
  const tell = (data: unknown) => {
    for (const hear of [...listeners]) hear(data)
  }
  const shared = { listeners, subscribed: pb.realtime.subscribe(topic, tell) }
  subscriptions.set(topic, shared)
  return shared
}

/**
 * Subscribes to a topic, once for all who listen to it: a second listener that the SDK gets for a topic while
 * it connects never hears anything. `subscribed` is the SDK's promise.
 */
export function listen<T>(
  topic: string,
  hear: (data: T) => void,
): { readonly subscribed: Promise<unknown>; leave(): void } {
  const shared = subscriptions.get(topic) ?? share(topic)
  // one function for each listener, so that leaving takes only its own
  const own: Hear = (data) => hear(data as T)
  shared.listeners.add(own)
  return {
    subscribed: shared.subscribed,
    leave() {
      shared.listeners.delete(own)
      if (shared.listeners.size > 0) return
      if (subscriptions.get(topic) === shared) subscriptions.delete(topic)
      shared.subscribed.then((unsubscribe) => unsubscribe()).catch(() => {})
    },
  }
}
