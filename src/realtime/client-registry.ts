import { accountHolder } from '../admission/holder.ts'
import { type Catalog, type Collection, DEVICES_ID, USERS_ID } from '../collections/catalog.ts'
import { type RecordRow, toValues, USER_SETTINGS_ID } from '../records/record-sql.ts'
import { type AuthRecord, authRecord } from '../request/request.ts'
import type { Snapshot } from './change-log.ts'
import type { Client, Topic, Viewer } from './client.ts'
import { SubscriptionIndex } from './subscription-index.ts'

class Viewers {
  readonly guest: Viewer = Object.freeze({ account: '', actor: '', auth: null })
  readonly #known = new Map<string, Map<string, { viewer: Viewer; holders: number }>>()

  hold(auth: AuthRecord | null): Viewer {
    if (!auth) return this.guest
    const account = accountHolder(auth.collection.id, auth.id)
    const actor = auth.actor?.id ?? ''
    const ofAccount = this.#known.get(account) ?? new Map()
    const entry = ofAccount.get(actor) ?? { viewer: { account, actor, auth }, holders: 0 }
    entry.holders++
    this.#known.set(account, ofAccount.set(actor, entry))
    return entry.viewer
  }

  release(viewer: Viewer): void {
    const ofAccount = this.#known.get(viewer.account)
    const entry = ofAccount?.get(viewer.actor)
    if (entry?.viewer !== viewer || --entry.holders > 0) return
    ofAccount!.delete(viewer.actor)
    if (ofAccount!.size === 0) this.#known.delete(viewer.account)
  }

  has(collection: string, record: string): boolean {
    return this.#known.has(accountHolder(collection, record))
  }

  of(account: string): Viewer[] {
    return [...(this.#known.get(account)?.values() ?? [])].map(({ viewer }) => viewer)
  }

  /** Gives viewers their changed record. If the token key has changed, signs them out and returns them. */
  refresh(collection: Collection, record: string, row: RecordRow): Viewer[] {
    const viewers = this.of(accountHolder(collection.id, record))
    if (viewers.length === 0) return []
    const values = toValues(collection, row)
    if (viewers.some(({ auth }) => auth && auth.values.tokenKey !== values.tokenKey))
      return this.signOut(collection.id, record)
    for (const viewer of viewers)
      if (viewer.auth) viewer.auth = authRecord(collection, values, viewer.auth.version, viewer.auth)
    return []
  }

  all(): AuthRecord[] {
    return this.#viewers().flatMap(({ auth }) => auth ?? [])
  }

  #viewers(): Viewer[] {
    return [...this.#known.keys()].flatMap((account) => this.of(account))
  }

  withDevices(user: string): AuthRecord[] {
    const isOf = ({ collection, id, values }: AuthRecord) =>
      collection.id === USERS_ID ? id === user : collection.id === DEVICES_ID && values.user === user
    return this.all().filter(isOf)
  }

  /** Signs the viewers of a record out and returns them. Their connections stay. */
  signOut(collection: string, record: string): Viewer[] {
    const account = accountHolder(collection, record)
    const viewers = this.of(account)
    this.#known.delete(account)
    for (const viewer of viewers) viewer.auth = null
    return viewers
  }

  /** Signs out and returns the viewers whose collection was deleted or has another token secret. */
  follow(catalog: Catalog): Viewer[] {
    const gone: Viewer[] = []
    for (const viewer of this.#viewers()) {
      if (!viewer.auth) continue // already signed out together with another viewer of its account
      const { collection: before, id } = viewer.auth
      const now = catalog.find(before.id)
      if (now === before) continue
      if (now?.type === 'auth' && before.type === 'auth' && now.authToken.secret === before.authToken.secret)
        viewer.auth = { ...viewer.auth, collection: now }
      else gone.push(...this.signOut(before.id, id))
    }
    return gone
  }
}

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
