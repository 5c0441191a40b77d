import type { Db } from '../../platform/db/open.ts'
import { isOurs } from '../transfer/tables.ts'

const ANYTHING = `
select 'the table or view ' || c.relname from pg_class c
where c.relkind in ('r', 'p', 'v', 'm', 'f') and c.relnamespace = current_schema()::regnamespace
  and ${isOurs('pg_class', 'c.oid')}
union all
select 'the function ' || p.proname from pg_proc p
where p.pronamespace = current_schema()::regnamespace and ${isOurs('pg_proc', 'p.oid')}
limit 1`

/** Names something that the database contains; undefined if it is empty. */
export async function findAnyObject(db: Db): Promise<string | undefined> {
  const { rows } = await db.query(ANYTHING)
  return rows[0] && String(rows[0][0])
}
