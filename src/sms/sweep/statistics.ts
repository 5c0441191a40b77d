import type { Store } from '../../collections/catalog.ts'
import { textsOf } from '../../db/rows.ts'

/** Tables that may grow from empty to large within a minute, before autovacuum runs. */
const TABLES = [
  'sms_messages',
  'sms_dispatch',
  'sms_events',
  'webhook_deliveries',
  'webhook_dispatch',
  'webhook_payloads',
  'conversations',
  '_changes',
]
/**
 * Tables of these sizes are analyzed: smaller ones are fast anyway, larger ones autovacuum analyzes in time.
 */
const [FEW_PAGES, MANY_PAGES] = [4, 5_000]

const OUTGROWN = `
select c.oid::regclass::text from unnest($1::text[]) t(name) join pg_class c on c.oid = to_regclass(t.name)
where c.relpages < ${MANY_PAGES}
  and pg_relation_size(c.oid) > greatest(${FEW_PAGES}, c.relpages * 1.5) * current_setting('block_size')::int`

/**
 * Analyzes tables that grew by half since the last time: otherwise a plan for an empty table, which
 * reads all rows, stays in use.
 */
export async function analyzeOutgrown({ db }: Store): Promise<void> {
  const tables = textsOf(await db.query(OUTGROWN, [TABLES], 'sms outgrown tables'))
  // names from the system catalog, already quoted
  if (tables.length > 0) await db.script(`analyze (skip_locked) ${tables.join(', ')}`)
}
