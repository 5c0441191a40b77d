import { type Ticket, ticketOf } from '../../admission/ticket.ts'
import type { Catalog } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import type { AuthRecord, RequestInfo } from '../../request/request.ts'
import { type Access, accessMaker } from './access.ts'
import type { Client } from './client.ts'
import type { Topic } from './topic.ts'

/** A group as it is checked for one change. */
export interface GroupState {
  readonly group: SubscriptionGroup
  readonly clients: readonly Client[]
  /** What rules see as the request. */
  readonly request: RequestInfo
  /** Pays for the filter and the expand of the topic's options; undefined without options. */
  readonly ticket: Ticket | undefined
  /** Which records of the collection pass. */
  readonly access: Access
}

/** A topic with a record's ID is bound to the viewRule, others to the listRule. */
export const ruleOf = (base: string): 'listRule' | 'viewRule' =>
  /\/(?!\*$)/.test(base) ? 'viewRule' : 'listRule'

/** The clients that get the same events: one topic of one viewer, or of one network of guests. */
export class SubscriptionGroup {
  readonly topic: Topic
  readonly #holder: string | undefined
  readonly #clients = new Set<Client>()
  #list: readonly Client[] | undefined
  #known: (Pick<GroupState, 'request' | 'ticket'> & { catalog: Catalog; access: () => Access }) | undefined

  /** `holder`: of topics with options. */
  constructor(topic: Topic, holder?: string) {
    this.topic = topic
    this.#holder = holder
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
      const rule = collection[ruleOf(base)]
      const access = accessMaker(catalog, collection, rule, query.filter ?? '', request, ticket)
      this.#known = { catalog, request, ticket, access }
    }
    const { request, ticket, access } = this.#known
    return { group: this, clients, request, ticket, access: access() }
  }
}
