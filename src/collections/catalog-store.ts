import { EventEmitter, once } from 'node:events'
import { type Everybody, type Ticket, ticketOf } from '../admission/holder.ts'
import { LOCKS } from '../db/advisory-locks.ts'
import type { Database, Db } from '../db/open.ts'
import { countChannelListeners } from '../db/server.ts'
import { UserError } from '../errors.ts'
import { now } from '../fields/date.ts'
import { randomText } from '../tools/random.ts'
import { serialQueue } from '../tools/repeat.ts'
import { newSecret } from './auth-shape.ts'
import {
  Catalog,
  CatalogDraft,
  type Collection,
  readRows,
  type Store,
  tableName,
  userHolder,
} from './catalog.ts'
import { builtInCollections, systemCollections, withMissingFields } from './definition/built-in.ts'
import { readStored } from './definition/complete.ts'
import { makeOwnObjects } from './own-indexes.ts'
import { checkSqliteNames } from './sqlite/sqlite-fault.ts'
import { alterTable, columnsOf, converted, createTable } from './table.ts'
import { refreshViews, saveView, withoutViews } from './views/view.ts'

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
  catalog = new Catalog([])
  readonly database: Opened
  readonly #db: Db
  #known = new Map<string, { data: string; collection: Collection }>()
  readonly #inTurn = serialQueue()
  #stop: (() => Promise<void>) | undefined
  readonly #barrier: ReturnType<typeof clusterBarrier>

  constructor(database: Opened) {
    this.database = database
    this.#db = database.forEverybody('collections')
    this.signIn = this.forEverybody('sign-in')
    this.#barrier = clusterBarrier(this.#db, CHANNEL)
  }

  for(ticket: Ticket): Store {
    return new BoundStore(this.database.for(ticket), this)
  }

  forUser(id: string): Store {
    return this.for(ticketOf(userHolder(id)))
  }

  forEverybody(work: Everybody): Store {
    return new BoundStore(this.database.forEverybody(work), this)
  }

  async listen(): Promise<void> {
    this.#stop = await this.#db.listen(CHANNEL, (payload) => void this.#hear(payload).catch(() => {}))
  }

  /** Changes collections, one call at a time in all servers. Waits until all servers know the change. */
  async change<T>(work: (draft: CatalogDraft) => Promise<T>): Promise<T> {
    let change = ''
    try {
      const result = await this.#db.transaction(async (db) => {
        // this wait needs no time limit. A wait to lock a table does: readers of the table queue behind it
        await db.script(
          `set local lock_timeout = 0; select pg_advisory_xact_lock(${LOCKS.migration}); set local lock_timeout to default`,
        )
        const before = this.#read(await readRows(db))
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
    const catalog = this.#read(await readRows(this.#db))
    const same =
      catalog.all.length === this.catalog.all.length && catalog.all.every((c, i) => c === this.catalog.all[i])
    if (!same) this.catalog = catalog
  }

  #read(rows: readonly { id: string; data: string }[]): Catalog {
    this.#known = new Map(
      rows.map(({ id, data }) => {
        const known = this.#known.get(id)
        return [id, known?.data === data ? known : { data, collection: readStored(data) }]
      }),
    )
    return new Catalog([...this.#known.values()].map(({ collection }) => collection))
  }
}

export async function openStore(database: Opened): Promise<CatalogStore> {
  const store = new CatalogStore(database)
  await store.change(bootstrap)
  await store.listen()
  return store
}

async function addMissingFields(draft: CatalogDraft, stored: Collection): Promise<void> {
  const next = withMissingFields(stored, await columnsOf(draft.db, tableName(stored)))
  if (next) await saveCollection(draft, next)
}

/** Creates missing system and built-in collections and fields. Throws a UserError if a name is taken. */
export async function bootstrap(draft: CatalogDraft): Promise<void> {
  const wanted = [...systemCollections(), ...builtInCollections()]
  for (const collection of wanted) {
    const taken = draft.catalog.find(collection.name) ?? draft.catalog.find(collection.id)
    if (taken?.id === collection.id) {
      await addMissingFields(draft, taken)
      continue
    }
    if (taken) {
      throw new UserError(
        `The collection "${taken.name}" (${taken.id}) has the name of one that pocketsms needs for itself. Rename it, then start again.`,
      )
    }
    await saveCollection(draft, collection)
  }
  await makeOwnObjects(draft.db)
}

/** Maximum wait for other server processes. One that is disconnected catches up when it reconnects. */
const PATIENCE_MS = 1_000
const SEEN = 'seen '

/** Announces a change to all nodes (server processes) by NOTIFY and waits for their answers. */
function clusterBarrier(ownDb: Db, channel: string) {
  const answers = new Map<string, number>()
  const arrivals = new EventEmitter()
  const say = async (db: Db, payload: string): Promise<void> =>
    void (await db.query('select pg_notify($1, $2)', [channel, payload]))
  return {
    async announce(db: Db): Promise<string> {
      const change = randomText(12)
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

/** Replaces the secret of auth tokens if the authRule changes. All tokens issued before become invalid. */
function withFreshSecret(next: Collection, old: Collection): Collection {
  if (next.type !== 'auth' || old.type !== 'auth' || (next.authRule ?? '') === (old.authRule ?? ''))
    return next
  return { ...next, authToken: { ...next.authToken, secret: newSecret() } }
}

/** For `_superusers`: password sign-in on, OAuth2 off, MFA on if OTP is on. record_model_superusers.go */
function withSuperuserRules(next: Collection): Collection {
  if (next.type !== 'auth' || next.name !== '_superusers') return next
  return {
    ...next,
    oauth2: { ...next.oauth2, enabled: false, providers: [] },
    passwordAuth: { ...next.passwordAuth, enabled: true },
    mfa: { ...next.mfa, enabled: next.mfa.enabled || next.otp.enabled },
  }
}

async function writeTable(draft: CatalogDraft, next: Collection, old: Collection | undefined): Promise<void> {
  if (!old) {
    await createTable(draft.db, next)
    return draft.put(next)
  }
  const alter = async () => {
    await alterTable(draft.db, old, next)
    await draft.put(next)
  }
  return converted(old, next).length > 0 ? withoutViews(draft, next.id, alter) : alter()
}

/** Writes a collection, its table or view and its indexes, then refreshes other views. Validates nothing. */
export async function saveCollection(draft: CatalogDraft, collection: Collection): Promise<void> {
  const old = draft.catalog.all.find((one) => one.id === collection.id)
  checkSqliteNames(draft, collection, old)
  const time = now()
  const stamped = { ...collection, created: old ? collection.created : time, updated: time }
  const next = withSuperuserRules(old ? withFreshSecret(stamped, old) : stamped)
  if (next.type === 'view') await saveView(draft, next, old?.type === 'view' ? old : undefined)
  else await writeTable(draft, next, old)
  await refreshViews(draft, next.id)
}
