import type { UnsubscribeFunc } from 'pocketbase'
import { pb } from '../client.ts'

type Hear = (data: unknown) => void

interface Shared {
  readonly listeners: Set<Hear>
  readonly subscribed: Promise<UnsubscribeFunc>
}

const subscriptions = new Map<string, Shared>()
/** Between two tries to subscribe, where the server cannot be reached or refuses for now. */
const PAUSE_MS = 5_000

function share(topic: string): Shared {
  const listeners = new Set<Hear>()
  const tell = (data: unknown) => {
    for (const hear of [...listeners]) hear(data)
  }
  const subscribe = (): Promise<UnsubscribeFunc> =>
    pb.realtime.subscribe(topic, tell).catch(async (error) => {
      // the SDK keeps what it could not subscribe, and would tell each change as often as it was tried
      await pb.realtime.unsubscribe(topic).catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      if (listeners.size === 0) throw error
      return subscribe()
    })
  const shared = { listeners, subscribed: subscribe() }
  subscriptions.set(topic, shared)
  return shared
}

/**
 * Subscribes to a topic, once for all who listen to it: a second listener that the SDK gets for a topic while
 * it connects never hears anything. The SDK gives up when its first connection fails; this tries again while
 * somebody listens. `subscribed`: changes are told from now on; it is rejected when all have left before.
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
