import type { Store } from '../../collections/catalog.ts'
import type { Change } from '../changes/change.ts'
import { sees } from '../changes/snapshot.ts'
import type { Client } from '../clients/client.ts'
import type { Owner } from '../clients/owner.ts'
import type { GroupState, SubscriptionGroup } from '../clients/subscription-groups.ts'
import type { Limiter } from './limiter.ts'
import { Payloads } from './payload.ts'
import { Verdicts } from './verdicts.ts'

/** A change on its way to those who may hear of it. */
export interface Telling {
  readonly store: Store
  readonly change: Change
  readonly payloads: Payloads
  /** What the database said of it to questions of clients. */
  readonly verdicts: Verdicts
  /** An estimate of its memory. */
  readonly bytes: number
  /** When it was read, by `performance.now()`. */
  readonly at: number
}

const CHANGE_BYTES = 1_000

export function toTelling(store: Store, limiter: Limiter, change: Change): Telling {
  return {
    store,
    change,
    payloads: new Payloads(store, limiter, change),
    verdicts: new Verdicts(),
    bytes: CHANGE_BYTES + sizeOf(change.row),
    at: performance.now(),
  }
}

const sizeOf = (row: readonly unknown[]): number =>
  row.reduce<number>(
    (sum, value) =>
      sum + (typeof value === 'string' ? value.length : Array.isArray(value) ? sizeOf(value) : 8),
    0,
  )

/** Sends the event to the clients of a seat. `owner` pays for what its options ask. */
export async function sendTo(
  { payloads, change }: Telling,
  standing: GroupState,
  email: boolean,
  owner?: Owner,
): Promise<void> {
  const { clients, seat } = standing
  const receivers = clients.filter((client) => isMeant(client, seat, change))
  if (receivers.length === 0) return
  const data = await payloads.text(standing, email, owner)
  for (const client of receivers) client.send(seat.topic.name, data)
}

/** A change that was there before the subscription is no news. */
function isMeant(client: Client, { topic }: SubscriptionGroup, { xid }: Change): boolean {
  const subscription = client.subscriptions.get(topic.name)
  return subscription !== undefined && !sees(subscription.since, xid)
}
