import type { Catalog } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import type { Change } from '../changes/change.ts'
import type { Seating } from '../clients/seating.ts'
import type { GroupState, SubscriptionGroup } from '../clients/subscription-groups.ts'
import { judgeHere, questionOf } from '../clients/verdict.ts'
import type { Viewer } from '../clients/viewers.ts'
import { decide } from './decide.ts'
import type { Deliveries } from './deliveries.ts'
import { emailsSeen } from './emails.ts'
import type { KeyedQueue } from './keyed-queue.ts'
import { sendTo, type Telling } from './telling.ts'

/**
 * Sends a change to all who may see it. Topics without options depend on the collection's rule alone: it is
 * asked of the database for all viewers together, or not at all if it compares only the record's own texts
 * and bools. Topics with options go to `deliveries`. The events of one topic keep their order; if its queue
 * is full or a question fails, the streams of its clients end. PocketBase: apis/realtime.go,
 * realtimeBroadcastRecord
 */
export function broadcast(
  telling: Telling,
  seating: Seating,
  queue: KeyedQueue,
  deliveries: Deliveries,
): void {
  const { change, store } = telling
  const { collection, record } = change
  for (const [lane, candidates] of byLane(store.catalog, queue, seating.bare(collection, record), change)) {
    const isTaken = queue.enqueue(lane, () => deliver(telling, candidates))
    if (!isTaken) hangUp(candidates)
  }
  for (const owner of ownersOf(store.catalog, seating, queue, change)) deliveries.put(owner, telling)
}

/** Owners of topics with options that the collection's rule lets through. */
function ownersOf(catalog: Catalog, seating: Seating, { failed }: KeyedQueue, change: Change) {
  const found = seating.groups(change.collection, change.record).filter(([, group]) => {
    try {
      return group.mayPass(catalog, change)
    } catch (error) {
      failed(error)
      return false
    }
  })
  return new Set(found.map(([owner]) => owner))
}

/** Who may get the event, as everything stands now. A seat whose question is beyond us holds up no other. */
function byLane(
  catalog: Catalog,
  { failed }: KeyedQueue,
  seats: readonly [Viewer, SubscriptionGroup][],
  change: Change,
): Map<string, GroupState[]> {
  const lanes = new Map<string, GroupState[]>()
  const take = ({ auth }: Viewer, subscriptionGroup: SubscriptionGroup) => {
    const standing = subscriptionGroup.standing(catalog, change.collection, auth, subscriptionGroup.clients)
    if (judgeHere(standing.access, change) === false) return
    const lane = laneOf(change.collection, standing)
    const candidates = lanes.get(lane)
    if (candidates) candidates.push(standing)
    else lanes.set(lane, [standing])
  }
  for (const [viewer, seat] of seats) {
    try {
      take(viewer, seat)
    } catch (error) {
      failed(error)
    }
  }
  return lanes
}

/** What needs no more of the database is in one lane; the rest waits for its like only. */
function laneOf(collection: Collection, { access }: GroupState): string {
  const question = questionOf(access)
  const isManaged = collection.type === 'auth' && collection.manageRule !== null
  return question || isManaged ? `${collection.id} ${question?.key ?? ''}` : ''
}

async function deliver(telling: Telling, candidates: readonly GroupState[]): Promise<void> {
  const { store, change } = telling
  try {
    const accesses = candidates.map(({ access }) => access)
    const verdicts = await decide(store, change, accesses)
    const allowed = candidates.filter((_, i) => verdicts[i])
    const emails = await emailsSeen(store, change, allowed)
    for (const [i, standing] of allowed.entries()) await sendTo(telling, standing, emails[i]!)
  } catch (error) {
    hangUp(candidates)
    throw error
  }
}

/** They have to come again, and then ask for what they missed. */
function hangUp(candidates: readonly GroupState[]): void {
  for (const { clients } of candidates) for (const client of clients) client.end()
}
