import type { Catalog } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import type { AuthRecord, RequestInfo } from '../../request/request.ts'
import { type Access, accessMaker } from './access.ts'
import type { Client } from './client.ts'
import type { Topic } from './topic.ts'

/** All that counts for an event, as it is until something of it changes. */
export interface GroupState {
  readonly seat: SubscriptionGroup
  readonly clients: readonly Client[]
  /** What a rule sees of the subscription. */
  readonly request: RequestInfo
  /** Which records of the collection come here. */
  readonly access: Access
}

/** A topic with a record's id is bound to the rule of views, others to that of lists. */
export const ruleOf = (base: string): 'listRule' | 'viewRule' =>
  /\/(?!\*$)/.test(base) ? 'viewRule' : 'listRule'

/**
 * One topic in the eyes of one viewer, or of all guests of an address: all connections that are subscribed to
 * it get the same.
 */
export class SubscriptionGroup {
  readonly topic: Topic
  readonly #clients = new Set<Client>()
  #list: readonly Client[] | undefined
  #known: { catalog: Catalog; request: RequestInfo; access: () => Access } | undefined

  constructor(topic: Topic) {
    this.topic = topic
  }

  /** A list that never changes. */
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

  /** Compiles rule and filter once for as long as the collections and the viewer stay as they are. */
  standing(
    catalog: Catalog,
    collection: Collection,
    auth: AuthRecord | null,
    clients: readonly Client[],
  ): GroupState {
    const known = this.#known
    if (known?.catalog === catalog && known.request.auth === auth)
      return { seat: this, clients, request: known.request, access: known.access() }
    const { query, headers, base } = this.topic
    const request: RequestInfo = { context: 'realtime', method: 'GET', query, headers, body: {}, auth }
    const access = accessMaker(catalog, collection, collection[ruleOf(base)], query.filter ?? '', request)
    this.#known = { catalog, request, access }
    return { seat: this, clients, request, access: access() }
  }
}
