import type { Catalog } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { USER_SETTINGS_ID } from '../../records/auth/disabled.ts'
import { type RecordRow, toValues } from '../../records/columns.ts'
import type { AuthRecord } from '../../request/request.ts'
import type { Snapshot } from '../changes/snapshot.ts'
import type { Budgets } from '../limits/budgets.ts'
import type { Client } from './client.ts'
import type { Owner } from './owner.ts'
import { Seating } from './seating.ts'
import { Shares } from './shares.ts'
import type { Topic } from './topic.ts'
import { Topics } from './topics.ts'
import { type Viewer, Viewers } from './viewers.ts'

/** The clients of this node: who each of them is, and what it is subscribed to. */
export class ClientRegistry {
  readonly clients = new Map<string, Client>()
  readonly viewers = new Viewers()
  readonly seating = new Seating()
  readonly shares: Shares
  readonly #topics = new Topics()
  readonly #isLeaving: (owner: Owner) => void
  #catalog: Catalog | undefined

  /** `isLeaving` is called before clients of an owner become another's. */
  constructor(budgets: Budgets, isLeaving: (owner: Owner) => void) {
    this.#isLeaving = isLeaving
    this.shares = new Shares(budgets, (client) => {
      this.remove(client)
      client.end()
    })
  }

  add(client: Client): void {
    this.clients.set(client.id, client)
    this.shares.enter(client)
  }

  remove(client: Client): void {
    if (!this.clients.delete(client.id)) return
    this.#leaveAll(client)
    this.shares.leave(client)
    for (const { topic } of client.subscriptions.values()) this.#topics.release(topic)
    client.subscriptions = new Map()
    this.viewers.release(client.viewer)
  }

  /**
   * Puts new subscriptions in the place of a client's old ones, for a viewer who is held for it. What it was
   * subscribed to before goes on without a gap. Throws 429, and changes nothing, where it is too much for the
   * owner.
   */
  subscribe(client: Client, viewer: Viewer, wanted: readonly Topic[], since: Snapshot): void {
    const owner = this.shares.ownerOf(viewer, client.origin.network)
    const topics = [...new Map(wanted.map((topic) => [topic.name, topic])).values()].map((topic) =>
      this.#topics.hold(topic),
    )
    try {
      this.shares.charge(client, owner, topics)
    } catch (error) {
      for (const topic of topics) this.#topics.release(topic)
      throw error
    }
    const old = client.subscriptions
    const added = new Map(
      topics.map((topic) => [topic.name, { topic, since: old.get(topic.name)?.since ?? since }]),
    )
    this.viewers.release(client.viewer)
    if (client.viewer === viewer && client.owner === owner) this.#exchange(client, added)
    else this.#handOver(client, viewer, owner, added)
    for (const { topic } of old.values()) this.#topics.release(topic)
  }

  /** Ends one subscription of a client. */
  unsubscribe(client: Client, name: string): void {
    const ended = client.subscriptions.get(name)
    if (!ended) return
    this.seating.leave(client, ended.topic)
    this.shares.drop(client, ended.topic)
    this.#topics.release(ended.topic)
    client.subscriptions = new Map([...client.subscriptions].filter(([other]) => other !== name))
  }

  /** True if somebody here is concerned by changes of a record. */
  knows(collection: Collection, record: string): boolean {
    if (collection.id === USER_SETTINGS_ID) return true // whose they are is in the record
    return this.viewers.has(collection.id, record) || this.seating.has(collection, record)
  }

  /** Whose collection no longer vouches for them are guests from now on. */
  follow(catalog: Catalog): void {
    if (this.#catalog === catalog) return
    this.#catalog = catalog
    for (const viewer of this.viewers.follow(catalog)) this.#makeGuests(viewer)
  }

  /**
   * A record was made or changed. Hangs up on a user whose settings say that they are disabled, and on their
   * devices.
   */
  refresh(collection: Collection, record: string, row: RecordRow): void {
    if (collection.id === USER_SETTINGS_ID) {
      const { user, disabled } = toValues(collection, row)
      if (disabled === true)
        for (const viewer of this.viewers.withDevices(String(user))) this.#endClientsOf(viewer)
      return
    }
    const gone = this.viewers.refresh(collection, record, row)
    if (gone) this.#makeGuests(gone)
  }

  /** A record of an auth collection is gone. */
  signOut(collection: Collection, record: string): void {
    const gone = this.viewers.signOut(collection.id, record)
    if (gone) this.#makeGuests(gone)
  }

  /**
   * Hangs up on all who would have heard of a change of this record, or are this record: they come again, and
   * read anew.
   */
  disconnect(collection: Collection, record: string): void {
    // settings that cannot be read may have disabled anybody
    if (collection.id === USER_SETTINGS_ID)
      for (const viewer of this.viewers.all()) this.#endClientsOf(viewer)
    this.#endClientsOf({ collection, id: record })
    const groups = this.seating.groups(collection, record).flatMap(([, { seats }]) => [...seats.values()])
    const bare = this.seating.bare(collection, record).map(([, seat]) => seat)
    const concerned = [...bare, ...groups].flatMap(({ clients }) => clients)
    for (const client of new Set(concerned)) client.end()
  }

  /** Hangs up on the viewer with this key: who may still look on comes again. */
  endClientsOf(key: string): void {
    const viewer = this.viewers.find(key)
    if (viewer) this.#endClientsOf(viewer)
  }

  #exchange(client: Client, added: Client['subscriptions']): void {
    const old = client.subscriptions
    for (const [name, { topic }] of added) if (!old.has(name)) this.seating.take(client, topic)
    for (const [name, { topic }] of old) if (!added.has(name)) this.seating.leave(client, topic)
    client.subscriptions = added
  }

  #handOver(client: Client, viewer: Viewer, owner: Owner, added: Client['subscriptions']): void {
    this.#isLeaving(client.owner)
    this.#leaveAll(client)
    this.shares.move(client, owner)
    client.viewer = viewer
    client.subscriptions = added
    this.#takeAll(client)
  }

  #endClientsOf({ collection, id }: Pick<AuthRecord, 'collection' | 'id'>): void {
    const gone = this.viewers.signOut(collection.id, id)
    const clients = gone ? this.#clientsOf(gone) : []
    if (gone) this.#makeGuests(gone)
    for (const client of clients) client.end()
  }

  #clientsOf(viewer: Viewer): Client[] {
    const owner = this.shares.ownerOf(viewer, '')
    return this.shares.clientsOf(owner).filter((client) => client.viewer === viewer)
  }

  #makeGuests(viewer: Viewer): void {
    const clients = this.#clientsOf(viewer)
    if (clients[0]) this.#isLeaving(clients[0].owner)
    for (const client of clients) {
      const { guest } = this.viewers
      this.#leaveAll(client)
      this.shares.adopt(client, this.shares.ownerOf(guest, client.origin.network))
      client.viewer = guest
      this.#takeAll(client)
    }
  }

  #takeAll(client: Client): void {
    for (const { topic } of client.subscriptions.values()) this.seating.take(client, topic)
  }

  #leaveAll(client: Client): void {
    for (const { topic } of client.subscriptions.values()) this.seating.leave(client, topic)
  }
}
