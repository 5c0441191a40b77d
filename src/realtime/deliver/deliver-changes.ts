import type { CatalogStore } from '../../collections/catalog/catalog-store.ts'
import type { Collection } from '../../collections/collection.ts'
import type { Logger } from '../../log.ts'
import { ENDED_SESSIONS } from '../../records/auth/ended-sessions.ts'
import { type Change, loadChanges, type UnloadedChange } from '../changes/change.ts'
import type { ChangeEntry } from '../changes/change-log.ts'
import type { ClientRegistry } from '../clients/client-registry.ts'
import { broadcast } from './broadcast.ts'
import { toEvent } from './change-event.ts'
import type { Deliveries } from './deliveries.ts'
import type { Lanes } from './lanes.ts'

/** What the delivery of changes uses. */
export interface DeliveryParts {
  readonly store: CatalogStore
  readonly log: Logger
  readonly registry: ClientRegistry
  readonly lanes: Lanes
  readonly deliveries: Deliveries
}

/**
 * Sends changes to the clients of this node. Signs out clients whose auth record was deleted; disconnects
 * those of an account that ended a session, and those that miss a change that failed. `isPatient`: see
 * loadChanges.
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
      deliver(parts, change)
    } catch (error) {
      unread.push({ ...change, error })
    }
    if (change.action === 'delete') deleted.push(change)
    // a deleted user still receives all changes of the transaction that deleted it
    if (last.get(change.xid) === i) signOut(registry, deleted, change.xid)
  }
  for (const one of unread) disconnect(parts, one)
}

function deliver({ store, log, registry, lanes, deliveries }: DeliveryParts, change: Change): void {
  const { collection, record, action, row } = change
  if (action !== 'delete') registry.refresh(collection, record, row)
  broadcast(toEvent(store, change), registry.index, lanes, deliveries, log)
}

function signOut(registry: ClientRegistry, deleted: readonly Change[], xid: Change['xid']): void {
  for (const { collection, record } of deleted.filter((one) => one.xid === xid))
    registry.signOut(collection, record)
}

/** Disconnects the clients that should have received the change: they reconnect and read again. */
function disconnect({ log, registry }: DeliveryParts, { collection, record, error }: UnloadedChange): void {
  const what = { err: error, collection: collection.name, record }
  log.error(what, 'realtime delivery failed: its clients are disconnected')
  registry.disconnect(collection, record)
}
