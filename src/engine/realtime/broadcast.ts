import type { Logger } from '../../platform/log.ts'
import type { CatalogStore } from '../collections/catalog-store.ts'
import { ENDED_SESSIONS } from '../records/check-auth-version.ts'
import { type ChangeEvent, toEvent } from './change-event.ts'
import type { ChangeEntry } from './change-log.ts'
import type { ClientRegistry } from './client-registry.ts'
import { loadChanges, type RecordChange } from './load-changes.ts'
import { type Receivers, type SubscriptionGroup, writeFilterText } from './subscription-index.ts'
import { decideLocally, findAccessFilter } from './topic-access.ts'

/** Sends a change to all clients that may see it. PocketBase: apis/realtime.go, realtimeBroadcastRecord */
function broadcastChange(event: ChangeEvent, { registry, deliver, log }: DeliveryParts): void {
  const { change, store } = event
  const lanes = new Map<string, Receivers[]>()
  /** Cache of whether the rule lets the change pass, by viewer and topic. Only for topics with options. */
  const passes = new Map<string, boolean>()
  for (const group of registry.index.groups(change.collection, change.record)) {
    try {
      const lane = group.holder === undefined ? groupReceivers(event, group) : group.holder
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

/** Queue of a change for a topic without options; '' if no SQL is needed, undefined if a rule hides it. */
function groupReceivers(
  { store, change }: ChangeEvent,
  group: SubscriptionGroup,
): string | undefined {
  const { collection } = change
  const { access } = group.state(store.catalog, collection, group.receivers)
  if (decideLocally(access, change) === false) return undefined
  const question = findAccessFilter(access)
  const isManaged = collection.type === 'auth' && collection.manageRule !== null
  return question || isManaged
    ? `${collection.id} ${question ? writeFilterText(question) : ''}`
    : ''
}

export type DeliverEvent = (
  lane: string,
  event: ChangeEvent,
  receivers: readonly Receivers[],
) => void

interface DeliveryParts {
  readonly store: CatalogStore
  readonly log: Logger
  readonly registry: ClientRegistry
  readonly deliver: DeliverEvent
}

/**
 * Sends changes to this node's clients. Signs out deleted users. Disconnects the clients of ended sessions,
 * and those that may see a change that could not be read.
 */
export async function broadcastChanges(
  parts: DeliveryParts,
  entries: readonly ChangeEntry[],
): Promise<void> {
  const { store, registry } = parts
  for (const { collection, record } of entries)
    if (collection === ENDED_SESSIONS) registry.endClientsOf(record)
  const { changes, unread } = await loadChanges(
    store.forEverybody('realtime'),
    entries,
    registry.knows,
  )
  registry.follow(store.catalog)
  const last = new Map(changes.map(({ xid }, i) => [xid, i]))
  const deleted: RecordChange[] = []
  for (const [i, change] of changes.entries()) {
    // catch the error of one change: if this function threw, all its changes would be sent again
    try {
      const { collection, record, action, row } = change
      if (action !== 'delete') registry.refresh(collection, record, row)
      broadcastChange(toEvent(store, change), parts)
    } catch (error) {
      unread.push({ ...change, error })
    }
    if (change.action === 'delete') deleted.push(change)
    // sign out deleted users after the transaction's last change: they still receive all its changes
    if (last.get(change.xid) !== i) continue
    for (const { collection, record } of deleted.filter(({ xid }) => xid === change.xid))
      registry.signOut(collection, record)
  }
  for (const { collection, record, error } of unread) {
    const what = { err: error, collection: collection.name, record }
    parts.log.error(what, 'realtime delivery failed, disconnecting its clients')
    registry.disconnect(collection, record)
  }
}
