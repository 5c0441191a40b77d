import { type Selectable, sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { notifyRestore } from './follow-restores.ts'
import { LEASE } from './lease.ts'

export async function exportState(db: Db): Promise<string> {
  const { row } = await queries(db)
    .selectFrom('backup_state as s')
    .select(sql<string>`row_to_json(s)::text`.as('row'))
    .executeTakeFirstOrThrow()
  return row
}

/** Writes the saved row of `backup_state` back during a restore. The commit notifies all nodes. */
export async function importState(tx: Db, row: string): Promise<void> {
  await queries(tx).deleteFrom('backup_state').execute()
  const saved = sql<
    Selectable<Tables['backup_state']>
  >`json_populate_record(null::backup_state, ${row}::json)`
  await queries(tx)
    .insertInto('backup_state')
    .expression((from) => from.selectFrom(saved.as('saved')).selectAll())
    .execute()
  const leaseUntil = sql<Date>`clock_timestamp() + ${LEASE}`
  await queries(tx)
    .updateTable('backup_state')
    .set({ restores: sql<number>`restores + 1`, lease_until: leaseUntil })
    .execute()
  await notifyRestore(tx)
}
