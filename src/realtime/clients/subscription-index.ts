import type { Holder } from '../../admission/holder.ts'
import { type Ticket, ticketOf } from '../../admission/ticket.ts'
import type { Catalog } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { type AuthRecord, limitsOf, type RequestInfo } from '../../request/request.ts'
import { catalogFor } from '../../rules/roles.ts'
import type { Change } from '../changes/change.ts'
import { type Access, accessMaker, judgeHere } from './access.ts'
import type { Client } from './client.ts'
import type { Topic } from './topic.ts'
import type { Viewer } from './viewers.ts'

export interface GroupState {
  readonly group: SubscriptionGroup
  readonly clients: readonly Client[]
  readonly request: RequestInfo
  /** Charged for the filter and expand of the topic's options; undefined without options. */
  readonly ticket: Ticket | undefined
  readonly access: Access
}

/** A topic with a record's ID is bound to the viewRule, others to the listRule. */
const ruleOf = (base: string): 'listRule' | 'viewRule' => (/\/(?!\*$)/.test(base) ? 'viewRule' : 'listRule')

/** The clients that get the same events: one topic of one viewer, or of one network of guests. */
class SubscriptionGroup {
  readonly topic: Topic
  readonly #holder: Holder | undefined
  readonly #clients = new Set<Client>()
  #list: readonly Client[] | undefined
  #known: (Pick<GroupState, 'request' | 'ticket'> & { catalog: Catalog; access: () => Access }) | undefined

  /** `holder`: given for topics with options. */
  constructor(topic: Topic, holder?: Holder) {
    this.topic = topic
    this.#holder = holder
  }

  /** An immutable list. */
  get clients(): readonly Client[] {
    this.#list ??= [...this.#clients]
    return this.#list
  }

  get isEmpty(): boolean {
    return this.#clients.size === 0
  }

  add(client: Client): void {
    this.#clients.add(client)
    this.#list = undefined
  }

  remove(client: Client): void {
    this.#clients.delete(client)
    this.#list = undefined
  }

  /**
   * Compiles rule and filter once for a state of the collections and the viewer. Throws RetryLater when the
   * holder has compiled too many filters.
   */
  state(
    catalog: Catalog,
    collection: Collection,
    auth: AuthRecord | null,
    clients: readonly Client[],
  ): GroupState {
    if (this.#known?.catalog !== catalog || this.#known.request.auth !== auth) {
      const { query, headers, base } = this.topic
      const request: RequestInfo = {
        context: 'realtime',
        method: 'GET',
        query,
        headers,
        body: {},
        auth,
      }
      const holder = this.#holder
      const ticket = holder === undefined ? undefined : ticketOf(holder, auth?.isSuperuser)
      const [seen, its] = seenBy(auth, catalog, collection)
      const access = accessMaker(seen, its, its[ruleOf(base)], query.filter ?? '', request, ticket)
      this.#known = { catalog, request, ticket, access }
    }
    const { request, ticket, access } = this.#known
    return { group: this, clients, request, ticket, access: access() }
  }
}

/** The catalog and the collection, limited by the viewer's role. */
function seenBy(auth: AuthRecord | null, catalog: Catalog, collection: Collection): [Catalog, Collection] {
  const limits = auth ? limitsOf(auth) : undefined
  if (!limits) return [catalog, collection]
  const seen = catalogFor(catalog, limits)
  return [seen, seen.find(collection.id) ?? collection]
}

/** A rule with these depends on the options of the topic. */
const READS_OPTIONS = /@request\.(?:query|headers)/i

/** The clients of a group and their auth record at the time of a change. */
export interface Receivers {
  readonly group: SubscriptionGroup
  readonly clients: readonly Client[]
  readonly auth: AuthRecord | null
}

/** Topics with options that name the same records, of one holder and viewer. */
class HolderTopics {
  readonly holder: Holder
  readonly viewer: Viewer
  readonly groups = new Map<string, SubscriptionGroup>()
  readonly #rule: 'listRule' | 'viewRule'
  #known: { catalog: Catalog; auth: unknown; access: () => Access } | undefined

  constructor(base: string, holder: Holder, viewer: Viewer) {
    this.holder = holder
    this.viewer = viewer
    this.#rule = ruleOf(base)
  }

