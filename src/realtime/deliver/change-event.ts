import type { CatalogStore } from '../../collections/catalog/catalog-store.ts'
import type { Store } from '../../collections/catalog.ts'
import { limited } from '../../rules/roles.ts'
import type { Change } from '../changes/change.ts'
import { sees } from '../changes/change-log.ts'
import type { Client } from '../clients/client.ts'
import type { GroupState } from '../clients/subscription-index.ts'
import type { Topic } from '../clients/topic.ts'
import { charactersOf, Payloads } from './payload.ts'

export interface ChangeEvent {
  /** The store for work for all receivers together. */
  readonly store: Store
  /** The store on which a group's filter and expand run. */
  readonly storeOf: (group: GroupState) => Store
  readonly change: Change
  readonly payloads: Payloads
  readonly bytes: number
  /** When it was read, by `performance.now()`. */
  readonly atMs: number
}

const CHANGE_BYTES = 1_000
/** No statement starts for an older change: the clean-up may remove its images after a minute. */
const MAX_AGE_MS = 20_000

export function toEvent(all: CatalogStore, change: Change): ChangeEvent {
  const store = all.forEverybody('realtime')
  const storeOf = ({ ticket, request: { auth } }: GroupState) =>
    limited(ticket ? all.for(ticket) : store, auth)
  return {
    store,
    storeOf,
    change,
    payloads: new Payloads(storeOf, change),
    bytes: CHANGE_BYTES + charactersOf(change.row),
    atMs: performance.now(),
  }
}

export const isTooOld = ({ atMs }: ChangeEvent): boolean => performance.now() - atMs > MAX_AGE_MS

/** Sends an event to the clients of a group. `email`: whether they see the email of an auth record. */
export async function sendTo({ payloads, change }: ChangeEvent, state: GroupState, email: boolean) {
  const { topic } = state.group
  const receivers = state.clients.filter((client) => isWanted(client, topic, change))
  if (receivers.length === 0) return
  const data = await payloads.text(state, email)
  for (const client of receivers) client.send(topic.name, data)
}

/** Whether the client is still subscribed, and was when the change was committed. */
function isWanted({ subscriptions }: Client, { name }: Topic, { xid }: Change): boolean {
  const subscription = subscriptions.get(name)
  return subscription !== undefined && !sees(subscription.since, xid)
}
