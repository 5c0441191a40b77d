import type { Catalog } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import type { Logger } from '../../log.ts'
import type { Change } from '../changes/change.ts'
import type { GroupState } from '../clients/subscription-groups.ts'
import type { Receivers, SubscriptionIndex } from '../clients/subscription-index.ts'
import { judgeHere, questionOf } from '../clients/verdict.ts'
import { type ChangeEvent, isTooOld, sendTo } from './change-event.ts'
import { decide } from './decide.ts'
import type { Deliveries } from './deliveries.ts'
import { emailsSeen } from './emails.ts'
import type { Lanes } from './lanes.ts'

/**
 * Sends a change to all that may see it. The rules of topics without options are checked for all viewers
 * together, topics with options by `deliveries`. Events of a topic keep their order; its clients are
 * disconnected when one fails. PocketBase: apis/realtime.go, realtimeBroadcastRecord
 */
export function broadcast(
  event: ChangeEvent,
  index: SubscriptionIndex,
  lanes: Lanes,
  deliveries: Deliveries,
  log: Logger,
): void {
  const { change, store } = event
  for (const [lane, states] of plainByLane(store.catalog, index, log, change)) {
    const isQueued = lanes.add(lane, event.bytes, () => deliver(event, states, log, lane !== ''))
    if (!isQueued) disconnect(states)
  }
  for (const [holder, receivers] of receiversByHolder(store.catalog, index, log, change))
    deliveries.put(holder, event, receivers)
}

/** Topics with options that the collection's rule lets through. */
function receiversByHolder(catalog: Catalog, index: SubscriptionIndex, log: Logger, change: Change) {
  const found = new Map<string, Receivers[]>()
  for (const [holder, topics] of index.withOptions(change.collection, change.record)) {
    attempt(log, () => {
      if (topics.mayPass(catalog, change))
        found.set(holder, [...(found.get(holder) ?? []), ...topics.receivers()])
    })
  }
  return found
}

/** Topics without options that may get the event. */
function plainByLane(catalog: Catalog, index: SubscriptionIndex, log: Logger, change: Change) {
  const { collection, record } = change
  const lanes = new Map<string, GroupState[]>()
  for (const [{ auth }, group] of index.plain(collection, record)) {
    attempt(log, () => {
      const state = group.state(catalog, collection, auth, group.clients)
      if (judgeHere(state.access, change) === false) return
      const lane = laneOf(collection, state)
      const states = lanes.get(lane)
      if (states) states.push(state)
      else lanes.set(lane, [state])
    })
  }
  return lanes
}

/** A group that fails must not hold up the others. */
function attempt(log: Logger, work: () => void): void {
  try {
    work()
  } catch (err) {
    log.error({ err }, 'realtime delivery failed')
  }
}

/** Events without a statement have one lane; the others wait only for the same statement. */
function laneOf(collection: Collection, { access }: GroupState): string {
  const question = questionOf(access)
  const isManaged = collection.type === 'auth' && collection.manageRule !== null
  return question || isManaged ? `${collection.id} ${question?.key ?? ''}` : ''
}

async function deliver(
  event: ChangeEvent,
  states: readonly GroupState[],
  log: Logger,
  asks: boolean,
): Promise<void> {
  const { store, change } = event
  try {
    if (asks && isTooOld(event)) return disconnect(states)
    const accesses = states.map(({ access }) => access)
    const verdicts = await decide(store, change, accesses)
    const allowed = states.filter((_, i) => verdicts[i])
    const emails = await emailsSeen(store, change, allowed)
    for (const [i, state] of allowed.entries()) await sendTo(event, state, emails[i]!)
  } catch (err) {
    log.error({ err }, 'realtime delivery failed')
    disconnect(states)
  }
}

/** The clients reconnect and read what they missed. */
function disconnect(states: readonly GroupState[]): void {
  for (const { clients } of states) for (const client of clients) client.end()
}