  /** Whether the collection's rule alone lets the change through. If not, no filter is compiled. */
  mayPass(catalog: Catalog, change: Change): boolean {
    const { auth } = this.viewer
    const [seen, collection] = seenBy(auth, catalog, change.collection)
    const rule = collection[this.#rule]
    if (rule && READS_OPTIONS.test(rule)) return true
    if (this.#known?.catalog !== catalog || this.#known.auth !== auth) {
      const request = { context: 'realtime', method: 'GET', query: {}, headers: {}, body: {}, auth } as const
      this.#known = { catalog, auth, access: accessMaker(seen, collection, rule, '', request) }
    }
    return judgeHere(this.#known.access(), change) !== false
  }

  receivers(): Receivers[] {
    const { auth } = this.viewer
    return [...this.groups.values()].map((group) => ({ group, clients: group.clients, auth }))
  }
}

interface Entry {
  /** Topics without options: checked for all viewers together. */
  readonly plain: Map<Viewer, SubscriptionGroup>
  /** Topics with options: checked for each holder and viewer separately. */
  readonly withOptions: Map<string, HolderTopics>
}

/** Finds the subscriptions that a change concerns. */
export class SubscriptionIndex {
  readonly #entries = new Map<string, Entry>()

  add(client: Client, topic: Topic): void {
    const { name, base } = topic
    const { viewer, holder } = client
    const { plain, withOptions } = getOrSet(this.#entries, base, () => ({
      plain: new Map(),
      withOptions: new Map(),
    }))
    if (name === base) getOrSet(plain, viewer, () => new SubscriptionGroup(topic)).add(client)
    else {
      const { groups } = getOrSet(withOptions, keyOf(client), () => new HolderTopics(base, holder, viewer))
      getOrSet(groups, name, () => new SubscriptionGroup(topic, holder)).add(client)
    }
  }

  /** Call it before the client's viewer changes. */
  remove(client: Client, { name, base }: Topic): void {
    const entry = this.#entries.get(base)
    if (!entry) return
    const { plain, withOptions } = entry
    if (name === base) removeFrom(plain, client.viewer, client)
    else {
      const topics = withOptions.get(keyOf(client))
      if (topics) removeFrom(topics.groups, name, client)
      if (topics?.groups.size === 0) withOptions.delete(keyOf(client))
    }
    if (plain.size + withOptions.size === 0) this.#entries.delete(base)
  }

  /** Clients of an account that are subscribed to a topic without options. */
  clientsOf(base: string, collection: string, account: string): Client[] {
    const groups = [...(this.#entries.get(base)?.plain ?? [])]
    const isOf = ({ auth }: Viewer) => auth?.id === account && auth.collection.id === collection
    return groups.flatMap(([viewer, { clients }]) => (isOf(viewer) ? clients : []))
  }

  has(collection: Collection, record: string): boolean {
    return basesOf(collection, record).some((base) => this.#entries.has(base))
  }

  /** Topics without options that name this record, by viewer. */
  plain(collection: Collection, record: string): [viewer: Viewer, group: SubscriptionGroup][] {
    return this.#at(collection, record).flatMap(({ plain }) => [...plain])
  }

  withOptions(collection: Collection, record: string): HolderTopics[] {
    return this.#at(collection, record).flatMap(({ withOptions }) => [...withOptions.values()])
  }

  all(collection: Collection, record: string): SubscriptionGroup[] {
    const others = this.withOptions(collection, record).flatMap(({ groups }) => [...groups.values()])
    return [...this.plain(collection, record).map(([, group]) => group), ...others]
  }

  #at(collection: Collection, record: string): Entry[] {
    return basesOf(collection, record).flatMap((base) => this.#entries.get(base) ?? [])
  }
}

/** The topics without options that name a record. PocketBase: apis/realtime.go, realtimeBroadcastRecord */
const basesOf = ({ name, id }: Collection, record: string): string[] =>
  (name === id ? [name] : [name, id]).flatMap((key) => [`${key}/${record}`, `${key}/*`, key])

const keyOf = ({ origin, viewer }: Client) => `${viewer.account || origin.holder} ${viewer.actor}`

function getOrSet<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known) return known
  const made = make()
  map.set(key, made)
  return made
}

function removeFrom<K>(groups: Map<K, SubscriptionGroup>, key: K, client: Client): void {
  const group = groups.get(key)
  group?.remove(client)
  if (group?.isEmpty) groups.delete(key)
}
