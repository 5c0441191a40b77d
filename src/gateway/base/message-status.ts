import type { UpdateQueryBuilder, UpdateResult } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { logChange, logChanges } from '../../engine/records/log-changes.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'
import type { Tables } from '../../platform/db/tables.ts'

/** Statuses of a message. Incoming messages are always `received`. */
export const STATUSES = [
  'pending',
  'assigned',
  'sending',
  'sent',
  'delivered',
  'failed',
  'received',
] as const
export type Status = (typeof STATUSES)[number]

/**
 * Maps a status to its successors, as the SQL function sms_may_become does. Only unsent or repeatable
 * messages change from `sending` to `assigned`.
 */
export const NEXT: Readonly<Record<Status, readonly Status[]>> = {
  pending: ['assigned', 'failed'],
  // pending: a pause, quiet hours or a lost line take back a message that no device has claimed
  assigned: ['assigned', 'pending', 'sending', 'failed'],
  // delivered: the `sent` report was lost or is late; a delivery proves that the text was sent
  sending: ['sent', 'delivered', 'failed', 'assigned'],
  sent: ['delivered', 'failed'],
  delivered: [],
  failed: [],
  received: [],
}

/** Values of `error_message` for messages that the gateway ended, not a device. */
export const REASONS = {
  optedOut: 'Recipient has opted out',
  noConsent: 'No proof of consent',
  stopped: 'Recipient is on the stop list',
  notAllowed: 'Destination not allowed',
  filesTooLarge: 'The files are too large for an MMS',
  silent: 'Outcome unknown: the device went silent',
  restored: 'Outcome unknown: restored from a backup',
  expired: 'Expired before sending',
  canceled: 'Canceled',
  canceledOnPhone: 'Canceled on the phone',
  deviceDeleted: 'The device of this message was deleted',
  lineDeleted: 'The line of this message was deleted',
} as const

/** Why a message is not sent again: its person did not want it, or had not agreed. */
export const NEVER_AGAIN: readonly string[] = [REASONS.optedOut, REASONS.noConsent, REASONS.stopped]

/** Why a message may not be sent to its person, by the SQL function sms_refusals. Such a message is free. */
export const REFUSED: readonly string[] = [...NEVER_AGAIN, REASONS.notAllowed]

/** The `error_message` of messages that the user canceled, through the API or on the phone. */
export const CANCELED_REASONS: readonly string[] = [REASONS.canceled, REASONS.canceledOnPhone]
export const CANCELED_SQL = `(${CANCELED_REASONS.map((reason) => `'${reason}'`).join(', ')})`

/** Logs changed records for realtime, in their transaction. A trigger does so for messages. */
export const logChanged = (
  store: Pick<Store, 'db'>,
  collection: string,
  action: 'create' | 'update',
  ids: readonly string[],
) => logChange(store, { id: collection }, action, ids)

type Change<T extends keyof Tables> = (
  update: UpdateQueryBuilder<Tables, T, T, UpdateResult>,
) => UpdateQueryBuilder<Tables, T, T, UpdateResult>

/** Changes records of a built-in collection, notifies subscribers, returns ids. `change` sets and selects. */
export async function updateRecords<T extends keyof Tables>(
  db: Db,
  collection: T,
  change: Change<T>,
): Promise<string[]> {
  // kysely's types need one table by name; the caller's `change` was checked for its own
  const changeAny = change as unknown as Change<'devices'>
  const changed = await queries(db)
    .with('written', (query) =>
      changeAny(query.updateTable(collection as 'devices'))
        .set({ updated: NOW })
        .returning('id'),
    )
    .with('noted', logChanges('update', collection, 'ids'))
    .selectFrom('written')
    .select('id')
    .execute()
  return changed.map(({ id }) => id)
}
