import type { Store } from '../collections/catalog.ts'
import type { Config } from '../config.ts'
import { DatabaseAway } from '../db/errors.ts'
import { formatDate } from '../fields/date.ts'
import { NODE, wakeDevices } from './wake.ts'

/** One request that passed its own checks, as sql/0002 wants it. What is null is unset. */
export interface Offer {
  readonly user: string
  /** The credentials as they were read: `xmin` of the user's row, and of the API key's if one was used. */
  readonly version: string
  readonly key: string | null
  readonly keyVersion: string | null
  /** The device that the request named. */
  readonly device: string | null
  /** Scheduled for later: no device is chosen yet. */
  readonly later: boolean
  readonly batch: string | null
  /** The text of all messages that bring none of their own. */
  readonly body: string | null
  readonly priority: number
  readonly sim: number
  readonly scheduledAt: string | null
  readonly expiresAt: string | null
  readonly guarantee: string
  readonly clientRef: string | null
  readonly idempotency: { readonly key: string; readonly fingerprint: string; readonly answer: string } | null
  readonly messages: readonly OfferedMessage[]
}

export interface OfferedMessage {
  readonly id: string
  readonly to: string
  readonly body: string | null
  readonly segments: number
}

/** What became of an offer. `stale`: read the credentials anew; `replayed`: its idempotency key has an answer. */
export type Outcome =
  | 'accepted'
  | 'stale'
  | 'replayed'
  | 'known'
  | 'again'
  | 'device_not_found'
  | 'quota_exceeded'
  | 'no_devices'

export interface Verdict {
  readonly outcome: Outcome
  /** Of `known`: the message that had the same client_ref. */
  readonly message: string
}

interface Waiting {
  readonly offer: Offer
  readonly decided: PromiseWithResolvers<Verdict>
}

/** What acceptance needs of the settings. */
type AcceptConfig = Pick<Config, 'monthlyQuota' | 'deviceOnlineSeconds'>

/** Users whose groups are committed at the same time: the pool has to serve others, too. */
const MAX_COMMITS = 8
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
  readonly #waiting = new Map<string, Waiting[]>()
  readonly #committing = new Set<string>()

  constructor(store: Store, config: AcceptConfig) {
    this.#store = store
    this.#config = config
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
      if (this.#committing.size >= MAX_COMMITS) return
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
      const { verdicts, wake } = await acceptGroup(this.#store, this.#config, user, group)
      this.#queue(group.filter((_, i) => verdicts[i]!.outcome === 'again'))
      return () => {
        wakeDevices(wake)
        for (const [i, { decided }] of group.entries())
          if (verdicts[i]!.outcome !== 'again') decided.resolve(verdicts[i]!)
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

/** Stores a group of one user's offers in one statement, hence one transaction and one round trip. */
async function acceptGroup(store: Store, config: AcceptConfig, user: string, group: readonly Waiting[]) {
  const offers = group.map(({ offer }) => offer)
  const now = new Date()
  const { rows } = await store.db.query(
    'select outcomes, known, wake from sms_accept($1, $2, $3, $4, $5, $6, $7)',
    [
      user,
      formatDate(now),
      formatDate(new Date(now.getTime() - config.deviceOnlineSeconds * 1000)),
      config.monthlyQuota,
      NODE,
      JSON.stringify(offers.map(requestRow)),
      JSON.stringify(offers.flatMap(messageRows)),
    ],
    'sms accept',
  )
  const [outcomes, known, wake] = rows[0] as [Outcome[], string[], string[] | null]
  return { verdicts: outcomes.map((outcome, i) => ({ outcome, message: known[i]! })), wake: wake ?? [] }
}

const requestRow = (offer: Offer) => ({
  version: offer.version,
  key: offer.key,
  key_version: offer.keyVersion,
  count: offer.messages.length,
  device: offer.device,
  later: offer.later,
  batch: offer.batch,
  body: offer.body,
  priority: offer.priority,
  sim: offer.sim,
  scheduled_at: offer.scheduledAt,
  expires_at: offer.expiresAt,
  guarantee: offer.guarantee,
  ref: offer.clientRef,
  idempotency_key: offer.idempotency?.key,
  fingerprint: offer.idempotency?.fingerprint,
  answer: offer.idempotency?.answer,
})

const messageRows = (offer: Offer, i: number) => offer.messages.map((message) => ({ r: i + 1, ...message }))
