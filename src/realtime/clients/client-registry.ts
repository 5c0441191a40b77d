import type { Catalog, Collection } from '../../collections/catalog.ts'
import { type RecordRow, toValues } from '../../records/columns.ts'
import { USER_SETTINGS_ID } from '../../records/fresh-auth.ts'
import type { AuthRecord } from '../../request/request.ts'
import type { Snapshot } from '../changes/change-log.ts'
import type { Client } from './client.ts'
import { SubscriptionIndex } from './subscription-index.ts'
import type { Topic } from './topic.ts'
import { type Viewer, Viewers } from './viewers.ts'

export class ClientRegistry {
  readonly clients = new Map<string, Client>()
  readonly viewers = new Viewers()
  readonly index = new SubscriptionIndex()
  #catalog: Catalog | undefined

  add(client: Client): void {
    this.clients.set(client.id, client)
  }

  remove(client: Client): void {
    if (!this.clients.delete(client.id)) return
    this.#unlist(client)
    client.subscriptions = new Map()
    this.viewers.release(client.viewer)
  }

  /** Replaces a client's subscriptions; unchanged ones continue. Throws RetryLater if no memory is free. */
  subscribe(client: Client, viewer: Viewer, wanted: readonly Topic[], since: Snapshot): void {
    const old = client.subscriptions
    const subscriptions = new Map(
      wanted.map((topic) => [topic.name, old.get(topic.name) ?? { topic, since }]),
    )
    client.count(viewer, subscriptions)
    this.viewers.release(client.viewer)
    this.#unlist(client)
    client.viewer = viewer
    client.subscriptions = subscriptions
    this.#list(client)
  }

  unsubscribe(client: Client, name: string): void {
    const ended = client.subscriptions.get(name)
    if (!ended) return
    this.index.remove(client, ended.topic)
    client.subscriptions = new Map([...client.subscriptions].filter(([other]) => other !== name))
  }

  knows(collection: Collection, record: string): boolean {
    if (collection.id === USER_SETTINGS_ID) return true // the record names the user
    return this.viewers.has(collection.id, record) || this.index.has(collection, record)
  }

  /** Signs out the viewers whose tokens a change of their collection has invalidated. */
  follow(catalog: Catalog): void {
    if (this.#catalog === catalog) return
    this.#catalog = catalog
    for (const viewer of this.viewers.follow(catalog)) this.#makeGuests(viewer)
  }

  /** Applies a created or changed record. Disconnects a newly disabled user and the user's devices. */
  refresh(collection: Collection, record: string, row: RecordRow): void {
    if (collection.id === USER_SETTINGS_ID) {
      const { user, disabled } = toValues(collection, row)
      if (disabled === true)
        for (const viewer of this.viewers.withDevices(String(user))) this.#endClientsOf(viewer)
      return
    }
    for (const gone of this.viewers.refresh(collection, record, row)) this.#makeGuests(gone)
  }

  signOut(collection: Collection, record: string): void {
    for (const gone of this.viewers.signOut(collection.id, record)) this.#makeGuests(gone)
  }

  /** Disconnects clients to whom a change of this record may matter: they reconnect and read again. */
  disconnect(collection: Collection, record: string): void {
    if (collection.id === USER_SETTINGS_ID)
      for (const viewer of this.viewers.all()) this.#endClientsOf(viewer)
    this.#endClientsOf({ collection, id: record })
    for (const { receivers } of this.index.groups(collection, record))
      for (const client of receivers.clients) client.end()
  }

  endClientsOf(account: string): void {
    const auth = this.viewers.of(account)[0]?.auth
    if (auth) this.#endClientsOf(auth)
  }

  #endClientsOf({ collection, id }: Pick<AuthRecord, 'collection' | 'id'>): void {
    for (const gone of this.viewers.signOut(collection.id, id))
      for (const client of this.#makeGuests(gone)) client.end()
  }

  /** Turns a viewer's clients into guests and returns them. Their memory still counts for the account. */
  #makeGuests(viewer: Viewer): Client[] {
    const clients = [...this.clients.values()].filter((client) => client.viewer === viewer)
    for (const client of clients) {
      this.#unlist(client)
      client.viewer = this.viewers.guest
      this.#list(client)
    }
    return clients
  }

  #list(client: Client): void {
    for (const { topic } of client.subscriptions.values()) this.index.add(client, topic)
  }

  #unlist(client: Client): void {
    for (const { topic } of client.subscriptions.values()) this.index.remove(client, topic)
  }
}
