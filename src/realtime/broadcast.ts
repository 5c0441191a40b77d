import type { Catalog } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import type { Change } from './change.ts'
import { decide } from './decide.ts'
import type { Deliveries } from './deliveries.ts'
import { emailsSeen } from './emails.ts'
import type { Lanes } from './lanes.ts'
import type { Seating } from './seating.ts'
import type { Seat, Standing } from './seats.ts'
import { sendTo, type Telling } from './telling.ts'
import { judgeHere, questionOf } from './verdict.ts'
import type { Viewer } from './viewers.ts'

/**
 * Sends a change to all who may see it. Topics without options depend on the collection's rule alone: it is asked of the database for
 * all viewers together, or not at all if it only looks at the record itself. Topics with options go to `deliveries`. The events of one
 * seat keep their order. PocketBase: apis/realtime.go, realtimeBroadcastRecord
 */
export function broadcast(telling: Telling, seating: Seating, lanes: Lanes, deliveries: Deliveries): void {
  const { change, store } = telling
  const { collection, record } = change
  for (const [lane, candidates] of byLane(store.catalog, lanes, seating.bare(collection, record), change)) {
    const isTaken = lanes.put(lane, () => deliver(telling, candidates))
    if (!isTaken) hangUp(candidates)
  }
  for (const owner of ownersOf(store.catalog, seating, lanes, change)) deliveries.put(owner, telling)
}

/** Owners of topics with options that the collection's rule lets through. */
function ownersOf(catalog: Catalog, seating: Seating, { failed }: Lanes, change: Change) {
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
  { failed }: Lanes,
  seats: readonly [Viewer, Seat][],
  change: Change,
): Map<string, Standing[]> {
  const lanes = new Map<string, Standing[]>()
  const take = ({ auth }: Viewer, seat: Seat) => {
    const standing = seat.standing(catalog, change.collection, auth, seat.clients)
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
function laneOf(collection: Collection, { access }: Standing): string {
  const question = questionOf(access)
  const isManaged = collection.type === 'auth' && collection.manageRule !== null
  return question || isManaged ? `${collection.id} ${question?.key ?? ''}` : ''
}

async function deliver(telling: Telling, candidates: readonly Standing[]): Promise<void> {
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
function hangUp(candidates: readonly Standing[]): void {
  for (const { clients } of candidates) for (const client of clients) client.end()
}
