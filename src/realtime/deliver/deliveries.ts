import { admission } from '../../admission/admission.ts'
import type { Budget } from '../../admission/budget.ts'
import { isTooSlow } from '../../db/errors.ts'
import { RetryLater } from '../../errors.ts'
import type { CompiledFilter } from '../../filter/compile/compiled-filter.ts'
import type { Logger } from '../../log.ts'
import { judgeHere, openQuestions } from '../clients/access.ts'
import type { GroupState, Receivers } from '../clients/subscription-index.ts'
import { type ChangeEvent, isTooOld, sendTo } from './change-event.ts'
import { emailsSeen, matchQueries } from './decide.ts'

/** Work in lanes, in order within each, so that a slow statement delays only its own lane. */
export class Lanes {
  readonly #memory: Budget
  readonly #lanes = new Map<string, Promise<void>>()

  constructor(memory: Budget) {
    this.#memory = memory
  }

  /**
   * Adds work, which must not fail. `bytes`: memory that it holds while it waits in the lane.
   * Returns false and adds nothing if the lane has no memory left.
   */
  add(lane: string, bytes: number, work: () => Promise<void>): boolean {
    const before = this.#lanes.get(lane)
    const share = this.#memory.open(lane)
    if (before && !share.tryTake(bytes)) return false
    const run = (before ?? Promise.resolve()).then(work).finally(() => {
      share.close()
      if (this.#lanes.get(lane) === run) this.#lanes.delete(lane)
    })
    this.#lanes.set(lane, run)
    return true
  }

  /** Waits until all work that was added is done. */
  async whenIdle(): Promise<void> {
    await Promise.all(this.#lanes.values())
  }
}

/** Questions in one statement. */
const MAX_QUESTIONS = 1_000
const RECEIVERS_BYTES = 100

export type Deliver = (lane: string, event: ChangeEvent, receivers: readonly Receivers[]) => void

/**
 * Sends changes to those who may see them, in lanes. A client that is too slow is disconnected and reads
 * again, so that no event is lost unnoticed.
 */
export function delivery(lanes: Lanes, log: Logger): Deliver {
  const disconnect = (lane: string, receivers: readonly Receivers[], why: string, error?: unknown) => {
    const clients = new Set(receivers.flatMap((one) => one.clients.filter((client) => !client.isOver)))
    if (clients.size === 0) return
    const what = { lane, clients: clients.size, ...(error !== undefined && { err: error }) }
    log.warn(what, `disconnecting realtime clients: ${why}`)
    for (const client of clients) client.end()
  }

  /** Sorts receivers into those who get the event and those for whom the database decides. */
  const sort = async (lane: string, { store, change }: ChangeEvent, receivers: readonly Receivers[]) => {
    const [allowed, open]: [GroupState[], GroupState[]] = [[], []]
    const slices = slicesOf(receivers)
    for (const one of receivers) {
      if (slices?.isUsedUp) await slices.next()
      if (isOver(one)) continue
      try {
        const state = one.group.state(store.catalog, change.collection, one)
        const verdict = judgeHere(state.access, change)
        if (verdict !== false) (verdict ? allowed : open).push(state)
      } catch (error) {
        if (!(error instanceof RetryLater)) throw error
        disconnect(lane, [one], 'too many new filters')
      }
    }
    return { allowed, open }
  }

  const ask = async (lane: string, event: ChangeEvent, open: readonly GroupState[]) => {
    const allowed: GroupState[] = []
    const accesses = open.map(({ access }) => access)
    for (const group of openQuestions(accesses, () => true).values()) {
      for (let at = 0; at < group.length; at += MAX_QUESTIONS) {
        const part = group.slice(at, at + MAX_QUESTIONS).filter(([i]) => !isOver(open[i]!))
        const states = part.map(([i]) => open[i]!)
        const questions = part.map(([, question]) => question)
        const answers = states.length > 0 && (await answersTo(event, states[0]!, questions))
        if (answers) allowed.push(...states.filter((_, i) => answers[i]))
        else disconnect(lane, states, 'filters take too long')
      }
    }
    return allowed
  }

  const deliver = async (lane: string, event: ChangeEvent, receivers: readonly Receivers[]) => {
    try {
      const { allowed, open } = await sort(lane, event, receivers)
      const states = [...allowed, ...(await ask(lane, event, open))]
      const slices = slicesOf(receivers)
      const emails = await emailsSeen(event.store, event.change, states, slices)
      for (const [i, state] of states.entries()) {
        if (slices?.isUsedUp) await slices.next()
        await sendTo(event, state, emails[i]!)
      }
    } catch (error) {
      disconnect(lane, receivers, 'delivery failed', error)
    }
  }

  return (lane, event, receivers) => {
    const bytes = event.bytes + RECEIVERS_BYTES * receivers.length
    const isQueued = lanes.add(lane, bytes, () => deliver(lane, event, receivers))
    if (!isQueued) disconnect(lane, receivers, 'too many changes wait for filters')
  }
}

/** Filters and expands of topics with options take turns on the event loop. */
const slicesOf = ([first]: readonly Receivers[]) =>
  first?.group.holder === undefined ? undefined : admission.deliverySlices

/** The answers to questions; undefined if the database takes too long. */
async function answersTo(event: ChangeEvent, first: GroupState, questions: readonly CompiledFilter[]) {
  if (isTooOld(event)) return undefined
  try {
    return await matchQueries(event.storeOf(first), event.change, questions)
  } catch (error) {
    if (isTooSlow(error) || error instanceof RetryLater) return undefined
    throw error
  }
}

const isOver = ({ clients }: Receivers): boolean => clients.every((client) => client.isOver)
