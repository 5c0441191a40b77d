import type { Store } from '../collections/catalog.ts'
import type { CatalogStore } from '../collections/catalog-store.ts'
import { catalogFor } from '../records/access.ts'
import type { Client } from './client.ts'
import { payloadsOf } from './event-payload.ts'
import type { Change } from './load-changes.ts'
import { sees } from './snapshot.ts'
import type { GroupState } from './subscription-index.ts'
import type { Topic } from './topic.ts'

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

export function toEvent(all: CatalogStore, change: Change): ChangeEvent {
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
