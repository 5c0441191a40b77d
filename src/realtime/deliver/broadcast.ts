import type { CatalogStore } from '../../collections/catalog/catalog-store.ts'
import type { Catalog } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import type { Logger } from '../../log.ts'
import { ENDED_SESSIONS } from '../../records/auth/ended-sessions.ts'
import { type Change, loadChanges } from '../changes/change.ts'
import type { ChangeEntry } from '../changes/change-log.ts'
import { judgeHere, questionOf, textOf } from '../clients/access.ts'
import type { ClientRegistry } from '../clients/client-registry.ts'
import type { GroupState, Receivers, SubscriptionIndex } from '../clients/subscription-index.ts'
import { type ChangeEvent, isTooOld, sendTo, toEvent } from './change-event.ts'
import { decide, emailsSeen } from './decide.ts'
import type { Deliver, Lanes } from './deliveries.ts'

/**
 * Sends a change to all who may see it. Decides topics without options together, others by `deliverByHolder`.
 * Events keep their order; clients are disconnected when one fails. PocketBase: apis/realtime.go,
 * realtimeBroadcastRecord
 */
export function broadcast(
  event: ChangeEvent,
  index: SubscriptionIndex,
  lanes: Lanes,
  deliverByHolder: Deliver,
  log: Logger,
): void {
  const { change, store } = event
  for (const [lane, states] of plainByLane(store.catalog, index, log, change)) {
    const isQueued = lanes.add(lane, event.bytes, () => deliver(event, states, log, lane !== ''))
    if (!isQueued) disconnect(states)
  }
  for (const [holder, receivers] of receiversByHolder(store.catalog, index, log, change))
    deliverByHolder(holder, event, receivers)
}

/** Topics with options that the collection's rule lets through. */
function receiversByHolder(catalog: Catalog, index: SubscriptionIndex, log: Logger, change: Change) {
  const found = new Map<string, Receivers[]>()
  for (const topics of index.withOptions(change.collection, change.record)) {
    const { holder } = topics
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

/** Events that need no statement share one lane; others have a lane for each statement. */
function laneOf(collection: Collection, { access }: GroupState): string {
  const question = questionOf(access)
  const isManaged = collection.type === 'auth' && collection.manageRule !== null
  return question || isManaged ? `${collection.id} ${question ? textOf(question) : ''}` : ''
}

async function deliver(event: ChangeEvent, states: readonly GroupState[], log: Logger, asks: boolean) {
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

/** Disconnects clients, which reconnect and read what they missed. */
function disconnect(states: readonly GroupState[]): void {
  for (const { clients } of states) for (const client of clients) client.end()
}

interface DeliveryParts {
  readonly store: CatalogStore
  readonly log: Logger
  readonly registry: ClientRegistry
  readonly lanes: Lanes
  readonly deliverByHolder: Deliver
}

/**
 * Sends changes to this node's clients. Signs out deleted auth records; disconnects accounts that ended a
 * session, and clients that miss a failed change. `isPatient`: see loadChanges.
 */
export async function deliverChanges(
  parts: DeliveryParts,
  entries: readonly ChangeEntry[],
  isPatient: boolean,
): Promise<void> {
  const { store, registry } = parts
  for (const { collection, record } of entries)
    if (collection === ENDED_SESSIONS) registry.endClientsOf(record)
  const isWanted = (collection: Collection, record: string) => registry.knows(collection, record)
  const { changes, unread } = await loadChanges(store.forEverybody('realtime'), entries, isWanted, isPatient)
  registry.follow(store.catalog)
  const last = new Map(changes.map(({ xid }, i) => [xid, i]))
  const deleted: Change[] = []
  for (const [i, change] of changes.entries()) {
    // an error with one change must not hold up the others, nor send any of them twice
    try {
      const { collection, record, action, row } = change
      if (action !== 'delete') registry.refresh(collection, record, row)
      broadcast(toEvent(store, change), registry.index, parts.lanes, parts.deliverByHolder, parts.log)
    } catch (error) {
      unread.push({ ...change, error })
    }
    if (change.action === 'delete') deleted.push(change)
    // a deleted user still receives all changes of the transaction that deleted it
    if (last.get(change.xid) === i) signOut(registry, deleted, change.xid)
  }
  for (const { collection, record, error } of unread) {
    const what = { err: error, collection: collection.name, record }
    parts.log.error(what, 'realtime delivery failed, disconnecting its clients')
    registry.disconnect(collection, record)
  }
}

function signOut(registry: ClientRegistry, deleted: readonly Change[], xid: Change['xid']): void {
  for (const { collection, record } of deleted.filter((one) => one.xid === xid))
    registry.signOut(collection, record)
}
