import { UserError } from '../../errors.ts'
import { isSqlError } from '../errors.ts'
import type { Db } from '../open.ts'
import { quoted } from './make-like.ts'

/** Views that read a table, or read such a view, in the order in which they were made. */
const DEPENDENT = `
with recursive readers (oid) as (
  select to_regclass(quote_ident($1))::oid
  union
  select r.ev_class from readers o join pg_depend d on d.refobjid = o.oid and d.refclassid = 'pg_class'::regclass
    and d.classid = 'pg_rewrite'::regclass
  join pg_rewrite r on r.oid = d.objid and r.ev_class <> o.oid
)
select c.relname, pg_get_viewdef(c.oid) from readers join pg_class c using (oid) where c.relkind = 'v' order by c.oid`

/**
 * Drops the views that read a table, in the transaction `tx`. Call what it answers to make them again, over
 * the table that has its name by then. Throws a UserError for one that cannot be made.
 */
export async function dropDependentViews(tx: Db, table: string): Promise<() => Promise<void>> {
  const views = (await tx.query(DEPENDENT, [table])).rows.map(([name, sql]) => [String(name), String(sql)])
  for (const [name] of [...views].reverse()) await tx.script(`drop view ${quoted(name!)}`)
  return async () => {
    for (const [name, sql] of views) {
      await tx.script(`create view ${quoted(name!)} as ${sql}`).catch((error: unknown) => {
        if (!isSqlError(error)) throw error
        throw new UserError(
          `The view ${name} cannot read a table with partitions: ${error.message}. Change its query, then start again.`,
        )
      })
    }
  }
}
