import { admission } from '../../admission/admission.ts'
import type { Budget } from '../../admission/budget.ts'
import { isTooSlow } from '../../db/errors.ts'
import { RetryLater } from '../../errors.ts'
import type { CompiledFilter } from '../../filter/compile/compiled-filter.ts'
import type { Logger } from '../../log.ts'
import { judgeHere, openQuestions } from '../clients/access.ts'
import type { Client } from '../clients/client.ts'
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

const MAX_QUESTIONS = 200
const RECEIVERS_BYTES = 100

export type Deliver = (holder: string, event: ChangeEvent, receivers: readonly Receivers[]) => void

/**
 * Sends changes to topics with options. Each holder has a lane, so slow filters delay only its own events. A
 * client that is too slow is disconnected and reads again, so that no event is lost unnoticed.
 */
export function deliverByHolder(lanes: Lanes, log: Logger): Deliver {
  const slices = admission.deliverySlices

  const disconnect = (
    holder: string,
    receivers: readonly Pick<Receivers, 'clients'>[],
    why: string,
    error?: unknown,
  ) => {
    const clients = new Set(receivers.flatMap((one) => one.clients.filter((client) => !client.isOver)))
    if (clients.size === 0) return
    const what = { holder, clients: clients.size, ...(error !== undefined && { err: error }) }
    log.warn(what, `disconnecting realtime clients: ${why}`)
    for (const client of clients) client.end()
  }

  /** Sorts receivers into those who get the event and those for whom the database decides. */
  const sort = async (holder: string, { store, change }: ChangeEvent, receivers: readonly Receivers[]) => {
    const [allowed, open]: [GroupState[], GroupState[]] = [[], []]
    for (const one of receivers) {
      if (slices.isUsedUp) await slices.next()
      if (isOver(one)) continue
      try {
        const state = one.group.state(store.catalog, change.collection, one.auth, one.clients)
        const verdict = judgeHere(state.access, change)
        if (verdict !== false) (verdict ? allowed : open).push(state)
      } catch (error) {
        if (!(error instanceof RetryLater)) throw error
        disconnect(holder, [one], 'too many new filters')
      }
    }
    return { allowed, open }
  }

  const ask = async (holder: string, event: ChangeEvent, open: readonly GroupState[]) => {
    const allowed: GroupState[] = []
    const accesses = open.map(({ access }) => access)
    for (const group of openQuestions(accesses, () => true).values()) {
      for (let at = 0; at < group.length; at += MAX_QUESTIONS) {
        const part = group.slice(at, at + MAX_QUESTIONS).filter(([i]) => !isOver(open[i]!))
        const states = part.map(([i]) => open[i]!)
        const questions = part.map(([, question]) => question)
        const answers = states.length > 0 && (await answersTo(event, states[0]!, questions))
        if (answers) allowed.push(...states.filter((_, i) => answers[i]))
        else disconnect(holder, states, 'filters take too long')
      }
    }
    return allowed
  }

  const deliver = async (holder: string, event: ChangeEvent, receivers: readonly Receivers[]) => {
    try {
      const { allowed, open } = await sort(holder, event, receivers)
      const states = [...allowed, ...(await ask(holder, event, open))]
      const emails = await emailsSeen(event.store, event.change, states, slices)
      for (const [i, state] of states.entries()) {
        if (slices.isUsedUp) await slices.next()
        await sendTo(event, state, emails[i]!)
      }
    } catch (error) {
      disconnect(holder, receivers, 'delivery failed', error)
    }
  }

  return (holder, event, receivers) => {
    const bytes = event.bytes + RECEIVERS_BYTES * receivers.length
    const isQueued = lanes.add(holder, bytes, () => deliver(holder, event, receivers))
    if (!isQueued) disconnect(holder, receivers, 'too many changes wait for filters')
  }
}

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

const isOver = ({ clients }: { readonly clients: readonly Client[] }): boolean =>
  clients.every((client) => client.isOver)
