import type { Store } from '../collections/catalog.ts'
import type { Logger } from '../log.ts'
import { PushCalls } from '../sms/devices/push-calls.ts'
import {
  isGone,
  type PushMessage,
  type PushSettings,
  sendPush,
  type VapidKeys,
  vapidKeys,
} from '../sms/devices/web-push.ts'
import { repeat } from '../tools/repeat.ts'
import { messageOf, noticesOf } from './notices.ts'
import { countPush, endPushLease, leasePushes, MAX_LEASED, type PushLease } from './queue.ts'
import { endTarget, noteFailure, noteSuccess, type PushTarget, targetsOf } from './subscriptions.ts'

/** Between two polls of the queue. */
const POLL_MS = 1_000
/** Users whose pushes this node sends at the same time. */
const MAX_USERS = 100

/**
 * Starts this node's pushes of new texts to browsers. Any number of nodes share the queue. Returns what stops
 * it: pushes under way end, and another node sends them when their lease is over.
 */
export function startPushes(store: Store, settings: PushSettings, log: Logger): () => Promise<void> {
  const worker = new PushWorker(store, settings, log)
  const stopPolling = repeat(() => worker.poll(), POLL_MS, log)
  return async () => {
    await Promise.all([stopPolling(), worker.stop()])
  }
}

class PushWorker {
  readonly #store: Store
  readonly #settings: PushSettings
  readonly #log: Logger
  /** Not those of devices: notifications never delay wake-ups. */
  readonly #calls = new PushCalls()
  readonly #stopping = new AbortController()
  readonly #running = new Set<Promise<void>>()

  constructor(store: Store, settings: PushSettings, log: Logger) {
    this.#store = store
    this.#settings = settings
    this.#log = log
  }

  /** Leases what is due and starts its pushes, without waiting for slow push services. */
  async poll(): Promise<void> {
    for (let leased = MAX_LEASED; leased === MAX_LEASED && this.#running.size < MAX_USERS; ) {
      const leases = await leasePushes(this.#store.db)
      leased = leases.reduce((sum, { conversations }) => sum + conversations.length, 0)
      for (const lease of leases) this.#start(lease)
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#running)
  }

  #start(lease: PushLease): void {
    const run = this.#notify(lease)
      .catch((error: unknown) =>
        this.#log.warn({ user: lease.user, err: error }, 'notifications failed, they are tried again'),
      )
      .finally(() => this.#running.delete(run))
    this.#running.add(run)
  }

  async #notify(lease: PushLease): Promise<void> {
    const { db } = this.#store
    for (const notice of await noticesOf(db, lease.user, lease.conversations)) {
      if (await countPush(db, lease.user)) await this.#push(lease.user, messageOf(notice))
      if (this.#stopping.signal.aborted) return
    }
    await endPushLease(db, lease)
  }

  /** Pushes to all browsers of a user, once each. */
  async #push(user: string, message: PushMessage): Promise<void> {
    const targets = await targetsOf(this.#store.db, user)
    const keys = await vapidKeys(this.#store)
    await Promise.all(targets.map((target) => this.#calls.run(user, () => this.#call(target, message, keys))))
  }

  async #call(target: PushTarget, message: PushMessage, keys: VapidKeys): Promise<void> {
    const { db } = this.#store
    const { signal } = this.#stopping
    const status = await sendPush(target.subscription, message, keys, this.#settings, signal).catch(
      (error: unknown) => {
        this.#log.debug({ subscription: target.id, err: error }, 'a notification could not be pushed')
        return 0
      },
    )
    if (signal.aborted) return
    if (isGone(status)) await endTarget(db, target)
    else if (status === 0 || status >= 300) await noteFailure(db, target)
    else await noteSuccess(db, target)
  }
}
