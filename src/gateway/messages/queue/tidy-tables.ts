import { sql } from 'kysely'
import type { Store } from '../../../engine/collections/catalog.ts'
import { queries, writeTimeInSeconds } from '../../../platform/db/queries.ts'

/** Tables that may grow from empty to large within a minute, before autovacuum runs. */
const TABLES = [
  'sms_messages',
  'sms_dispatch',
  'sms_events',
  'webhook_deliveries',
  'webhook_dispatch',
  'webhook_payloads',
  'conversations',
  'contacts',
  'consent_states',
  '_changes',
]
/** Tables between these sizes, in pages, are analyzed. Small ones are fast; autovacuum handles large ones. */
const [FEW_PAGES, MANY_PAGES] = [4, 5_000]

/** Analyzes tables that doubled: plans that Postgres made for an empty table would read all rows. */
export async function analyzeOutgrown({ db }: Store): Promise<void> {
  const grown = await queries(db)
    .selectFrom(sql<{ oid: number }>`pg_class`.as<'c'>(sql`c`))
    .select(sql<string>`c.oid::regclass::text`.as('name'))
    .where(sql`c.oid`, '=', sql`any(array(select to_regclass(t) from unnest(${TABLES}::text[]) t))`)
    .where(sql<boolean>`c.relpages < ${sql.lit(MANY_PAGES)} and pg_relation_size(c.oid)
      > greatest(${sql.lit(FEW_PAGES)}, c.relpages * 2) * current_setting('block_size')::int`)
    .execute()
  // names from the system catalog, already quoted
  if (grown.length > 0)
    await db.script(`analyze (skip_locked) ${grown.map(({ name }) => name).join(', ')}`)
}

/** Deletes what devices no longer need: old handouts, pairing codes, streams, counts of automatic answers. */
export async function deleteExpiredRows({ db }: Store) {
  await queries(db)
    .deleteFrom('device_handouts')
    .where('at', '<', writeTimeInSeconds(-86_400))
    .execute()
  await queries(db)
    .deleteFrom('device_pairings')
    .where('expires_at', '<', writeTimeInSeconds(0))
    .execute()
  await queries(db)
    .deleteFrom('device_streams')
    .where('until', '<', writeTimeInSeconds(0))
    .execute()
  // forget sent automatic answers that neither the daily limit nor a pause counts any more
  await queries(db)
    .deleteFrom('auto_answers_sent as s')
    .where('s.at', '<', writeTimeInSeconds(-86_400))
    .where(
      sql<boolean>`not exists (
        select from auto_answers a where a.id = s.answer and s.at > now() - a.pause_hours * interval '1 hour')`,
    )
    .execute()
}
