import type { Db } from '../open.ts'
import type { Month } from './names.ts'

/** A partition of a table with partitions by time. */
export interface Partition {
  readonly table: string
  readonly name: string
  /** The least `created` that lies after it; undefined for the default partition. */
  readonly end: string | undefined
  /** False for the partition of the past, which has no beginning. */
  readonly hasBeginning: boolean
}

const PARTITIONS = `
select p.relname, c.relname, pg_get_expr(c.relpartbound, c.oid)
from unnest($1::text[]) name join pg_class p on p.oid = to_regclass(quote_ident(name)) and p.relkind = 'p'
join pg_inherits i on i.inhparent = p.oid join pg_class c on c.oid = i.inhrelid
order by 1, 2`

/** The partitions of tables, as the database's catalog has them; none of a plain table. */
export async function partitionsOf(db: Db, ...tables: readonly string[]): Promise<Partition[]> {
  const { rows } = await db.query(PARTITIONS, [tables])
  return rows.map(([table, name, bound]) => ({
    table: String(table),
    name: String(name),
    end: / TO \('([^']*)'\)/.exec(String(bound))?.[1],
    hasBeginning: !String(bound).includes('FROM (MINVALUE)'),
  }))
}

const IS_PARTITIONED = `select relkind = 'p' from pg_class where oid = to_regclass(quote_ident($1))`

/** Whether a table has partitions; false for one that does not exist. */
export async function isPartitioned(db: Db, table: string): Promise<boolean> {
  const { rows } = await db.query(IS_PARTITIONED, [table])
  return rows[0]?.[0] === true
}

const PRESENT = `select left(pb_text(now()), 7)`

/** The month that it is by the database's clock. */
export async function presentMonth(db: Db): Promise<Month> {
  return String((await db.query(PRESENT)).rows[0]![0])
}
