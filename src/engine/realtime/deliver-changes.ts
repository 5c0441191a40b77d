import { RetryLater } from '../../platform/api-errors.ts'
import { isTooSlow } from '../../platform/db/database-errors.ts'
import type { Budget } from '../../platform/limits/byte-budget.ts'
import type { EventLoopSlices } from '../../platform/limits/event-loop-slices.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import type { Logger } from '../../platform/log.ts'
import type { Store } from '../collections/catalog.ts'
import { columnsOf } from '../records/record-row.ts'
import type { DeliverEvent } from './broadcast.ts'
import { type ChangeEvent, isChangeTooOld, sendEventTo } from './change-event.ts'
import type { RecordChange } from './load-changes.ts'
import { matchQueries } from './match-change.ts'
import { type GroupState, groupByFilter, type Receivers } from './subscription-index.ts'
import { type Access, ALWAYS, decideLocally, makeAccessMaker } from './topic-access.ts'

const MAX_QUESTIONS = 1_000
const RECEIVERS_BYTES = 100

/**
 * Returns a function that sends changes in lanes (queues). If a lane gets too slow, its clients are
 * disconnected. They reconnect and read the data again.
 */
export function makeDelivery(lanes: ReturnType<typeof makeLanes>, log: Logger): DeliverEvent {
  const disconnect = (
    lane: string,
    receivers: readonly Receivers[],
    why: string,
    error?: unknown,
  ) => {
    const clients = new Set(
      receivers.flatMap((one) => one.clients.filter((client) => !client.isOver)),
    )
    if (clients.size === 0) return
    const what = { lane, clients: clients.size, ...(error !== undefined && { err: error }) }
    log.warn(what, `disconnecting realtime clients: ${why}`)
    for (const client of clients) client.end()
  }

  const sort = async (
    lane: string,
    { store, change }: ChangeEvent,
    receivers: readonly Receivers[],
  ) => {
    const [allowed, open]: [GroupState[], GroupState[]] = [[], []]
    const slices = chooseSlices(receivers)
    for (const one of receivers) {
      if (slices?.isUsedUp) await slices.next()
      if (areReceiversOver(one)) continue
      try {
        const state = one.group.state(store.catalog, change.collection, one)
        const verdict = decideLocally(state.access, change)
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
    for (const group of groupByFilter(open)) {
      for (let at = 0; at < group.length; at += MAX_QUESTIONS) {
        const states = group
          .slice(at, at + MAX_QUESTIONS)
          .filter((state) => !areReceiversOver(state))
        const answers = states.length > 0 && (await matchSubscriptions(event, states))
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
      const slices = chooseSlices(receivers)
      const emails = await findVisibleEmails(event.store, event.change, states, slices)
      for (const [i, state] of states.entries()) {
        if (slices?.isUsedUp) await slices.next()
        await sendEventTo(event, state, emails[i]!)
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

/** For topics with options, returns a function that pauses long loops, to not block the event loop. */
const chooseSlices = ([first]: readonly Receivers[]) =>
  first?.group.holder === undefined ? undefined : admission.slices

async function matchSubscriptions(event: ChangeEvent, states: readonly GroupState[]) {
  if (isChangeTooOld(event)) return undefined
  try {
    return await matchQueries(event.storeOf(states[0]!), event.change, states)
  } catch (error) {
    if (isTooSlow(error) || error instanceof RetryLater) return undefined
    throw error
  }
}

const areReceiversOver = ({ clients }: Receivers): boolean =>
  clients.every((client) => client.isOver)

/** For each Access, whether it shows the change. One statement evaluates all conditions of equal SQL. */
async function decideAccess(
  store: Store,
  change: RecordChange,
  accesses: readonly Access[],
): Promise<boolean[]> {
  const judged = accesses.map((access) => ({ access, verdict: decideLocally(access, change) }))
  for (const group of groupByFilter(judged.filter(({ verdict }) => verdict === undefined))) {
    const answers = await matchQueries(store, change, group)
    for (const [i, one] of group.entries()) one.verdict = answers[i]
  }
  return judged.map(({ verdict }) => verdict === true)
}

/**
 * For each candidate, whether it sees the email of the changed auth record. If emailVisibility is off, only
 * superusers, the record itself and those whom the manageRule allows see it.
 */
async function findVisibleEmails(
  store: Store,
  change: RecordChange,
  candidates: readonly GroupState[],
  slices?: EventLoopSlices,
): Promise<readonly boolean[]> {
  const { collection, record, row } = change
  if (collection.type !== 'auth' || row[columnsOf(collection).at.get('emailVisibility')!] === true)
    return candidates.map(() => true)
  const accesses: Access[] = []
  for (const { request } of candidates) {
    if (slices?.isUsedUp) await slices.next()
    const { auth } = request
    const isSelf = auth?.id === record && auth.collection.id === collection.id && !auth.actor
    const rule = auth?.actor ? null : collection.manageRule
    accesses.push(isSelf ? ALWAYS : makeAccessMaker(store.catalog, collection, rule, '', request)())
  }
  return decideAccess(store, change, accesses)
}

/** Runs work in lanes: queues that run one work after another. A slow statement delays only its own lane. */
export function makeLanes(memory: Budget) {
  const lanes = new Map<string, Promise<void>>()
  return {
    /** Adds `work`, which must not reject, to a lane. Returns false if no memory is left for waiting work. */
    add(lane: string, bytes: number, work: () => Promise<void>): boolean {
      const before = lanes.get(lane)
      const share = memory.open(lane)
      if (before && !share.tryTake(bytes)) return false
      const run = (before ?? Promise.resolve()).then(work).finally(() => {
        share.close()
        if (lanes.get(lane) === run) lanes.delete(lane)
      })
      lanes.set(lane, run)
      return true
    },
    whenIdle: () => Promise.all(lanes.values()),
  }
}
