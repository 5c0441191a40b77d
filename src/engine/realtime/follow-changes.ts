import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../platform/log.ts'
import type { Store } from '../collections/catalog.ts'
import { type ChangeEntry, loadChangeEntries } from './change-log.ts'
import { listenToMore, registerNode, renewNode, unregisterNode } from './listening-nodes.ts'
import { loadCurrentSnapshot } from './snapshot.ts'

/** NOTIFY channel. Payload: '' for new changes, a node's name for a request to it, or a message as JSON. */
export const CHANGES_CHANNEL = 'changes'
/** Minimum time between two reads, so that one read gets the changes of many transactions. */
const PACE_MS = 20
/** Interval of reads without a notification, because notifications may be lost. */
const READ_MS = 2_000
const RENEW_MS = 10_000
/** How long a subscription waits for transactions that began before the node listened. */
const PATIENCE_MS = 1_000
/** After this time without a read, changes may be missed: the clean-up deletes them after about a minute. */
const AWAY_MS = 45_000
/** Collections that change often and have few subscribers. A node ignores them until a client subscribes. */
const SELDOM_HEARD = ['sms_events', 'sms_usage', 'webhook_deliveries']

interface FeedListener {
  /** Called when another node has forwarded a request to this node. */
  asked(): void
  /** Called with new changes in order. If it throws, it is called with the same changes again. */
  heard(entries: readonly ChangeEntry[]): Promise<void>
  /** Called when changes may have been missed, as after a failover of Postgres. */
  lost(): void
  /** Called with a message for all clients of an account, as JSON. */
  accountMessage(message: string): void
}

/** Waits at most PATIENCE_MS for a registration. False if it has not settled by then. */
const waitBriefly = async (settled: Promise<boolean>): Promise<boolean> => {
  const waiting = new AbortController()
  const late = sleep(PATIENCE_MS, false, { signal: waiting.signal }).catch(() => false)
  try {
    return await Promise.race([settled, late])
  } finally {
    waiting.abort()
  }
}

export type ChangeFeed = Awaited<ReturnType<typeof followChanges>>

export async function followChanges(
  store: Store,
  node: string,
  log: Logger,
  listener: FeedListener,
) {
  const { db } = store
  const ignored = new Set(SELDOM_HEARD)
  let [isDue, isOver, isBehind] = [false, false, false]
  const hasEnded = () => isOver
  let { settled } = await registerNode(db, node, [...ignored], hasEnded)
  let since = await loadCurrentSnapshot(db)
  let readAtMs = performance.now()
  const known = new Set<number>()
  let reading: Promise<void> | undefined

  /** Begins with the changes from now on. If that fails, the next read begins with it. */
  const beginAnew = async () => {
    isBehind = true
    const asked = [...ignored]
    settled = (await registerNode(db, node, asked, hasEnded)).settled
    // what clients subscribed to meanwhile found no registration
    if (ignored.size < asked.length)
      settled = (await listenToMore(db, node, [...ignored], hasEnded)).settled
    since = await loadCurrentSnapshot(db)
    known.clear()
    isBehind = false
    listener.lost()
  }
  const hear = async (page: readonly ChangeEntry[]) => {
    const fresh = page.filter(({ position }) => !known.has(position))
    await listener.heard(fresh)
    for (const { position } of fresh) known.add(position)
  }
  const readAll = async () => {
    try {
      while (isDue && !isOver) {
        const restMs = readAtMs + PACE_MS - performance.now()
        if (restMs > 0) await sleep(restMs)
        isDue = false
        const began = performance.now()
        if (isBehind || began - readAtMs > AWAY_MS) await beginAnew()
        const page = await loadChangeEntries(db, node, since, hear)
        since = page.snapshot
        known.clear()
        if (!page.isRegistered) await beginAnew()
        readAtMs = began
      }
    } catch (error) {
      log.warn({ err: error }, 'could not read changes, retrying')
    } finally {
      reading = undefined
    }
  }
  /** Reads new changes, at least all that were committed before the call. */
  const read = async () => {
    isDue = true
    reading ??= readAll()
    await reading
  }
  const renew = async () => {
    try {
      await renewNode(db, node)
    } catch (error) {
      log.warn({ err: error }, 'could not renew the registration as a listener')
    }
  }

  const stopListening = await db.listen(CHANGES_CHANNEL, (payload) => {
    if (payload === node) listener.asked()
    else if (payload === '') void read()
    else if (payload.startsWith('{')) listener.accountMessage(payload)
  })
  const timers = [setInterval(read, READ_MS), setInterval(renew, RENEW_MS)]
  return {
    /**
     * Starts to log changes of these collections (ids), in all transactions that begin afterwards, and waits
     * for earlier ones. If that takes longer than PATIENCE_MS, `late` resolves when the last of them has
     * ended: what they change is not logged, so that a client must read again.
     */
    async hear(collections: readonly string[]): Promise<{ late?: Promise<void> }> {
      const more = collections.filter((id) => ignored.delete(id))
      const before = settled
      if (more.length > 0)
        settled = listenToMore(db, node, [...ignored], hasEnded)
          .then((heard) => Promise.all([before, heard.settled]))
          .then(() => {})
      const isSettled = await waitBriefly(settled.then(() => true)).catch((error: unknown) => {
        for (const id of more) ignored.add(id)
        settled = before
        throw error
      })
      return isSettled ? {} : { late: settled }
    },
    async end(): Promise<void> {
      await read()
      isOver = true
      timers.forEach(clearInterval)
      await stopListening()
      await unregisterNode(db, node).catch(() => {}) // the registration then expires
    },
  }
}
