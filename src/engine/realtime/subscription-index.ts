import { type Holder, makeServerTicket, type Ticket } from '../../platform/limits/limit-holder.ts'
import type { Catalog } from '../collections/catalog.ts'
import type { Collection, Rule } from '../collections/collection.ts'
import type { CompiledFilter } from '../filter/compiled-filter.ts'
import { limitCatalog } from '../records/check-rules.ts'
import { type AuthRecord, NO_REQUEST, type RequestInfo } from '../request/request.ts'
import type { Client, Viewer } from './client.ts'
import type { RecordChange } from './load-changes.ts'
import type { Topic } from './topic.ts'
import {
  type Access,
  ALWAYS,
  decideLocally,
  findAccessFilter,
  makeAccessMaker,
} from './topic-access.ts'

export const writeFilterText = ({ from, where }: CompiledFilter): string => `${from} ${where}`

/** Groups undecided items by the SQL of their conditions. One statement then decides a whole group. */
export const groupByFilter = <T extends { readonly access: Access }>(open: readonly T[]) =>
  Map.groupBy(open, ({ access }) => writeFilterText(findAccessFilter(access)!)).values()

export interface Receivers {
  readonly group: SubscriptionGroup
  readonly clients: readonly Client[]
  readonly auth: AuthRecord | null
}

export interface GroupState extends Receivers {
  readonly request: RequestInfo
  /** The holder charged for the filter and expand in the topic's options. Undefined if it has no options. */
  readonly ticket: Ticket | undefined
  readonly access: Access
}

/** Matches rules that read the options of the topic. */
const READS_OPTIONS = /@request\.(?:query|headers)/i

/** Clients with the same topic that get the same events: those of one viewer, or guests. */
export class SubscriptionGroup {
  readonly topic: Topic
  readonly viewer: Viewer
  readonly holder: Holder | undefined
  readonly #clients = new Set<Client>()
  #list: readonly Client[] | undefined
  #rule: { catalog: Catalog; auth: AuthRecord | null; access: () => Access } | undefined
  #known:
    | (Pick<GroupState, 'request' | 'ticket'> & { catalog: Catalog; access: () => Access })
    | undefined

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

  #ruleFor(
    catalog: Catalog,
    collection: Collection,
    auth: AuthRecord | null,
  ): [Catalog, Collection, Rule] {
    const limits = auth?.limits
    const seen = limitCatalog(catalog, limits)
    const its = (limits && seen.find(collection.id)) ?? collection
    // the viewRule applies to a topic with a record's ID, the listRule to others
    return [seen, its, /\/(?!\*$)/.test(this.topic.base) ? its.viewRule : its.listRule]
  }

  /** False if the rule hides the change from all filters. The client's filter then need not be compiled. */
  mayPass(catalog: Catalog, change: RecordChange): boolean {
    const { auth } = this.viewer
    if (this.#rule?.catalog !== catalog || this.#rule.auth !== auth) {
      const [seen, its, rule] = this.#ruleFor(catalog, change.collection, auth)
      const request: RequestInfo = { ...NO_REQUEST, context: 'realtime', auth }
      const access =
        rule && READS_OPTIONS.test(rule)
          ? () => ALWAYS
          : makeAccessMaker(seen, its, rule, '', request)
      this.#rule = { catalog, auth, access }
    }
    return decideLocally(this.#rule.access(), change) !== false
  }

  /** Compiles rule and filter, once per version of collections and viewer. Throws RetryLater at a limit. */
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
      const ticket =
        this.holder === undefined ? undefined : makeServerTicket(this.holder, auth?.isSuperuser)
      const [seen, its, rule] = this.#ruleFor(catalog, collection, auth)
      const access = makeAccessMaker(seen, its, rule, query.filter ?? '', request, ticket)
      this.#known = { catalog, request, ticket, access }
    }
    const { request, ticket, access } = this.#known
    return { ...receivers, request, ticket, access: access() }
  }
}

export function makeSubscriptionIndex() {
  const groups = new Map<string, Map<string, SubscriptionGroup>>()
  const groupsOf = (base: string) => [...(groups.get(base)?.values() ?? [])]
  return {
    add(client: Client, topic: Topic): void {
      const ofBase = groups.get(topic.base) ?? new Map<string, SubscriptionGroup>()
      const key = makeGroupKey(client, topic)
      const group = ofBase.get(key) ?? new SubscriptionGroup(topic, client)
      group.add(client)
      groups.set(topic.base, ofBase.set(key, group))
    },
    /** Removes a client from a topic's group. Call it before the client's viewer changes. */
    remove(client: Client, topic: Topic): void {
      const ofBase = groups.get(topic.base)
      const key = makeGroupKey(client, topic)
      const group = ofBase?.get(key)
      group?.remove(client)
      if (group?.isEmpty) ofBase!.delete(key)
      if (ofBase?.size === 0) groups.delete(topic.base)
    },
    clientsOf: (base: string, collection: string, account: string): readonly Client[] =>
      groupsOf(base).flatMap(({ holder, receivers: { clients, auth } }) =>
        holder === undefined && auth?.id === account && auth.collection.id === collection
          ? clients
          : [],
      ),
    has: (collection: Collection, record: string): boolean =>
      listTopicBases(collection, record).some((base) => groups.has(base)),
    groups: (collection: Collection, record: string): SubscriptionGroup[] =>
      listTopicBases(collection, record).flatMap(groupsOf),
  }
}

/** Topics, without options, that get changes of this record. PocketBase: realtimeBroadcastRecord */
const listTopicBases = ({ name, id }: Collection, record: string): string[] =>
  (name === id ? [name] : [name, id]).flatMap((key) => [`${key}/${record}`, `${key}/*`, key])

/** Key of a group. All guests share a topic without options. With options, guests of one network share it. */
const makeGroupKey = ({ origin, viewer: { account, actor } }: Client, { name, base }: Topic) =>
  `${account || (name === base ? '' : origin.holder)} ${actor} ${name}`
