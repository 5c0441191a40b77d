import type { Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import type { Logger } from '../../log.ts'
import { ENDED_SESSIONS } from '../../records/auth/ended-sessions.ts'
import { type Change, loadChanges, type UnloadedChange } from '../changes/change.ts'
import type { ChangeEntry } from '../changes/change-log.ts'
import type { ClientRegistry } from '../clients/client-registry.ts'
import { broadcast } from './broadcast.ts'
import type { Deliveries } from './deliveries.ts'
import type { KeyedQueue } from './keyed-queue.ts'
import type { Limiter } from './limiter.ts'
import { toTelling } from './telling.ts'

/** What the delivery of changes uses. */
export interface DeliveryParts {
  readonly store: Store
  readonly log: Logger
  readonly registry: ClientRegistry
  readonly queue: KeyedQueue
  readonly limiter: Limiter
  readonly deliveries: Deliveries
}

/**
 * Sends changes to the clients of this node that may see them, and signs out clients whose auth record was
 * deleted. Of an account that ended a session all clients are disconnected. Clients that miss a change
 * because it cannot be read or sent are disconnected. `isPatient`: see loadChanges.
 */
export async function deliverChanges(
  parts: DeliveryParts,
  entries: readonly ChangeEntry[],
  isPatient: boolean,
): Promise<void> {
  const { store, registry: audience } = parts
  for (const { collection, record } of entries)
    if (collection === ENDED_SESSIONS) audience.endClientsOf(record)
  const isWanted = (collection: Collection, record: string) => audience.knows(collection, record)
  const { changes, unread } = await loadChanges(store, entries, isWanted, isPatient)
  audience.follow(store.catalog)
  const last = new Map(changes.map(({ xid }, i) => [xid, i]))
  const deleted: Change[] = []
  for (const [i, change] of changes.entries()) {
    // an error with one change must not keep the others back, nor send any of them twice
    try {
      deliver(parts, change)
    } catch (error) {
      unread.push({ ...change, error })
    }
    if (change.action === 'delete') deleted.push(change)
    // a deleted user still receives all changes of the transaction that deleted it
    if (last.get(change.xid) === i) signOut(audience, deleted, change.xid)
  }
  for (const one of unread) disconnect(parts, one)
}

function deliver(
  { store, limiter, registry: audience, queue: lanes, deliveries }: DeliveryParts,
  change: Change,
): void {
  const { collection, record, action, row } = change
  if (action !== 'delete') audience.refresh(collection, record, row)
  broadcast(toTelling(store, limiter, change), audience.seating, lanes, deliveries)
}

function signOut(registry: ClientRegistry, deleted: readonly Change[], xid: Change['xid']): void {
  for (const { collection, record } of deleted.filter((one) => one.xid === xid))
    registry.signOut(collection, record)
}

/** Disconnects the clients that should have received the change: after the reconnect they read anew. */
function disconnect(
  { log, registry: audience }: DeliveryParts,
  { collection, record, error }: UnloadedChange,
): void {
  const what = { err: error, collection: collection.name, record }
  log.error(what, 'a change could not be told: whoever waited for it has to connect again')
  audience.disconnect(collection, record)
}
