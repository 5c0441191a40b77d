import { RetryLater } from '../../errors.ts'
import type { Budgets } from '../limits/budgets.ts'
import type { Client } from './client.ts'
import { Owner } from './owner.ts'
import type { Topic } from './topic.ts'
import type { Viewer } from './viewers.ts'
import { SUBSCRIPTION_BYTES, weightOf } from './weight.ts'

const RETRY_SECONDS = 60
const OWNERS_KEPT = 1_000

/** What each owner's subscriptions take of the memory of this process. */
export class Shares {
  readonly #budgets: Budgets
  readonly #evict: (client: Client) => void
  readonly #owners = new Map<string, Owner>()
  readonly #clients = new Map<Owner, Set<Client>>()
  #total = 0
  #sweepAt = OWNERS_KEPT

  /** `evict` ends a client at once, and has it leave its owner. */
  constructor(budgets: Budgets, evict: (client: Client) => void) {
    this.#budgets = budgets
    this.#evict = evict
  }

  /** Bytes of all subscriptions, as `weightOf` estimates them. */
  get total(): number {
    return this.#total
  }

  /** The owner of a viewer's clients; of a guest's, his network address. */
  ownerOf({ key: account }: Pick<Viewer, 'key'>, network: string): Owner {
    const key = account || `address ${network}`
    const known = this.#owners.get(key)
    if (known) return known
    if (this.#owners.size >= this.#sweepAt) this.#sweep()
    const owner = new Owner(key, account === '', this.#budgets)
    this.#owners.set(key, owner)
    return owner
  }

  /**
   * Charges an owner for a client's topics, which take the place of its old ones. Throws 429, and changes
   * nothing, if the owner then has too much. If all owners together have too much, the largest one loses its
   * largest streams.
   */
  charge(client: Client, owner: Owner, topics: readonly Topic[]): void {
    const { bytes, shapes } = owner
    const before = { bytes, shapes: shapes.size }
    const [old, oldTopics] = [client.owner, topicsOf(client)]
    for (const topic of topics) this.#add(owner, topic)
    for (const topic of oldTopics) this.#remove(old, topic)
    const isLess = owner.bytes <= before.bytes && shapes.size <= before.shapes
    if (isLess || (this.#isWithin(owner) && this.#makeRoom(owner, client))) return
    for (const topic of oldTopics) this.#add(old, topic)
    for (const topic of topics) this.#remove(owner, topic)
    throw new RetryLater(429, RETRY_SECONDS, `Too many different subscriptions ${owner.possessive}`)
  }

  /** Gives a client to another owner, who has been charged. */
  move(client: Client, owner: Owner): void {
    this.#forget(client)
    client.owner = owner
    this.enter(client)
  }

  /**
   * Charges an owner for a client's topics, whatever it has already: the client's viewer is a guest from now
   * on.
   */
  adopt(client: Client, owner: Owner): void {
    for (const topic of topicsOf(client)) {
      this.#add(owner, topic)
      this.#remove(client.owner, topic)
    }
    this.move(client, owner)
  }

  /** All clients of an owner. */
  clientsOf(owner: Owner): readonly Client[] {
    return [...(this.#clients.get(owner) ?? [])]
  }

  /** Counts a client, which has no topics yet, among those of its owner. */
  enter(client: Client): void {
    const clients = this.#clients.get(client.owner)
    if (clients) clients.add(client)
    else this.#clients.set(client.owner, new Set([client]))
  }

  leave(client: Client): void {
    for (const topic of topicsOf(client)) this.#remove(client.owner, topic)
    this.#forget(client)
  }

  #forget(client: Client): void {
    const clients = this.#clients.get(client.owner)
    clients?.delete(client)
    if (clients?.size === 0) this.#clients.delete(client.owner)
  }

  /** One subscription less. */
  drop(client: Client, topic: Topic): void {
    this.#remove(client.owner, topic)
  }

  #isWithin({ bytes, shapes, isGuest }: Owner): boolean {
    const { ownerBytes, addressShapes, accountShapes } = this.#budgets
    return bytes <= ownerBytes && shapes.size <= (isGuest ? addressShapes : accountShapes)
  }

  /** False if the owner who asks holds most. */
  #makeRoom(asking: Owner, client: Client): boolean {
    while (this.#total > this.#budgets.totalBytes) {
      const largest = [...this.#owners.values()].reduce((a, b) => (b.bytes > a.bytes ? b : a))
      const others = this.clientsOf(largest).filter((one) => one !== client)
      const [first] = others.sort((a, b) => b.subscriptions.size - a.subscriptions.size)
      if (largest === asking || !first) return false
      this.#evict(first)
    }
    return true
  }

  #add(owner: Owner, topic: Topic): void {
    const count = owner.topics.get(topic) ?? 0
    owner.topics.set(topic, count + 1)
    const { bytes, shape } = weightOf(topic)
    this.#grow(owner, SUBSCRIPTION_BYTES + (count === 0 ? bytes : 0))
    if (count === 0 && shape) owner.shapes.set(shape, (owner.shapes.get(shape) ?? 0) + 1)
  }

  #remove(owner: Owner, topic: Topic): void {
    const count = owner.topics.get(topic)!
    const { bytes, shape } = weightOf(topic)
    this.#grow(owner, -SUBSCRIPTION_BYTES - (count === 1 ? bytes : 0))
    if (count > 1) {
      owner.topics.set(topic, count - 1)
      return
    }
    owner.topics.delete(topic)
    const alike = owner.shapes.get(shape) ?? 0
    if (alike > 1) owner.shapes.set(shape, alike - 1)
    else owner.shapes.delete(shape)
  }

  #grow(owner: Owner, bytes: number): void {
    owner.bytes += bytes
    this.#total += bytes
  }

  #sweep(): void {
    for (const [key, owner] of this.#owners)
      if (owner.isForgettable && !this.#clients.has(owner)) this.#owners.delete(key)
    this.#sweepAt = Math.max(OWNERS_KEPT, 2 * this.#owners.size)
  }
}

const topicsOf = ({ subscriptions }: Client) => [...subscriptions.values()].map(({ topic }) => topic)
