import type { Store } from '../../collections/catalog.ts'
import { DatabaseUnavailable } from '../../db/errors.ts'
import type { Logger } from '../../log.ts'
import { type ChangeEntry, currentSnapshot, readChanges } from './change-log.ts'
import { registerNode, renewNode, unregisterNode } from './presence.ts'
import type { Snapshot } from './snapshot.ts'

/** Channel of NOTIFY: something was noted (no payload), or a node is asked for something (its name). */
export const CHANGES_CHANNEL = 'changes'
/** A look without being woken: a notification may get lost with its connection. */
const LOOK_MS = 2_000
const STAY_MS = 10_000
/** After so long without a look, changes may have been removed unread: less than the clean-up leaves them. */
const AWAY_MS = 45_000
/** Looks that may fail at the same change before it is given up: another catalog comes within the first. */
const PATIENCE = 5

/** What a feed tells. */
export interface FeedListener {
  /** Another node asks for something. */
  asked(): void
  /**
   * Changes in their order; the next ones come when this is done, and these again if it fails while it
   * `isPatient`.
   */
  heard(entries: readonly ChangeEntry[], isPatient: boolean): Promise<void>
  /** Changes may have been missed. */
  lost(): void
}

/** What this node hears of changes, its own and those of others, from its start until its end. */
export class ChangeFeed {
  /** Fulfilled when every change that is committed from now on will be heard. */
  readonly settled: Promise<void>
  readonly #store: Store
  readonly #node: string
  readonly #log: Logger
  readonly #listener: FeedListener
  readonly #stops: (() => unknown)[] = []
  #since: Snapshot
  readonly #heard = new Set<number>()
  #lookedAt = performance.now()
  #failures = 0
  #looking: Promise<void> | undefined
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
      else if (payload === '') void feed.look()
    })
    feed.#stops.push(stop)
    const every = (ms: number, work: () => unknown) => {
      const timer = setInterval(work, ms)
      feed.#stops.push(() => clearInterval(timer))
    }
    every(LOOK_MS, () => feed.look())
    every(STAY_MS, () => feed.#stay())
    return feed
  }

  /** Reads what is new; done when all is read that was committed before the call. */
  async look(): Promise<void> {
    this.#isDue = true
    this.#looking ??= this.#read()
    await this.#looking
  }

  async end(): Promise<void> {
    await this.look()
    this.#isOver = true
    for (const stop of this.#stops) await stop()
    await unregisterNode(this.#store.db, this.#node).catch(() => {}) // runs out
  }

  async #read(): Promise<void> {
    try {
      while (this.#isDue && !this.#isOver) {
        this.#isDue = false
        await this.#readOnce()
        this.#failures = 0
      }
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) this.#failures++
      this.#log.warn({ err: error }, 'changes could not be read, trying again')
    } finally {
      this.#looking = undefined
    }
  }

  async #readOnce(): Promise<void> {
    const began = performance.now()
    if (began - this.#lookedAt > AWAY_MS) await this.#startAnew()
    this.#since = await readChanges(this.#store.db, this.#since, (page) => this.#hear(page))
    this.#heard.clear()
    this.#lookedAt = began
  }

  /** After a look that failed half-way, the same come again. */
  async #hear(page: readonly ChangeEntry[]): Promise<void> {
    const fresh = page.filter(({ position }) => !this.#heard.has(position))
    await this.#listener.heard(fresh, this.#failures < PATIENCE)
    for (const { position } of fresh) this.#heard.add(position)
  }

  async #startAnew(): Promise<void> {
    this.#since = await currentSnapshot(this.#store.db)
    this.#heard.clear()
    this.#listener.lost()
  }

  async #stay(): Promise<void> {
    try {
      if (await renewNode(this.#store.db, this.#node)) return
      await registerNode(this.#store.db, this.#node)
      await this.#startAnew()
    } catch (error) {
      this.#log.warn({ err: error }, 'this node could not say that it listens')
    }
  }
}
