import type { Catalog } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import type { Row } from '../records/columns.ts'
import type { Client } from './client.ts'
import { type Seat, Seats } from './seats.ts'
import type { Snapshot } from './snapshot.ts'
import type { Topic } from './topic.ts'
import { type Viewer, Viewers } from './viewers.ts'

/** The clients of this node: who each of them is, and what it is subscribed to. */
export class Audience {
  readonly clients = new Map<string, Client>()
  readonly viewers = new Viewers()
  readonly #seats = new Seats()
  #catalog: Catalog | undefined

  add(client: Client): void {
    this.clients.set(client.id, client)
  }

  remove(client: Client): void {
    if (!this.clients.delete(client.id)) return
    this.#leaveAll(client)
    this.viewers.release(client.viewer)
  }

  /**
   * Puts new subscriptions in the place of a client's old ones, for a viewer who is held for it. What it was
   * subscribed to before goes on without a gap.
   */
  subscribe(client: Client, viewer: Viewer, topics: readonly Topic[], since: Snapshot): void {
    const old = client.subscriptions
    this.#leaveAll(client)
    this.viewers.release(client.viewer)
    client.viewer = viewer
    client.subscriptions = new Map(
      topics.map((topic) => [topic.name, { topic, since: old.get(topic.name)?.since ?? since }]),
    )
    this.#takeAll(client)
  }

  /** Ends one subscription of a client. */
  unsubscribe(client: Client, name: string): void {
    const ended = client.subscriptions.get(name)
    if (!ended) return
    this.#seats.leave(client, ended.topic)
    client.subscriptions = new Map([...client.subscriptions].filter(([other]) => other !== name))
  }

  /** True if somebody here is concerned by changes of a record. */
  knows(collection: Collection, record: string): boolean {
    return this.viewers.has(collection.id, record) || this.seatsFor(collection, record).length > 0
  }

  seatsFor(collection: Collection, record: string): Seat[] {
    return this.#seats.about(collection, record)
  }

  /** Whose collection no longer vouches for them are guests from now on. */
  follow(catalog: Catalog): void {
    if (this.#catalog === catalog) return
    this.#catalog = catalog
    for (const viewer of this.viewers.follow(catalog)) this.#makeGuests(viewer)
  }

  /** A record of an auth collection has changed. */
  refresh(collection: Collection, record: string, row: Row): void {
    const gone = this.viewers.refresh(collection, record, row)
    if (gone) this.#makeGuests(gone)
  }

  /** A record of an auth collection is gone. */
  signOut(collection: Collection, record: string): void {
    const gone = this.viewers.signOut(collection.id, record)
    if (gone) this.#makeGuests(gone)
  }

  /** Hangs up on all who would have heard of a change of this record, or are this record: they come again, and read anew. */
  hangUp(collection: Collection, record: string): void {
    const gone = this.viewers.signOut(collection.id, record)
    const theirs = [...this.clients.values()].filter(({ viewer }) => viewer === gone)
    if (gone) this.#makeGuests(gone)
    const concerned = this.seatsFor(collection, record).flatMap(({ clients }) => clients)
    for (const client of new Set([...theirs, ...concerned])) client.end()
  }

  #makeGuests(viewer: Viewer): void {
    for (const client of this.clients.values()) {
      if (client.viewer !== viewer) continue
      this.#leaveAll(client)
      client.viewer = this.viewers.guest
      this.#takeAll(client)
    }
  }

  #takeAll(client: Client): void {
    for (const { topic } of client.subscriptions.values()) this.#seats.take(client, topic)
  }

  #leaveAll(client: Client): void {
    for (const { topic } of client.subscriptions.values()) this.#seats.leave(client, topic)
  }
}
