import type { Store } from '../../collections/catalog.ts'
import { DatabaseUnavailable } from '../../db/errors.ts'
import type { Logger } from '../../log.ts'
import { type ChangeEntry, currentSnapshot, readChanges } from './change-log.ts'
import { registerNode, renewNode, unregisterNode } from './presence.ts'
import type { Snapshot } from './snapshot.ts'

/** Channel of NOTIFY. Payload: empty for a new change, or the name of a node that has a forwarded request. */
export const CHANGES_CHANNEL = 'changes'
/** Interval of reading without a notification, which may be lost with its connection. */
const READ_MS = 2_000
const RENEW_MS = 10_000
/** Changes may have been removed unread after this time: less than the clean-up keeps them. */
const AWAY_MS = 45_000
/** Failed reads before a change is given up: a newer catalog may arrive meanwhile. */
const MAX_FAILURES = 5

/** What a feed calls. */
export interface FeedListener {
  /** Another node has forwarded a request. */
  asked(): void
  /** New changes in order. Called again with the same ones if it fails while `isPatient`. */
  heard(entries: readonly ChangeEntry[], isPatient: boolean): Promise<void>
  /** Changes may have been missed. */
  lost(): void
}

/** Reads the changes of all nodes, from its start until its end. */
export class ChangeFeed {
  /** Resolved when no change that is committed from then on can be missed. */
  readonly settled: Promise<void>
  readonly #store: Store
  readonly #node: string
  readonly #log: Logger
  readonly #listener: FeedListener
  readonly #stops: (() => unknown)[] = []
  #since: Snapshot
  readonly #heard = new Set<number>()
  #readAtMs = performance.now()
  #failures = 0
  #reading: Promise<void> | undefined
  #isDue = false
  #isOver = false

  private constructor(
    store: Store,
    node: string,
    log: Logger,
    listener: FeedListener,
    since: Snapshot,
    settled: Promise<void>,
  ) {
    this.#store = store
    this.#node = node
    this.#log = log
    this.#listener = listener
    this.#since = since
    this.settled = settled
  }

  static async start(store: Store, node: string, log: Logger, listener: FeedListener): Promise<ChangeFeed> {
    const { settled } = await registerNode(store.db, node)
    const feed = new ChangeFeed(
      store,
      node,
      log,
      listener,
      await currentSnapshot(store.db),
      settled.catch(() => {}),
    )
    const stop = await store.db.listen(CHANGES_CHANNEL, (payload) => {
      if (payload === node) listener.asked()
      else if (payload === '') void feed.read()
    })
    feed.#stops.push(stop)
    const every = (ms: number, work: () => unknown) => {
      const timer = setInterval(work, ms)
      feed.#stops.push(() => clearInterval(timer))
    }
    every(READ_MS, () => feed.read())
    every(RENEW_MS, () => feed.#renew())
    return feed
  }

  /** Reads new changes, at least all that were committed before the call. */
  async read(): Promise<void> {
    this.#isDue = true
    this.#reading ??= this.#readAll()
    await this.#reading
  }

  async end(): Promise<void> {
    await this.read()
    this.#isOver = true
    for (const stop of this.#stops) await stop()
    await unregisterNode(this.#store.db, this.#node).catch(() => {}) // expires
  }

  async #readAll(): Promise<void> {
    try {
      while (this.#isDue && !this.#isOver) {
        this.#isDue = false
        await this.#readOnce()
        this.#failures = 0
      }
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) this.#failures++
      this.#log.warn({ err: error }, 'reading changes failed, trying again')
    } finally {
      this.#reading = undefined
    }
  }

  async #readOnce(): Promise<void> {
    const began = performance.now()
    if (began - this.#readAtMs > AWAY_MS) await this.#restart()
    this.#since = await readChanges(this.#store.db, this.#since, (page) => this.#hear(page))
    this.#heard.clear()
    this.#readAtMs = began
  }

  /** A page is read again after a failure. */
  async #hear(page: readonly ChangeEntry[]): Promise<void> {
    const fresh = page.filter(({ position }) => !this.#heard.has(position))
    await this.#listener.heard(fresh, this.#failures < MAX_FAILURES)
    for (const { position } of fresh) this.#heard.add(position)
  }

  async #restart(): Promise<void> {
    this.#since = await currentSnapshot(this.#store.db)
    this.#heard.clear()
    this.#listener.lost()
  }

  async #renew(): Promise<void> {
    try {
      if (await renewNode(this.#store.db, this.#node)) return
      await registerNode(this.#store.db, this.#node)
      await this.#restart()
    } catch (error) {
      this.#log.warn({ err: error }, 'renewing the registration as a listener failed')
    }
  }
}
