import { type Holder, type Ticket, ticketOf } from '../../admission/holder.ts'
import type { Catalog, Collection, Rule } from '../../collections/catalog.ts'
import { type AuthRecord, NO_REQUEST, type RequestInfo } from '../../request/request.ts'
import { catalogFor } from '../../rules/roles.ts'
import type { Change } from '../changes/change.ts'
import { type Access, ALWAYS, accessMaker, judgeHere } from './access.ts'
import type { Client } from './client.ts'
import type { Topic } from './topic.ts'
import type { Viewer } from './viewers.ts'

export interface Receivers {
  readonly group: SubscriptionGroup
  readonly clients: readonly Client[]
  readonly auth: AuthRecord | null
}

export interface GroupState extends Receivers {
  readonly request: RequestInfo
  /** The ticket charged for filter and expand of the topic's options; undefined without options. */
  readonly ticket: Ticket | undefined
  readonly access: Access
}

/** Matches a rule that depends on the options of the topic. */
const READS_OPTIONS = /@request\.(?:query|headers)/i

/** The clients that get the same events: one topic of one viewer, or of one network of guests. */
export class SubscriptionGroup {
  readonly topic: Topic
  readonly viewer: Viewer
  readonly holder: Holder | undefined
  readonly #clients = new Set<Client>()
  #list: readonly Client[] | undefined
  #rule: { catalog: Catalog; auth: AuthRecord | null; access: () => Access } | undefined
  #known: (Pick<GroupState, 'request' | 'ticket'> & { catalog: Catalog; access: () => Access }) | undefined

  constructor(topic: Topic, { viewer, holder }: Client) {
    this.topic = topic
    this.viewer = viewer
    this.holder = topic.name === topic.base ? undefined : holder
  }

  get receivers(): Receivers {
    this.#list ??= [...this.#clients]
    return { group: this, clients: this.#list, auth: this.viewer.auth }
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

  #ruleFor(catalog: Catalog, collection: Collection, auth: AuthRecord | null): [Catalog, Collection, Rule] {
    const limits = auth?.limits
    const seen = catalogFor(catalog, limits)
    const its = (limits && seen.find(collection.id)) ?? collection
    // the viewRule applies to a topic with a record's ID, the listRule to others
    return [seen, its, /\/(?!\*$)/.test(this.topic.base) ? its.viewRule : its.listRule]
  }

  /** Whether the collection's rule alone may let the change through. If not, no filter is compiled. */
  mayPass(catalog: Catalog, change: Change): boolean {
    const { auth } = this.viewer
    if (this.#rule?.catalog !== catalog || this.#rule.auth !== auth) {
      const [seen, its, rule] = this.#ruleFor(catalog, change.collection, auth)
      const request: RequestInfo = { ...NO_REQUEST, context: 'realtime', auth }
      const access =
        rule && READS_OPTIONS.test(rule) ? () => ALWAYS : accessMaker(seen, its, rule, '', request)
      this.#rule = { catalog, auth, access }
    }
    return judgeHere(this.#rule.access(), change) !== false
  }

  /** Compiles rule and filter, again if collections or the viewer's record changed. Throws RetryLater. */
  state(catalog: Catalog, collection: Collection, receivers: Receivers): GroupState {
    const { auth } = receivers
    if (this.#known?.catalog !== catalog || this.#known.request.auth !== auth) {
      const { query, headers } = this.topic
      const request: RequestInfo = {
        context: 'realtime',
        method: 'GET',
        query,
        headers: () => headers,
        body: {},
        auth,
      }
      const ticket = this.holder === undefined ? undefined : ticketOf(this.holder, auth?.isSuperuser)
      const [seen, its, rule] = this.#ruleFor(catalog, collection, auth)
      const access = accessMaker(seen, its, rule, query.filter ?? '', request, ticket)
      this.#known = { catalog, request, ticket, access }
    }
    const { request, ticket, access } = this.#known
    return { ...receivers, request, ticket, access: access() }
  }
}

export class SubscriptionIndex {
  readonly #groups = new Map<string, Map<string, SubscriptionGroup>>()

  add(client: Client, topic: Topic): void {
    const groups = this.#groups.get(topic.base) ?? new Map<string, SubscriptionGroup>()
    const key = keyOf(client, topic)
    const group = groups.get(key) ?? new SubscriptionGroup(topic, client)
    group.add(client)
    this.#groups.set(topic.base, groups.set(key, group))
  }

  /** Removes a client from a topic's group. Call it before the client's viewer changes. */
  remove(client: Client, topic: Topic): void {
    const groups = this.#groups.get(topic.base)
    const key = keyOf(client, topic)
    const group = groups?.get(key)
    group?.remove(client)
    if (group?.isEmpty) groups!.delete(key)
    if (groups?.size === 0) this.#groups.delete(topic.base)
  }

  clientsOf(base: string, collection: string, account: string): readonly Client[] {
    return [...(this.#groups.get(base)?.values() ?? [])].flatMap(
      ({ holder, receivers: { clients, auth } }) =>
        holder === undefined && auth?.id === account && auth.collection.id === collection ? clients : [],
    )
  }

  has(collection: Collection, record: string): boolean {
    return basesOf(collection, record).some((base) => this.#groups.has(base))
  }

  groups(collection: Collection, record: string): SubscriptionGroup[] {
    return basesOf(collection, record).flatMap((base) => [...(this.#groups.get(base)?.values() ?? [])])
  }
}

/** The topics without options that name a record. PocketBase: apis/realtime.go, realtimeBroadcastRecord */
const basesOf = ({ name, id }: Collection, record: string): string[] =>
  (name === id ? [name] : [name, id]).flatMap((key) => [`${key}/${record}`, `${key}/*`, key])

/** Key of a group. All guests share a topic without options; with options, those of one network do. */
const keyOf = ({ origin, viewer: { account, actor } }: Client, { name, base }: Topic) =>
  `${account || (name === base ? '' : origin.holder)} ${actor} ${name}`
