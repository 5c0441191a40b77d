import type { Store } from '../collections/catalog.ts'
import type { Config } from '../config.ts'
import { DatabaseAway } from '../db/errors.ts'
import { type AcceptConfig, type Offer, storeOffers, type Verdict } from './offer.ts'
import { wakeDevices } from './wake.ts'

interface Waiting {
  readonly offer: Offer
  readonly decided: PromiseWithResolvers<Verdict>
}

/** A group ends at whichever comes first. */
const MAX_REQUESTS = 500
const MAX_MESSAGES = 5_000

/**
 * Accepts in groups: offers of one user that arrive while a commit of theirs is under way wait for it and are then
 * committed together; alone, an offer waits for nobody. One instance a process; what it promised is in the database.
 */
export class Acceptor {
  readonly #store: Store
  readonly #config: AcceptConfig
  /** Users whose groups are committed at the same time: half of the connections are for others. */
  readonly #maxCommits: number
  readonly #waiting = new Map<string, Waiting[]>()
  readonly #committing = new Set<string>()

  constructor(store: Store, config: AcceptConfig & Pick<Config, 'databasePool'>) {
    this.#store = store
    this.#config = config
    this.#maxCommits = Math.ceil(config.databasePool / 2)
  }

  /** Resolves after the commit. Rejects only when the database fails; whether it was stored is then not known. */
  accept(offer: Offer): Promise<Verdict> {
    const waiting: Waiting = { offer, decided: Promise.withResolvers<Verdict>() }
    this.#queue([waiting])
    this.#start()
    return waiting.decided.promise
  }

  #queue(more: readonly Waiting[]): void {
    for (const one of more) {
      const queue = this.#waiting.get(one.offer.user)
      if (queue) queue.push(one)
      else this.#waiting.set(one.offer.user, [one])
    }
  }

  #start(): void {
    for (const [user, queue] of this.#waiting) {
      if (this.#committing.size >= this.#maxCommits) return
      if (this.#committing.has(user)) continue
      const group = takeGroup(queue)
      if (queue.length === 0) this.#waiting.delete(user)
      this.#committing.add(user)
      void this.#commit(user, group)
    }
  }

  async #commit(user: string, group: readonly Waiting[]): Promise<void> {
    const settle = await this.#decide(user, group)
    this.#committing.delete(user)
    // the database works on the next group while this one's answers are written
    this.#start()
    settle()
  }

  async #decide(user: string, group: readonly Waiting[]): Promise<() => void> {
    try {
      const offers = group.map(({ offer }) => offer)
      const { verdicts, wake } = await storeOffers(this.#store, this.#config, user, offers)
      this.#queue(group.filter((_, i) => verdicts[i]!.outcome === 'again'))
      return () => {
        for (const [i, { decided }] of group.entries())
          if (verdicts[i]!.outcome !== 'again') decided.resolve(verdicts[i]!)
        wakeDevices(wake)
      }
    } catch (error) {
      return () => this.#failed(group, error)
    }
  }

  /** A statement that failed has stored nothing: whoever is not at fault must not suffer, so each goes alone. */
  #failed(group: readonly Waiting[], error: unknown): void {
    if (group.length === 1 || error instanceof DatabaseAway) {
      for (const { decided } of group) decided.reject(error)
      return
    }
    const alone = async () => {
      for (const one of group) (await this.#decide(one.offer.user, [one]))()
    }
    void alone()
  }
}

/** The longest run from the front of a queue that one statement should carry; at least one. */
function takeGroup(queue: Waiting[]): Waiting[] {
  let messages = 0
  let taken = 0
  for (const { offer } of queue) {
    messages += offer.messages.length
    if (taken > 0 && (taken === MAX_REQUESTS || messages > MAX_MESSAGES)) break
    taken++
  }
  return queue.splice(0, taken)
}
