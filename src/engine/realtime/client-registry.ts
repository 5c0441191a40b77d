import { makeAccountHolder } from '../../platform/limits/limit-holder.ts'
import type { Catalog } from '../collections/catalog.ts'
import { type Collection, DEVICES_ID, USERS_ID } from '../collections/collection.ts'
import { USER_SETTINGS_ID } from '../records/disabled-user.ts'
import { type RecordRow, toValues } from '../records/record-row.ts'
import { type AuthRecord, makeAuthRecord } from '../request/request.ts'
import type { Client, Viewer } from './client.ts'
import type { Snapshot } from './snapshot.ts'
import { makeSubscriptionIndex } from './subscription-index.ts'
import type { Topic } from './topic.ts'

function makeViewers() {
  const guest: Viewer = Object.freeze({ account: '', actor: '', auth: null })
  const known = new Map<string, Map<string, { viewer: Viewer; holders: number }>>()

  const of = (account: string): Viewer[] =>
    [...(known.get(account)?.values() ?? [])].map(({ viewer }) => viewer)
  const viewers = () => [...known.keys()].flatMap(of)
  const all = (): AuthRecord[] => viewers().flatMap(({ auth }) => auth ?? [])

  /** Signs out and returns all viewers of an account. Their connections stay open. */
  function signOut(collection: string, record: string): Viewer[] {
    const account = makeAccountHolder(collection, record)
    const gone = of(account)
    known.delete(account)
    for (const viewer of gone) viewer.auth = null
    return gone
  }

  return {
    guest,
    of,
    all,
    signOut,
    hold(auth: AuthRecord | null): Viewer {
      if (!auth) return guest
      const account = makeAccountHolder(auth.collection.id, auth.id)
      const actor = auth.actor?.id ?? ''
      const ofAccount = known.get(account) ?? new Map()
      const entry = ofAccount.get(actor) ?? { viewer: { account, actor, auth }, holders: 0 }
      entry.holders++
      known.set(account, ofAccount.set(actor, entry))
      return entry.viewer
    },
    release(viewer: Viewer): void {
      const ofAccount = known.get(viewer.account)
      const entry = ofAccount?.get(viewer.actor)
      if (entry?.viewer !== viewer || --entry.holders > 0) return
      ofAccount!.delete(viewer.actor)
      if (ofAccount!.size === 0) known.delete(viewer.account)
    },
    has: (collection: string, record: string) => known.has(makeAccountHolder(collection, record)),
    /** Gives viewers their changed record. If the token key has changed, signs them out and returns them. */
    refresh(collection: Collection, record: string, row: RecordRow): Viewer[] {
      const changed = of(makeAccountHolder(collection.id, record))
      if (changed.length === 0) return []
      const values = toValues(collection, row)
      if (changed.some(({ auth }) => auth && auth.values.tokenKey !== values.tokenKey))
        return signOut(collection.id, record)
      for (const viewer of changed)
        if (viewer.auth)
          viewer.auth = makeAuthRecord(collection, values, viewer.auth.version, viewer.auth)
      return []
    },
    withDevices: (user: string): AuthRecord[] =>
      all().filter(({ collection, id, values }) =>
        collection.id === USERS_ID
          ? id === user
          : collection.id === DEVICES_ID && values.user === user,
      ),
    /** Signs out and returns the viewers whose collection was deleted or has a new token secret. */
    follow(catalog: Catalog): Viewer[] {
      const gone: Viewer[] = []
      for (const viewer of viewers()) {
        if (!viewer.auth) continue // already signed out together with another viewer of its account
        const { collection: before, id } = viewer.auth
        const now = catalog.find(before.id)
        if (now === before) continue
        if (
          now?.type === 'auth' &&
          before.type === 'auth' &&
          now.authToken.secret === before.authToken.secret
        )
          viewer.auth = { ...viewer.auth, collection: now }
        else gone.push(...signOut(before.id, id))
      }
      return gone
    },
  }
}

export type ClientRegistry = ReturnType<typeof makeClientRegistry>

export function makeClientRegistry() {
  const clients = new Map<string, Client>()
  const viewers = makeViewers()
  const index = makeSubscriptionIndex()
  let known: Catalog | undefined

  function list(client: Client): void {
    for (const { topic } of client.subscriptions.values()) index.add(client, topic)
  }

  function unlist(client: Client): void {
    for (const { topic } of client.subscriptions.values()) index.remove(client, topic)
  }

  /** Turns a viewer's clients into guests and returns them. Their memory is still charged to the account. */
  function makeGuests(viewer: Viewer): Client[] {
    const gone = [...clients.values()].filter((client) => client.viewer === viewer)
    for (const client of gone) {
      unlist(client)
      client.viewer = viewers.guest
      list(client)
    }
    return gone
  }

  function endClients({ collection, id }: Pick<AuthRecord, 'collection' | 'id'>): void {
    for (const gone of viewers.signOut(collection.id, id))
      for (const client of makeGuests(gone)) client.end()
  }

  return {
    clients,
    viewers,
    index,
    remove(client: Client): void {
      if (!clients.delete(client.id)) return
      unlist(client)
      client.subscriptions = new Map()
      viewers.release(client.viewer)
    },
    /** Replaces a client's subscriptions; unchanged ones continue. Throws RetryLater if no memory is free. */
    subscribe(client: Client, viewer: Viewer, wanted: readonly Topic[], since: Snapshot): void {
      const old = client.subscriptions
      const subscriptions = new Map(
        wanted.map((topic) => [topic.name, old.get(topic.name) ?? { topic, since }]),
      )
      client.count(viewer, subscriptions)
      viewers.release(client.viewer)
      unlist(client)
      client.viewer = viewer
      client.subscriptions = subscriptions
      list(client)
    },
    unsubscribe(client: Client, name: string): void {
      const ended = client.subscriptions.get(name)
      if (!ended) return
      index.remove(client, ended.topic)
      client.subscriptions = new Map([...client.subscriptions].filter(([other]) => other !== name))
    },
    /** Whether to read changes of this record: a client may want them, or the record is a user's settings. */
    knows: (collection: Collection, record: string): boolean =>
      collection.id === USER_SETTINGS_ID ||
      viewers.has(collection.id, record) ||
      index.has(collection, record),
    /** Signs out the viewers whose tokens a change of their collection has invalidated. */
    follow(catalog: Catalog): void {
      if (known === catalog) return
      known = catalog
      for (const viewer of viewers.follow(catalog)) makeGuests(viewer)
    },
    /** Updates viewers of a changed record. If it disables a user, disconnects the user and its devices. */
    refresh(collection: Collection, record: string, row: RecordRow): void {
      if (collection.id !== USER_SETTINGS_ID)
        viewers.refresh(collection, record, row).forEach(makeGuests)
      else {
        const { user, disabled } = toValues(collection, row)
        if (disabled === true) viewers.withDevices(String(user)).forEach(endClients)
      }
    },
    signOut: (collection: Collection, record: string): void =>
      viewers.signOut(collection.id, record).forEach(makeGuests),
    /** Disconnects clients that a change of this record may concern: they reconnect and read it again. */
    disconnect(collection: Collection, record: string): void {
      if (collection.id === USER_SETTINGS_ID) viewers.all().forEach(endClients)
      endClients({ collection, id: record })
      for (const { receivers } of index.groups(collection, record))
        for (const client of receivers.clients) client.end()
    },
    endClientsOf(account: string): void {
      const auth = viewers.of(account)[0]?.auth
      if (auth) endClients(auth)
    },
  }
}
