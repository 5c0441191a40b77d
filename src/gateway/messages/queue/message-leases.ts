import { sql } from 'kysely'
import type { Store } from '../../../engine/collections/catalog.ts'
import type { Db } from '../../../platform/db/open.ts'
import {
  matchAnyFound,
  queries,
  writeTimeInSeconds,
  writeUnindexed,
} from '../../../platform/db/queries.ts'
import type { Device } from '../../base/device-record.ts'

export interface MessageAttempt {
  readonly id: string
  readonly attempt: number
}

/** Extends the leases of messages that a device is still sending. Ignores earlier attempts. */
export async function renewLeases(
  store: Store,
  device: Device,
  attempts: readonly MessageAttempt[],
  leaseSeconds: number,
): Promise<void> {
  if (attempts.length === 0) return
  const claimed = sql<MessageAttempt>`json_to_recordset(${JSON.stringify(attempts)}::json)`
  await queries(store.db)
    .with('held', (query) =>
      query
        .selectFrom('sms_dispatch as d')
        .innerJoin(claimed.as<'g'>(sql`g(id text, attempt int)`), (join) =>
          join.onRef('g.id', '=', 'd.message').onRef('g.attempt', '=', 'd.attempt'),
        )
        .select('d.message')
        .where(writeUnindexed('d.device'), '=', device.id)
        .where(writeUnindexed('d.user'), '=', device.user)
        .where(writeUnindexed('d.state'), '=', 'sending')
        .orderBy('d.message')
        .forUpdate('d'),
    )
    .updateTable('sms_dispatch as d')
    .from('held as h')
    .set({ lease_until: sql`greatest(d.lease_until, ${writeTimeInSeconds(leaseSeconds)})` })
    .whereRef('d.message', '=', 'h.message')
    .execute()
}

/** Extends all leases after an outage of this server, so that devices can report, and records the outage. */
export async function extendAllLeases(db: Db, seconds: number): Promise<void> {
  const until = writeTimeInSeconds(seconds)
  await queries(db)
    .updateTable('sms_dispatch')
    .set({ lease_until: until })
    .where('message', '=', ({ selectFrom }) =>
      matchAnyFound(
        selectFrom('sms_dispatch')
          .select('message')
          .where('state', '=', sql.lit('sending'))
          .where('lease_until', '<', until)
          .orderBy('message')
          .forUpdate()
          .skipLocked(),
      ),
    )
    .execute()
  await recordOutage(db)
}

/**
 * Records that an outage of this server ends now: src/gateway/alarms then ignores devices' silence before it.
 */
export async function recordOutage(db: Db): Promise<void> {
  const now = sql<Date>`now()`
  await queries(db)
    .insertInto('device_watch')
    .defaultValues()
    .onConflict((found) =>
      found.column('is_only').doUpdateSet({ reachable_since: now, looked_at: now }),
    )
    .execute()
}
