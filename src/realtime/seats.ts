import type { Catalog } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import type { RequestInfo } from '../filter/request.ts'
import { type Access, accessBy } from './access.ts'
import type { Client } from './client.ts'
import type { Topic } from './topic.ts'
import type { Viewer } from './viewers.ts'

/** A rule that is asked of the time gives another answer each time. */
const CHANGES_BY_ITSELF = /@(?!request\.|collection\.)|\bnow\b/i

/** All that counts for an event, as it is until something of it changes. */
export interface Standing {
  readonly seat: Seat
  readonly clients: readonly Client[]
  /** What a rule sees of the subscription. */
  readonly request: RequestInfo
  /** Which records of the collection come here. */
  readonly access: Access
}

/** One topic in the eyes of one viewer: all his connections that are subscribed to it get the same. */
export class Seat {
  readonly topic: Topic
  readonly viewer: Viewer
  readonly rule: 'listRule' | 'viewRule'
  clients: readonly Client[] = []
  #catalog: Catalog | undefined
  #standing: Standing | undefined

  constructor(topic: Topic, viewer: Viewer) {
    this.topic = topic
    this.viewer = viewer
    // a topic with a record's id is bound to the rule of views, others to that of lists
    this.rule = /\/(?!\*$)/.test(topic.base) ? 'viewRule' : 'listRule'
  }

  /** Worked out once for as long as nothing changes it: rules are compiled for it. */
  standing(catalog: Catalog, collection: Collection): Standing {
    const known = this.#standing
    const isSame = known?.request.auth === this.viewer.auth && known.clients === this.clients
    if (known && isSame && this.#catalog === catalog) return known
    const { query, headers } = this.topic
    const { auth } = this.viewer
    const request: RequestInfo = { context: 'realtime', method: 'GET', query, headers, body: {}, auth }
    const [rule, filter] = [collection[this.rule], query.filter ?? '']
    const access = accessBy(catalog, collection, rule, filter, request)
    this.#standing = { seat: this, clients: this.clients, request, access }
    this.#catalog = CHANGES_BY_ITSELF.test(`${rule} ${filter}`) ? undefined : catalog
    return this.#standing
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
    const seat = seats.get(key) ?? new Seat(topic, client.viewer)
    seats.set(key, seat)
    seat.clients = [...seat.clients, client]
  }

  /** Removes a client from the seat of a topic: before its viewer changes. */
  leave(client: Client, topic: Topic): void {
    const seats = this.#byBase.get(topic.base)
    const key = keyOf(client, topic)
    const seat = seats?.get(key)
    if (!seats || !seat) return
    seat.clients = seat.clients.filter((other) => other !== client)
    if (seat.clients.length > 0) return
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
