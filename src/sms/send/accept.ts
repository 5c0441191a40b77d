import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import { DatabaseUnavailable } from '../../db/errors.ts'
import { RetryLater } from '../../errors.ts'
import { formatDate } from '../../fields/types/date.ts'
import { counts } from '../../metrics/counts.ts'
import { wakeDevices } from '../wake/wake.ts'
import type { Offer } from './offer.ts'

/** An offer's outcome. `stale`: read the credentials again; `replayed`: its key has an answer. */
export type Outcome =
  | 'accepted'
  | 'stale'
  | 'replayed'
  | 'known'
  | 'again'
  | 'message_id_in_use'
  | 'device_not_found'
  | 'line_not_found'
  | 'line_ambiguous'
  | 'quota_exceeded'
  | 'no_devices'

export interface Verdict {
  readonly outcome: Outcome
  /** For `known`: the message with the same client_ref. */
  readonly message: string
}

export type AcceptConfig = Pick<Config, 'monthlyQuota' | 'deviceOnlineSeconds' | 'stickyDays'>

interface Stored {
  /** By the places of the offers. */
  readonly verdicts: readonly Verdict[]
  /** Devices to wake. */
  readonly wake: readonly string[]
}

/** One call per user, in a fixed order, so that locks of users' rows cannot deadlock. */
const ACCEPT = `
select g.owner, a.outcomes, a.known, a.wake
from json_to_recordset($6) g(owner text, recipients text[], requests sms_request[])
cross join lateral sms_accept(g.owner, $1, $2, $3, $4, $5, g.recipients, g.requests) a`

/** The offers of one user, as the statement reads them. */
interface Group {
  readonly owner: string
  readonly recipients: string[]
  readonly requests: ReturnType<typeof requestRow>[]
}

/** Stores a group of offers in one statement. Returns the verdict on each and the devices to wake. */
export async function storeOffers(
  store: Store,
  config: AcceptConfig,
  offers: readonly Offer[],
): Promise<Stored> {
  const now = new Date()
  const since = formatDate(new Date(now.getTime() - config.deviceOnlineSeconds * 1000))
  const terms = [formatDate(now), since, config.monthlyQuota, '', stickySince(now, config.stickyDays)]
  const groups = new Map<string, Group>()
  for (const offer of offers) {
    const owner = offer.sender.user
    const group = groups.get(owner) ?? { owner, recipients: [], requests: [] }
    groups.set(owner, group)
    for (const { to } of offer.messages) group.recipients.push(to)
    group.requests.push(requestRow(offer))
  }
  const sorted = [...groups.values()].sort((a, b) => (a.owner < b.owner ? -1 : 1))
  const { rows } = await store.db.query(ACCEPT, [...terms, JSON.stringify(sorted)], 'sms accept')
  const decided = new Map<string, Verdict[]>()
  const wake: string[] = []
  for (const [owner, outcomes, known, devices] of rows as [string, Outcome[], string[], string[] | null][]) {
    decided.set(owner, outcomes.map((outcome, i) => ({ outcome, message: known[i]! })).reverse())
    wake.push(...(devices ?? []))
  }
  return { verdicts: offers.map(({ sender }) => decided.get(sender.user)!.pop()!), wake }
}

/** Numbers that exchanged a text with a line since this date keep the line; '': none do. */
export const stickySince = (now: Date, days: number): string =>
  days === 0 ? '' : formatDate(new Date(now.getTime() - days * 86_400_000))

/** Leaves undefined values out: Postgres takes some 0.2 µs for each key. */
const requestRow = ({ sender, idempotency, ...offer }: Offer) => ({
  version: sender.version,
  key: sender.key?.id,
  key_version: sender.key?.version,
  sent_by: sender.sentBy,
  device: offer.device,
  line: offer.line,
  from: offer.from,
  later: offer.later === true,
  batch: offer.batch,
  body: offer.body,
  priority: offer.priority,
  sim: offer.sim,
  scheduled_at: offer.scheduledAt || undefined,
  expires_at: offer.expiresAt || undefined,
  guarantee: offer.guarantee,
  ref: offer.clientRef || undefined,
  bulk: offer.isBulk,
  idempotency_key: idempotency?.key,
  fingerprint: idempotency?.fingerprint,
  answer: idempotency && (offer.answer ?? '{}'),
  origin: offer.origin,
  messages: offer.messages,
})

interface Waiting {
  readonly offer: Offer
  readonly decided: PromiseWithResolvers<Verdict>
  /** An offer of a group that failed: it is committed alone. */
  readonly isAlone?: boolean
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
      const isLast =
        group.length === MAX_REQUESTS || messages > MAX_MESSAGES || one.isAlone || group[0]?.isAlone
      isFull ||= !isLater && group.length > 0 && isLast === true
      if (isLater || isFull) others.push(one)
      else group.push(one)
    }
    this.#waiting = others
    return group
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    const offers = group.map(({ offer }) => offer)
    for (const { sender } of offers) this.#committing.add(sender.user)
    this.#commits++
    const stored = await storeOffers(this.#store, this.#config, offers).catch((error: unknown) => ({ error }))
    this.#commits--
    for (const { sender } of offers) this.#committing.delete(sender.user)
    if ('error' in stored) this.#failed(group, stored.error)
    else this.#waiting.push(...group.filter((_, i) => stored.verdicts[i]!.outcome === 'again'))
    // start the next group while this one's answers are written
    this.#start()
    if (!('error' in stored)) this.#settle(group, stored)
  }

  #settle(group: readonly Waiting[], { verdicts, wake }: Stored): void {
    counts.accepted.commits++
    for (const [i, { offer, decided }] of group.entries()) {
      const verdict = verdicts[i]!
      if (verdict.outcome === 'accepted') counts.accepted.messages += offer.messages.length
      if (verdict.outcome !== 'again') decided.resolve(verdict)
    }
    wakeDevices(this.#store.db, wake)
  }

  /** Tries each send of a refused group alone; none after a lost connection, or without one in time. */
  #failed(group: readonly Waiting[], error: unknown): void {
    // sends may be stored, or each would wait as long again
    const isOfAll = error instanceof DatabaseUnavailable || error instanceof RetryLater
    if (group.length > 1 && !isOfAll) this.#waiting.push(...group.map((one) => ({ ...one, isAlone: true })))
    else for (const { decided } of group) decided.reject(error)
  }
}
