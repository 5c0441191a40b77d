import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import { DatabaseUnavailable } from '../../db/errors.ts'
import { RetryLater } from '../../errors.ts'
import { counts } from '../../metrics/counts.ts'
import { wakeDevices } from '../wake/wake.ts'
import type { Offer } from './offer.ts'
import { renderVerdict } from './render-verdict.ts'
import { type AcceptConfig, storeOffers, type Verdict } from './store-offers.ts'

interface Waiting {
  readonly offer: Offer
  readonly decided: PromiseWithResolvers<Verdict>
}

/** Concurrent group commits. With 64 users a send costs 250 µs of CPU with 4, 200 with 2, 160 with 1. */
const MAX_COMMITS = 2
/** Limits of a group, so that a small send does not wait for the texts of large ones. */
const MAX_REQUESTS = 500
const MAX_MESSAGES = 1_000

/** Accepts sends in groups: offers during a commit are committed together. One commit per user. */
export class Acceptor {
  readonly #store: Store
  readonly #config: AcceptConfig
  readonly #maxCommits: number
  /** Waiting offers in order; a user's offers never overtake each other. */
  #waiting: Waiting[] = []
  #isStarting = false
  #commits = 0
  /** Users of running commits. */
  readonly #committing = new Set<string>()

  constructor(store: Store, config: AcceptConfig & Pick<Config, 'databasePool'>) {
    this.#store = store
    this.#config = config
    // at most a third of all connections, to leave room for others
    this.#maxCommits = Math.min(MAX_COMMITS, Math.ceil(config.databasePool / 3))
  }

  /** Resolves after the commit. Rejects when the database fails: the result is then unknown. */
  accept(offer: Offer): Promise<Verdict> {
    const decided = Promise.withResolvers<Verdict>()
    this.#waiting.push({ offer, decided })
    // wait until requests that have arrived are read, to store them together
    if (!this.#isStarting) setImmediate(() => this.#start())
    this.#isStarting = true
    return decided.promise
  }

  /** Starts as many commits as allowed, each with as many offers as fit. */
  #start(): void {
    this.#isStarting = false
    while (this.#waiting.length > 0 && this.#commits < this.#maxCommits) {
      const group = this.#takeGroup()
      if (group.length === 0) return
      void this.#commit(group)
    }
  }

  #takeGroup(): Waiting[] {
    const [group, others]: [Waiting[], Waiting[]] = [[], []]
    let messages = 0
    let isFull = false
    for (const one of this.#waiting) {
      const isLater: boolean = isFull || this.#committing.has(one.offer.sender.user)
      if (!isLater) messages += one.offer.messages.length
      isFull ||= !isLater && (group.length === MAX_REQUESTS || (messages > MAX_MESSAGES && group.length > 0))
      if (isLater || isFull) others.push(one)
      else group.push(one)
    }
    this.#waiting = others
    return group
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    const users = new Set(group.map(({ offer }) => offer.sender.user))
    for (const user of users) this.#committing.add(user)
    this.#commits++
    const settle = await this.#decide(group)
    this.#commits--
    for (const user of users) this.#committing.delete(user)
    // start the next group while this one's answers are written
    this.#start()
    settle()
  }

  async #decide(group: readonly Waiting[]): Promise<() => void> {
    try {
      const offers = group.map(({ offer }) => offer)
      const { verdicts, wake } = await storeOffers(this.#store, this.#config, offers)
      counts.accepted.commits++
      this.#waiting.push(...group.filter((_, i) => verdicts[i]!.outcome === 'again'))
      return () => {
        for (const [i, { offer, decided }] of group.entries()) {
          if (verdicts[i]!.outcome === 'again') continue
          if (verdicts[i]!.outcome === 'accepted') counts.accepted.messages += offer.messages.length
          decided.resolve(verdicts[i]!)
        }
        wakeDevices(this.#store.db, wake)
      }
    } catch (error) {
      return () => this.#failed(group, error)
    }
  }

  /** Tries each send of a refused group alone; none after a lost connection, or without one in time. */
  #failed(group: readonly Waiting[], error: unknown): void {
    // sends may be stored, or each would wait as long again
    const isOfAll = error instanceof DatabaseUnavailable || error instanceof RetryLater
    if (group.length === 1 || isOfAll) {
      for (const { decided } of group) decided.reject(error)
      return
    }
    const alone = async () => {
      for (const one of group) (await this.#decide([one]))()
    }
    void alone()
  }
}

/**
 * Accepts an offer in the caller's transaction. Returns the devices to wake after
 * the commit. Throws the refusal, StaleAuth.
 */
export async function acceptInside(store: Store, config: AcceptConfig, offer: Offer): Promise<string[]> {
  const { verdicts, wake } = await storeOffers(store, config, [offer])
  await renderVerdict(store, offer, verdicts[0]!)
  counts.accepted.messages += offer.messages.length
  return wake
}
