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
/** A group ends before what would exceed them: a small send does not wait for the texts of large ones. */
const MAX_REQUESTS = 500
const MAX_MESSAGES = 1_000

/** Accepts sends in groups: offers during a commit are committed together. One commit per user. */
export class Acceptor {
  readonly #store: Store
  readonly #config: AcceptConfig
  readonly #maxCommits: number
  /** First come, first served; of one user always in order. */
  #waiting: Waiting[] = []
  #isStarting = false
  /** The users of each commit that is under way. */
  readonly #commits = new Set<ReadonlySet<string>>()

  constructor(store: Store, config: AcceptConfig & Pick<Config, 'databasePool'>) {
    this.#store = store
    this.#config = config
    // half of the connections of the server are for others
    this.#maxCommits = Math.min(MAX_COMMITS, Math.ceil(config.databasePool / 3))
  }

  /** Resolves after the commit. Rejects when the database fails: the result is then unknown. */
  accept(offer: Offer): Promise<Verdict> {
    const decided = Promise.withResolvers<Verdict>()
    this.#waiting.push({ offer, decided })
    this.#startSoon()
    return decided.promise
  }

  /** Starts after already received requests are read, so that they are stored together. */
  #startSoon(): void {
    if (this.#isStarting) return
    this.#isStarting = true
    setImmediate(() => {
      this.#isStarting = false
      this.#start()
    })
  }

  /** As many commits as may be, each with all that can be in it. */
  #start(): void {
    while (this.#waiting.length > 0 && this.#commits.size < this.#maxCommits) {
      const group = this.#takeGroup()
      if (group.length === 0) return
      void this.#commit(group)
    }
  }

  #takeGroup(): Waiting[] {
    const group: Waiting[] = []
    let messages = 0
    let isFull = false
    this.#waiting = this.#waiting.filter((one) => {
      if (isFull || this.#isCommitting(one.offer.user)) return true
      messages += one.offer.messages.length
      isFull = group.length === MAX_REQUESTS || (messages > MAX_MESSAGES && group.length > 0)
      if (!isFull) group.push(one)
      return isFull
    })
    return group
  }

  #isCommitting(user: string): boolean {
    for (const users of this.#commits) if (users.has(user)) return true
    return false
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    const users = new Set(group.map(({ offer }) => offer.user))
    this.#commits.add(users)
    const settle = await this.#decide(group)
    this.#commits.delete(users)
    // the database works on the next group while this one's answers are written
    this.#start()
    settle()
  }

  async #decide(group: readonly Waiting[]): Promise<() => void> {
    try {
      const offers = group.map(({ offer }) => offer)
      const { verdicts, wake } = await storeOffers(this.#store, this.#config, offers)
      count(group, verdicts)
      const isAgain = ({ offer }: Waiting) => verdicts.get(offer)!.outcome === 'again'
      this.#waiting.push(...group.filter(isAgain))
      return () => {
        for (const one of group) if (!isAgain(one)) one.decided.resolve(verdicts.get(one.offer)!)
        wakeDevices(this.#store.db, wake)
      }
    } catch (error) {
      return () => this.#failed(group, error)
    }
  }

  /** Tries each send of a refused group alone; none after a lost connection, or without one in time. */
  #failed(group: readonly Waiting[], error: unknown): void {
    // it may be stored; or each would wait as long again
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
 * Accepts an offer in the store's transaction, with what its caller stores. Returns the devices to wake after
 * the commit. Throws the refusal, StaleAuth.
 */
export async function acceptInside(store: Store, config: AcceptConfig, offer: Offer): Promise<string[]> {
  const { verdicts, wake } = await storeOffers(store, config, [offer])
  await renderVerdict(store, offer, verdicts.get(offer)!)
  counts.accepted.messages += offer.messages.length
  return wake
}

function count(group: readonly Waiting[], verdicts: ReadonlyMap<Offer, Verdict>): void {
  counts.accepted.commits++
  for (const { offer } of group)
    if (verdicts.get(offer)!.outcome === 'accepted') counts.accepted.messages += offer.messages.length
}
