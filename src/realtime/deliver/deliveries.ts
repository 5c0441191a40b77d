import { setTimeout as sleep } from 'node:timers/promises'
import { isTooSlow } from '../../db/errors.ts'
import type { CompiledFilter } from '../../filter/compile/compiled-filter.ts'
import type { Logger } from '../../log.ts'
import type { AuthRecord } from '../../request/request.ts'
import type { EventLoopSlices } from '../../tools/event-loop-slices.ts'
import type { Client } from '../clients/client.ts'
import type { Owner } from '../clients/owner.ts'
import type { Seating } from '../clients/seating.ts'
import type { GroupState, SubscriptionGroup } from '../clients/subscription-groups.ts'
import { judgeHere, openQuestions } from '../clients/verdict.ts'
import type { Budgets } from '../limits/budgets.ts'
import { emailsSeen } from './emails.ts'
import type { Limiter } from './limiter.ts'
import { matchQueries } from './match-queries.ts'
import { sendTo, type Telling } from './telling.ts'

/** Questions in a statement. */
const MAX_QUESTIONS = 200
/** Statements of one owner about one change may take so many times the limit of one. */
const MAX_LIMITS = 4
/** An owner whose statements took some time rests for so many times as long. */
const REST_FACTOR = 3
const MAX_REST_MS = 10_000
const MIN_REST_MS = 60

interface Taken {
  readonly seat: SubscriptionGroup
  readonly clients: readonly Client[]
  readonly auth: AuthRecord | null
}

/** A change that waits for the filters of an owner. */
interface Delivery {
  readonly telling: Telling
  /** Who was subscribed, where that is settled. */
  taken?: readonly Taken[]
}

interface Parts {
  readonly seating: Seating
  readonly slices: EventLoopSlices
  readonly limiter: Limiter
  readonly budgets: Budgets
  readonly log: Logger
}

/**
 * Judges changes for topics with options, each owner in a queue of its own: slow filters delay only who asked
 * for them. Whoever cannot follow is disconnected, and reads anew: no event is left out silently.
 */
export class Deliveries {
  readonly #parts: Parts
  /**
   * What waits for each owner's filters, the change that is being judged first. Owners without any are not in
   * it.
   */
  readonly #queues = new Map<Owner, Delivery[]>()
  #waitingBytes = 0
  #idle: (() => void)[] = []

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Puts a change at the end of an owner's queue, or disconnects those whom it concerns where too much waits
   * there.
   */
  put(owner: Owner, telling: Telling): void {
    const delivery: Delivery = { telling }
    if (!this.#hasRoom(owner, telling)) {
      this.#giveUp(owner, delivery, 'too many changes wait')
      return
    }
    this.#grow(owner, telling.bytes)
    const queue = this.#queues.get(owner)
    if (queue) {
      queue.push(delivery)
      return
    }
    const queued = [delivery]
    this.#queues.set(owner, queued)
    void this.#drive(owner, queued)
  }

