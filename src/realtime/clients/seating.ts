import type { Catalog } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import type { Change } from '../changes/change.ts'
import { type Access, accessMaker } from './access.ts'
import type { Client } from './client.ts'
import type { Owner } from './owner.ts'
import { ruleOf, SubscriptionGroup } from './subscription-groups.ts'
import type { Topic } from './topic.ts'
import { judgeHere } from './verdict.ts'
import type { Viewer } from './viewers.ts'

/** A rule that sees the subscription's own options differs from topic to topic. */
const SEES_OPTIONS = /@request\.(?:query|headers)/i

/** Topics with options of one owner that name the same records. */
export class Group {
  readonly viewer: Viewer
  readonly seats = new Map<Topic, SubscriptionGroup>()
  readonly #rule: 'listRule' | 'viewRule'
  #known: { catalog: Catalog; auth: unknown; access: () => Access } | undefined

  constructor(base: string, viewer: Viewer) {
    this.viewer = viewer
    this.#rule = ruleOf(base)
  }

  /**
   * False if the collection's rule keeps the change from this owner, whatever the topics ask: none of them is
   * compiled then.
   */
  mayPass(catalog: Catalog, change: Change): boolean {
    const { collection } = change
    const rule = collection[this.#rule]
    const { auth } = this.viewer
    if (rule && SEES_OPTIONS.test(rule)) return true
    if (this.#known?.catalog !== catalog || this.#known.auth !== auth) {
      const request = { context: 'realtime', method: 'GET', query: {}, headers: {}, body: {}, auth } as const
      this.#known = { catalog, auth, access: accessMaker(catalog, collection, rule, '', request) }
    }
    return judgeHere(this.#known.access(), change) !== false
  }
}

interface Place {
  /** Of topics without options: judged for all viewers together. */
  readonly bare: Map<Viewer, SubscriptionGroup>
  /** Of topics with options: judged for each owner by itself. */
  readonly groups: Map<Owner, Group>
}

/** All seats, found by what changes. */
export class Seating {
  readonly #places = new Map<string, Place>()

  /** Adds a client to the seat of a topic. */
  take(client: Client, topic: Topic): void {
    const place = this.#places.get(topic.base) ?? { bare: new Map(), groups: new Map() }
    this.#places.set(topic.base, place)
    if (topic.name === topic.base) seatIn(place.bare, client.viewer, topic).add(client)
    else {
      const group = place.groups.get(client.owner) ?? new Group(topic.base, client.viewer)
      place.groups.set(client.owner, group)
      seatIn(group.seats, topic, topic).add(client)
    }
  }

  /** Removes a client from the seat of a topic: before its viewer and owner change. */
  leave(client: Client, topic: Topic): void {
    const place = this.#places.get(topic.base)
    if (!place) return
    if (topic.name === topic.base) leaveSeat(place.bare, client.viewer, client)
    else {
      const group = place.groups.get(client.owner)
      if (group) leaveSeat(group.seats, topic, client)
      if (group?.seats.size === 0) place.groups.delete(client.owner)
    }
    if (place.bare.size + place.groups.size === 0) this.#places.delete(topic.base)
  }

  /** True if somebody is subscribed to changes of this record. */
  has(collection: Collection, record: string): boolean {
    return basesOf(collection, record).some((base) => this.#places.has(base))
  }

  /** Topics without options that a change of this record concerns, with their viewers. */
  bare(collection: Collection, record: string): [viewer: Viewer, seat: SubscriptionGroup][] {
    return this.#at(collection, record).flatMap(({ bare }) => [...bare])
  }

  /** The same for topics with options, as groups by owner. */
  groups(collection: Collection, record: string): [owner: Owner, group: Group][] {
    return this.#at(collection, record).flatMap(({ groups }) => [...groups])
  }

  /** Groups of one owner that a change of this record concerns. */
  groupsOf(owner: Owner, collection: Collection, record: string): Group[] {
    return this.#at(collection, record).flatMap(({ groups }) => groups.get(owner) ?? [])
  }

  #at(collection: Collection, record: string): Place[] {
    return basesOf(collection, record).flatMap((base) => this.#places.get(base) ?? [])
  }
}

/**
 * What topics name that a change of this record concerns: the collection by name or id, with `*` or without,
 * and the record.
 * PocketBase: apis/realtime.go, realtimeBroadcastRecord
 */
const basesOf = ({ name, id }: Collection, record: string): string[] =>
  (name === id ? [name] : [name, id]).flatMap((key) => [`${key}/${record}`, `${key}/*`, key])

function seatIn<K>(seats: Map<K, SubscriptionGroup>, key: K, topic: Topic): SubscriptionGroup {
  const subscriptionGroup = seats.get(key) ?? new SubscriptionGroup(topic)
  seats.set(key, subscriptionGroup)
  return subscriptionGroup
}

function leaveSeat<K>(seats: Map<K, SubscriptionGroup>, key: K, client: Client): void {
  const subscriptionGroup = seats.get(key)
  subscriptionGroup?.remove(client)
  if (subscriptionGroup?.isEmpty) seats.delete(key)
}
