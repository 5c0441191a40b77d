import { EventEmitter, once } from 'node:events'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import { callFunction } from '../../platform/db/call-function.ts'
import { countChannelListeners } from '../../platform/db/count-listeners.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import {
  type Everybody,
  makeServerTicket,
  type Ticket,
} from '../../platform/limits/limit-holder.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import { makeSerialQueue } from '../../platform/tools/repeat-work.ts'
import { Catalog, CatalogDraft, loadCollectionRows, type Store } from './catalog.ts'
import { type Collection, makeUserHolder } from './collection.ts'
import { createSystemCollections } from './create-system-collections.ts'
import type { BuiltIn } from './definition/built-in-collections.ts'
import { parseStoredCollection } from './definition/read-collection.ts'

const CHANNEL = 'collections'

export type Collections = Pick<CatalogStore, 'catalog' | 'change'>

type Opened = Pick<Database, 'for' | 'forEverybody'>

/** A Store for one Db. A class, because in V8 a literal with a getter makes a hidden class per object. */
class BoundStore implements Store {
  readonly db: Db
  readonly #all: Pick<Store, 'catalog'>

  constructor(db: Db, all: Pick<Store, 'catalog'>) {
    this.db = db
    this.#all = all
  }

  get catalog(): Catalog {
    return this.#all.catalog
  }
}

/** Holds the newest catalog and makes stores with it. Server processes announce changes by NOTIFY. */
export class CatalogStore {
  readonly signIn: Store
  catalog: Catalog
  readonly database: Opened
  readonly #db: Db
  #known = new Map<string, { data: string; collection: Collection }>()
  readonly #inTurn = makeSerialQueue()
  #stop: (() => Promise<void>) | undefined
  readonly #barrier: ReturnType<typeof makeClusterBarrier>

  constructor(database: Opened, builtIn: BuiltIn) {
    this.database = database
    this.catalog = new Catalog([], builtIn)
    this.#db = database.forEverybody('collections')
    this.signIn = this.forEverybody('sign-in')
    this.#barrier = makeClusterBarrier(this.#db, CHANNEL)
  }

  for(ticket: Ticket): Store {
    return new BoundStore(this.database.for(ticket), this)
  }

  forUser(id: string): Store {
    return this.for(makeServerTicket(makeUserHolder(id)))
  }

  forEverybody(work: Everybody): Store {
    return new BoundStore(this.database.forEverybody(work), this)
  }

  async listen(): Promise<void> {
    this.#stop = await this.#db.listen(
      CHANNEL,
      (payload) => void this.#hear(payload).catch(() => {}),
    )
  }

  /**
   * Changes collections, one call at a time in all servers. Waits until all servers have loaded the change.
   */
  async change<T>(work: (draft: CatalogDraft) => Promise<T>): Promise<T> {
    let change = ''
    try {
      const result = await this.#db.transaction(async (db) => {
        // this wait needs no time limit. A wait to lock a table does: readers of the table queue behind it
        await db.script(
          `set local lock_timeout = 0; select pg_advisory_xact_lock(${LOCKS.migration}); set local lock_timeout to default`,
        )
        const before = this.#read(await loadCollectionRows(db))
        const draft = new CatalogDraft(db, before)
        const result = await work(draft)
        if (draft.catalog !== before) change = await this.#barrier.announce(db)
        return result
      })
      await this.reload()
      if (change && this.#stop) await this.#barrier.complete(change)
      return result
    } finally {
      this.#barrier.forget(change)
    }
  }

  /** Reads the collections again. Unchanged ones stay the same objects, and so does an unchanged catalog. */
  reload(): Promise<void> {
    return this.#inTurn(() => this.#load())
  }

  async close(): Promise<void> {
    await this.#stop?.()
  }

  async #hear(payload: string): Promise<void> {
    if (this.#barrier.hear(payload)) return
    await this.reload()
    await this.#barrier.answer(payload)
  }

  async #load(): Promise<void> {
    const catalog = this.#read(await loadCollectionRows(this.#db))
    const same =
      catalog.all.length === this.catalog.all.length &&
      catalog.all.every((c, i) => c === this.catalog.all[i])
    if (!same) this.catalog = catalog
  }

  #read(rows: readonly { id: string; data: string }[]): Catalog {
    this.#known = new Map(
      rows.map(({ id, data }) => {
        const known = this.#known.get(id)
        return [
          id,
          known?.data === data ? known : { data, collection: parseStoredCollection(data) },
        ]
      }),
    )
    const collections = [...this.#known.values()].map(({ collection }) => collection)
    return new Catalog(collections, this.catalog.builtIn)
  }
}

/** Opens the collections, and creates the built-in ones that are missing. */
export async function openCatalogStore(database: Opened, builtIn: BuiltIn): Promise<CatalogStore> {
  const store = new CatalogStore(database, builtIn)
  await store.change(createSystemCollections)
  await store.listen()
  return store
}

/** Maximum wait for other server processes. One that is disconnected catches up when it reconnects. */
const PATIENCE_MS = 1_000
const SEEN = 'seen '

/** Announces a change to all nodes (server processes) by NOTIFY and waits for their answers. */
function makeClusterBarrier(ownDb: Db, channel: string) {
  const answers = new Map<string, number>()
  const arrivals = new EventEmitter()
  const say = (db: Db, payload: string) => callFunction(db, 'pg_notify', channel, payload)
  return {
    async announce(db: Db): Promise<string> {
      const change = makeRandomText(12)
      answers.set(change, 0)
      await say(db, change)
      return change
    },
    hear(payload: string): boolean {
      if (!payload.startsWith(SEEN)) return false
      const change = payload.slice(SEEN.length)
      const count = answers.get(change)
      if (count !== undefined) {
        answers.set(change, count + 1)
        arrivals.emit('answer')
      }
      return true
    },
    async answer(change: string): Promise<void> {
      if (change !== '') await say(ownDb, SEEN + change)
    },
    /** Waits at most PATIENCE_MS until every server process, including this one, has answered. */
    async complete(change: string): Promise<void> {
      const signal = AbortSignal.timeout(PATIENCE_MS)
      const nodes = await countChannelListeners(ownDb, channel)
      while ((answers.get(change) ?? 0) < nodes && !signal.aborted)
        await once(arrivals, 'answer', { signal }).catch(() => {})
    },
    forget: (change: string) => answers.delete(change),
  }
}