  /**
   * Settles who hears of what waits: clients are about to leave this owner, and what was changed before still
   * concerns them.
   */
  settleTaken(owner: Owner): void {
    for (const delivery of this.#queues.get(owner) ?? [])
      delivery.taken ??= this.#take(owner, delivery.telling)
  }

  /** Waits until nothing is left to do. */
  async settled(): Promise<void> {
    if (this.#queues.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  #hasRoom(owner: Owner, { bytes }: Telling): boolean {
    const { budgets } = this.#parts
    const waiting = this.#queues.get(owner)?.length ?? 0
    return (
      waiting === 0 ||
      (waiting < budgets.waitingChanges &&
        owner.waitingBytes + bytes <= budgets.waitingBytes &&
        this.#waitingBytes + bytes <= budgets.waitingTotalBytes)
    )
  }

  #grow(owner: Owner, bytes: number): void {
    owner.waitingBytes += bytes
    this.#waitingBytes += bytes
  }

  async #drive(owner: Owner, queue: Delivery[]): Promise<void> {
    for (let next = queue[0]; next; next = queue[0]) {
      const restMs = await this.#deliver(owner, next)
      queue.shift()
      this.#grow(owner, -next.telling.bytes)
      if (restMs > 0 && queue.length > 0) await sleep(restMs)
    }
    this.#queues.delete(owner)
    if (this.#queues.size === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  /** Answers how many ms the owner rests. */
  async #deliver(owner: Owner, delivery: Delivery): Promise<number> {
    const { telling } = delivery
    delivery.taken ??= this.#take(owner, telling)
    if (performance.now() - telling.at > this.#parts.budgets.waitingMs) {
      this.#giveUp(owner, delivery, 'changes waited too long')
      return 0
    }
    const { databaseMs } = owner
    try {
      const { allowed, open } = await this.#sort(telling, delivery.taken)
      const answered = await this.#ask(owner, telling, open)
      await this.#send(owner, telling, [...allowed, ...answered])
    } catch (error) {
      this.#giveUp(owner, delivery, 'a change was not sent', error)
    }
    const restMs = REST_FACTOR * (owner.databaseMs - databaseMs)
    return restMs < MIN_REST_MS ? 0 : Math.min(restMs, MAX_REST_MS)
  }

  #take(owner: Owner, { change }: Telling): Taken[] {
    const groups = this.#parts.seating.groupsOf(owner, change.collection, change.record)
    return groups.flatMap(({ viewer, seats }) =>
      [...seats.values()].map((subscriptionGroup) => ({
        seat: subscriptionGroup,
        clients: subscriptionGroup.clients,
        auth: viewer.auth,
      })),
    )
  }

  /** Who may hear of it, and who only if the database says so. */
  async #sort({ store, change }: Telling, taken: readonly Taken[]) {
    const { slices } = this.#parts
    const [allowed, open]: [GroupState[], GroupState[]] = [[], []]
    for (const { seat, clients, auth } of taken) {
      if (slices.isUsedUp) await slices.next()
      const standing = seat.standing(store.catalog, change.collection, auth, clients)
      const verdict = judgeHere(standing.access, change)
      if (verdict !== false) (verdict ? allowed : open).push(standing)
    }
    return { allowed, open }
  }

  async #ask(owner: Owner, telling: Telling, open: readonly GroupState[]): Promise<GroupState[]> {
    const accesses = open.map(({ access }) => access)
    const allowed: GroupState[] = []
    const end = performance.now() + MAX_LIMITS * this.#parts.limiter.limitMs
    let isTooLate = false
    for (const group of openQuestions(accesses, () => true).values()) {
      for (let at = 0; at < group.length; at += MAX_QUESTIONS) {
        const part = group.slice(at, at + MAX_QUESTIONS)
        const standings = part.map(([i]) => open[i]!)
        const questions = part.map(([, question]) => question)
        const answers: readonly boolean[] | undefined = isTooLate
          ? undefined
          : await this.#answers(owner, telling, questions)
        isTooLate ||= !answers || performance.now() > end
        if (answers) allowed.push(...standings.filter((_, i) => answers[i]))
        else for (const { clients } of standings) endAll(clients)
      }
    }
    if (isTooLate) this.#strike(owner)
    return allowed
  }

  /** Undefined if the database takes too long for them. */
  async #answers(
    owner: Owner,
    { store, change, verdicts }: Telling,
    questions: readonly CompiledFilter[],
  ): Promise<readonly boolean[] | undefined> {
    try {
      return await verdicts.of(questions, (fresh) =>
        this.#parts.limiter.run(owner, ({ db }) =>
          matchQueries({ db, catalog: store.catalog }, change, fresh),
        ),
      )
    } catch (error) {
      if (isTooSlow(error)) return undefined
      throw error
    }
  }

  #strike(owner: Owner): void {
    const what = owner.strike()
      ? 'topics with options are refused for a minute'
      : 'its streams have to connect again'
    this.#parts.log.warn({ owner: owner.key }, `filters of a subscription take too long: ${what}`)
  }

  async #send(owner: Owner, telling: Telling, standings: readonly GroupState[]): Promise<void> {
    const { slices } = this.#parts
    const emails = await emailsSeen(telling.store, telling.change, standings, slices)
    for (const [i, standing] of standings.entries()) {
      if (slices.isUsedUp) await slices.next()
      await sendTo(telling, standing, emails[i]!, owner)
    }
  }

  #giveUp(owner: Owner, delivery: Delivery, why: string, error?: unknown): void {
    const taken = delivery.taken ?? this.#take(owner, delivery.telling)
    this.#parts.log.warn(
      { owner: owner.key, ...(error !== undefined && { err: error }) },
      `subscriptions end: ${why}`,
    )
    endAll(taken.flatMap(({ clients }) => clients))
  }
}

function endAll(clients: readonly Client[]): void {
  for (const client of new Set(clients)) client.end()
}
