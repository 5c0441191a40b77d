import { isTooSlow } from '../../db/errors.ts'
import { RetryLater } from '../../errors.ts'
import type { CompiledFilter } from '../../filter/compile/compiled-filter.ts'
import type { Logger } from '../../log.ts'
import { EventLoopSlices } from '../../tools/event-loop-slices.ts'
import type { Client } from '../clients/client.ts'
import type { GroupState } from '../clients/subscription-groups.ts'
import type { Receivers } from '../clients/subscription-index.ts'
import { judgeHere, openQuestions } from '../clients/verdict.ts'
import { type ChangeEvent, isTooOld, sendTo } from './change-event.ts'
import { emailsSeen } from './emails.ts'
import type { Lanes } from './lanes.ts'
import { matchQueries } from './match-queries.ts'

/** Questions in a statement. */
const MAX_QUESTIONS = 200
const RECEIVERS_BYTES = 100

/**
 * Sends changes to topics with options. Each holder has a lane, so slow filters delay only its own events. A
 * client that cannot follow is disconnected and reads again: it never misses an event without notice.
 */
export class Deliveries {
  readonly #lanes: Lanes
  readonly #log: Logger
  readonly #slices = new EventLoopSlices()

  constructor(lanes: Lanes, log: Logger) {
    this.#lanes = lanes
    this.#log = log
  }

  /** Queues a change. Disconnects its receivers when the holder has no memory left. */
  put(holder: string, event: ChangeEvent, receivers: readonly Receivers[]): void {
    const bytes = event.bytes + RECEIVERS_BYTES * receivers.length
    const isQueued = this.#lanes.add(holder, bytes, () => this.#deliver(holder, event, receivers))
    if (!isQueued) this.#disconnect(holder, receivers, 'too many changes wait for filters')
  }

  async #deliver(holder: string, event: ChangeEvent, receivers: readonly Receivers[]): Promise<void> {
    try {
      const { allowed, open } = await this.#sort(holder, event, receivers)
      const states = [...allowed, ...(await this.#ask(holder, event, open))]
      const emails = await emailsSeen(event.store, event.change, states, this.#slices)
      for (const [i, state] of states.entries()) {
        if (this.#slices.isUsedUp) await this.#slices.next()
        await sendTo(event, state, emails[i]!)
      }
    } catch (error) {
      this.#disconnect(holder, receivers, 'delivery failed', error)
    }
  }

  /** Which receivers may get the event, and for which the database decides. */
  async #sort(holder: string, { store, change }: ChangeEvent, receivers: readonly Receivers[]) {
    const [allowed, open]: [GroupState[], GroupState[]] = [[], []]
    for (const one of receivers) {
      if (this.#slices.isUsedUp) await this.#slices.next()
      if (isOver(one)) continue
      try {
        const state = one.group.state(store.catalog, change.collection, one.auth, one.clients)
        const verdict = judgeHere(state.access, change)
        if (verdict !== false) (verdict ? allowed : open).push(state)
      } catch (error) {
        if (!(error instanceof RetryLater)) throw error
        this.#disconnect(holder, [one], 'too many new filters')
      }
    }
    return { allowed, open }
  }

  async #ask(holder: string, event: ChangeEvent, open: readonly GroupState[]): Promise<GroupState[]> {
    const allowed: GroupState[] = []
    const accesses = open.map(({ access }) => access)
    for (const group of openQuestions(accesses, () => true).values()) {
      for (let at = 0; at < group.length; at += MAX_QUESTIONS) {
        const part = group.slice(at, at + MAX_QUESTIONS).filter(([i]) => !isOver(open[i]!))
        const states = part.map(([i]) => open[i]!)
        const questions = part.map(([, question]) => question)
        const answers = states.length > 0 && (await this.#answers(event, states[0]!, questions))
        if (answers) allowed.push(...states.filter((_, i) => answers[i]))
        else this.#disconnect(holder, states, 'filters take too long')
      }
    }
    return allowed
  }

  /** Undefined if the database takes too long. */
  async #answers(
    event: ChangeEvent,
    first: GroupState,
    questions: readonly CompiledFilter[],
  ): Promise<readonly boolean[] | undefined> {
    if (isTooOld(event)) return undefined
    try {
      return await matchQueries(event.storeOf(first), event.change, questions)
    } catch (error) {
      if (isTooSlow(error) || error instanceof RetryLater) return undefined
      throw error
    }
  }

  #disconnect(
    holder: string,
    receivers: readonly Pick<Receivers, 'clients'>[],
    why: string,
    error?: unknown,
  ): void {
    const clients = new Set(receivers.flatMap((one) => one.clients.filter((client) => !client.isOver)))
    if (clients.size === 0) return
    const what = { holder, clients: clients.size, ...(error !== undefined && { err: error }) }
    this.#log.warn(what, `realtime clients are disconnected: ${why}`)
    for (const client of clients) client.end()
  }
}

const isOver = ({ clients }: { readonly clients: readonly Client[] }): boolean =>
  clients.every((client) => client.isOver)
