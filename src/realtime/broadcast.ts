import type { Store } from '../collections/catalog.ts'
import type { CatalogStore } from '../collections/catalog-store.ts'
import type { Logger } from '../log.ts'
import { catalogFor } from '../records/access.ts'
import { ENDED_SESSIONS } from '../records/record-sql.ts'
import type { ChangeEntry } from './change-log.ts'
import type { Client } from './client.ts'
import type { ClientRegistry } from './client-registry.ts'
import { payloadsOf } from './event-text.ts'
import { type Change, loadChanges } from './load-changes.ts'
import { sees } from './snapshot.ts'
import { type GroupState, type Receivers, type SubscriptionGroup, textOf } from './subscription-index.ts'
import type { Topic } from './topic.ts'
import { judgeHere, questionOf } from './topic-access.ts'

/** Sends a change to all clients that may see it. PocketBase: apis/realtime.go, realtimeBroadcastRecord */
function broadcast(event: ChangeEvent, { registry, deliver, log }: DeliveryParts): void {
  const { change, store } = event
  const lanes = new Map<string, Receivers[]>()
  /** Cache of whether the rule lets the change pass, by viewer and topic. Only for topics with options. */
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

/** Queue of a change for a topic without options; '' if no SQL is needed, undefined if a rule hides it. */
function laneOf({ store, change }: ChangeEvent, group: SubscriptionGroup): string | undefined {
  const { collection } = change
  const { access } = group.state(store.catalog, collection, group.receivers)
  if (judgeHere(access, change) === false) return undefined
  const question = questionOf(access)
  const isManaged = collection.type === 'auth' && collection.manageRule !== null
  return question || isManaged ? `${collection.id} ${question ? textOf(question) : ''}` : ''
}

export type Deliver = (lane: string, event: ChangeEvent, receivers: readonly Receivers[]) => void

export interface DeliveryParts {
  readonly store: CatalogStore
  readonly log: Logger
  readonly registry: ClientRegistry
  readonly deliver: Deliver
}

/**
 * Sends changes to this node's clients. Signs out deleted users. Disconnects the clients of ended sessions,
 * and those that may see a change that could not be read.
 */
export async function deliverChanges(parts: DeliveryParts, entries: readonly ChangeEntry[]): Promise<void> {
  const { store, registry } = parts
  for (const { collection, record } of entries)
    if (collection === ENDED_SESSIONS) registry.endClientsOf(record)
  const { changes, unread } = await loadChanges(store.forEverybody('realtime'), entries, registry.knows)
  registry.follow(store.catalog)
  const last = new Map(changes.map(({ xid }, i) => [xid, i]))
  const deleted: Change[] = []
  for (const [i, change] of changes.entries()) {
    // catch the error of one change: if this function threw, all its changes would be sent again
    try {
      const { collection, record, action, row } = change
      if (action !== 'delete') registry.refresh(collection, record, row)
      broadcast(toEvent(store, change), parts)
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

export interface ChangeEvent {
  readonly store: Store
  readonly storeOf: (group: GroupState) => Store
  readonly change: Change
  readonly textFor: ReturnType<typeof payloadsOf>
  readonly bytes: number
  readonly atMs: number
}

const CHANGE_BYTES = 1_000
/** For a change older than this no SQL runs: SQL may read `_changes`, where rows stay for about a minute. */
const MAX_AGE_MS = 20_000

function toEvent(all: CatalogStore, change: Change): ChangeEvent {
  const store = all.forEverybody('realtime')
  const storeOf = ({ ticket, request: { auth } }: GroupState) => ({
    db: ticket ? all.database.for(ticket) : store.db,
    catalog: catalogFor(all.catalog, auth?.limits),
  })
  return {
    store,
    storeOf,
    change,
    textFor: payloadsOf(storeOf, change),
    bytes: CHANGE_BYTES + charactersOf(change.row),
    atMs: performance.now(),
  }
}

export const isTooOld = ({ atMs }: ChangeEvent): boolean => performance.now() - atMs > MAX_AGE_MS

/** Sends an event to the clients of a group. `email`: whether they see the email of an auth record. */
export async function sendTo({ textFor, change }: ChangeEvent, state: GroupState, email: boolean) {
  const { topic } = state.group
  const receivers = state.clients.filter((client) => isWanted(client, topic, change))
  if (receivers.length === 0) return
  const data = await textFor(state, email)
  for (const client of receivers) client.send(topic.name, data)
}

/** Whether the client has the topic now, and also had it when the change was committed. */
function isWanted({ subscriptions }: Client, { name }: Topic, { xid }: Change): boolean {
  const subscription = subscriptions.get(name)
  return subscription !== undefined && !sees(subscription.since, xid)
}

const charactersOf = (row: readonly unknown[]): number =>
  row.reduce<number>((sum, value) => sum + sizeOf(value), 0)

const sizeOf = (value: unknown): number =>
  typeof value === 'string' ? value.length : Array.isArray(value) ? charactersOf(value) : 8
