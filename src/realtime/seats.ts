import type { Catalog } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import type { AuthRecord, RequestInfo } from '../filter/request.ts'
import { type Access, accessBy } from './access.ts'
import type { Client } from './client.ts'
import type { Topic } from './topic.ts'
import type { Viewer } from './viewers.ts'

/** A rule that is asked of the time gives another answer each time. */
const CHANGES_BY_ITSELF = /@(?!request\.|collection\.)|\bnow\b/i

/** One topic in the eyes of one viewer: all his connections that are subscribed to it get the same. */
export class Seat {
  readonly topic: Topic
  readonly viewer: Viewer
  readonly rule: 'listRule' | 'viewRule'
  readonly clients = new Set<Client>()
  #known: { catalog: Catalog; auth: AuthRecord | null; access: Access } | undefined

  constructor(topic: Topic, viewer: Viewer, rule: 'listRule' | 'viewRule') {
    this.topic = topic
    this.viewer = viewer
    this.rule = rule
  }

  /** What a rule sees of the subscription. */
  request(): RequestInfo {
    const { query, headers } = this.topic
    return { context: 'realtime', method: 'GET', query, headers, body: {}, auth: this.viewer.auth }
  }

  /** Which records of the collection come here; worked out once for as long as nothing changes it. */
  access(catalog: Catalog, collection: Collection): Access {
    const { auth } = this.viewer
    if (this.#known?.catalog === catalog && this.#known.auth === auth) return this.#known.access
    const rule = collection[this.rule]
    const { filter = '' } = this.topic.query
    const access = accessBy(catalog, collection, rule, filter, this.request())
    this.#known = CHANGES_BY_ITSELF.test(`${rule} ${filter}`) ? undefined : { catalog, auth, access }
    return access
  }
}

/** All seats, found by what changes. */
export class Seats {
  readonly #byBase = new Map<string, Map<string, Seat>>()

  /** Adds a client to the seat of a topic. */
  take(client: Client, topic: Topic): void {
    const seats = this.#byBase.get(topic.base) ?? new Map<string, Seat>()
    this.#byBase.set(topic.base, seats)
    const key = keyOf(client, topic)
    const seat = seats.get(key) ?? new Seat(topic, client.viewer, ruleOf(topic))
    seats.set(key, seat)
    seat.clients.add(client)
  }

  /** Removes a client from the seat of a topic: before its viewer changes. */
  leave(client: Client, topic: Topic): void {
    const seats = this.#byBase.get(topic.base)
    const key = keyOf(client, topic)
    const seat = seats?.get(key)
    if (!seats || !seat) return
    seat.clients.delete(client)
    if (seat.clients.size > 0) return
    seats.delete(key)
    if (seats.size === 0) this.#byBase.delete(topic.base)
  }

  /**
   * Those that a change of this record concerns: of the collection by name or id, `*` or without, and of the record.
   * PocketBase: apis/realtime.go, realtimeBroadcastRecord
   */
  about({ name, id }: Collection, record: string): Seat[] {
    const found: Seat[] = []
    for (const collection of name === id ? [name] : [name, id]) {
      for (const base of [`${collection}/${record}`, `${collection}/*`, collection]) {
        const seats = this.#byBase.get(base)
        if (seats) found.push(...seats.values())
      }
    }
    return found
  }
}

const keyOf = ({ viewer }: Client, { name }: Topic) => `${viewer.key} ${name}`

/** A topic with a record's id is bound to the rule of views, others to that of lists. */
const ruleOf = ({ base }: Topic) => (/\/(?!\*$)/.test(base) ? 'viewRule' : 'listRule')
