import type { CatalogStore } from '../../collections/catalog/catalog-store.ts'
import type { Collection } from '../../collections/catalog.ts'
import type { Logger } from '../../log.ts'
import { ENDED_SESSIONS } from '../../records/fresh-auth.ts'
import { type Change, loadChanges } from '../changes/change.ts'
import type { ChangeEntry } from '../changes/change-log.ts'
import { judgeHere, questionOf, textOf } from '../clients/access.ts'
import type { ClientRegistry } from '../clients/client-registry.ts'
import type { Receivers, SubscriptionGroup } from '../clients/subscription-index.ts'
import { type ChangeEvent, toEvent } from './change-event.ts'
import type { Deliver } from './deliveries.ts'

/** Sends a change to all who may see it. PocketBase: apis/realtime.go, realtimeBroadcastRecord */
function broadcast(event: ChangeEvent, { registry, deliver, log }: DeliveryParts): void {
  const { change, store } = event
  const lanes = new Map<string, Receivers[]>()
  /** For topics with options: verdicts of the rule alone, by holder, member and topic. */
  const passes = new Map<string, boolean>()
  for (const group of registry.index.groups(change.collection, change.record)) {
    try {
      const lane = group.holder === undefined ? laneOf(event, group) : group.holder
      if (lane === undefined) continue
      if (group.holder !== undefined) {
        const key = `${lane} ${group.viewer.actor} ${group.topic.base}`
        const passed = passes.get(key) ?? group.mayPass(store.catalog, change)
        passes.set(key, passed)
        if (!passed) continue
      }
      const known = lanes.get(lane)
      if (known) known.push(group.receivers)
      else lanes.set(lane, [group.receivers])
    } catch (err) {
      log.error({ err }, 'realtime delivery failed')
    }
  }
  for (const [lane, receivers] of lanes) deliver(lane, event, receivers)
}

/** The lane of a topic without options: '' if no statement is needed; undefined if the rule excludes it. */
function laneOf({ store, change }: ChangeEvent, group: SubscriptionGroup): string | undefined {
  const { collection } = change
  const { access } = group.state(store.catalog, collection, group.receivers)
  if (judgeHere(access, change) === false) return undefined
  const question = questionOf(access)
  const isManaged = collection.type === 'auth' && collection.manageRule !== null
  return question || isManaged ? `${collection.id} ${question ? textOf(question) : ''}` : ''
}

export interface DeliveryParts {
  readonly store: CatalogStore
  readonly log: Logger
  readonly registry: ClientRegistry
  readonly deliver: Deliver
}

/**
 * Sends changes to this node's clients. Signs out deleted auth records. Disconnects accounts that ended a
 * session, and clients to whom an unreadable change may matter.
 */
export async function deliverChanges(parts: DeliveryParts, entries: readonly ChangeEntry[]): Promise<void> {
  const { store, registry } = parts
  for (const { collection, record } of entries)
    if (collection === ENDED_SESSIONS) registry.endClientsOf(record)
  const isWanted = (collection: Collection, record: string) => registry.knows(collection, record)
  const { changes, unread } = await loadChanges(store.forEverybody('realtime'), entries, isWanted)
  registry.follow(store.catalog)
  const last = new Map(changes.map(({ xid }, i) => [xid, i]))
  const deleted: Change[] = []
  for (const [i, change] of changes.entries()) {
    // an error of one change must not stop the others, nor send one of them twice
    try {
      const { collection, record, action, row } = change
      if (action !== 'delete') registry.refresh(collection, record, row)
      broadcast(toEvent(store, change), parts)
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
