import type { Db } from '../open.ts'
import { sqlFiles } from '../schema/sql-files.ts'
import { indexesOf, indexSql, quoted } from './make-like.ts'
import {
  indexOfPartition,
  type Month,
  monthAfter,
  otherOf,
  partitionOf,
  pastOf,
  startOf,
  suffixOf,
} from './names.ts'
import { dropDependentViews } from './views.ts'

/** A table with the columns `id`, `created` and `_rowid` that can have partitions by month. */
export interface MonthlyTable {
  readonly name: string
  /** Does what depends on the table's oid, in the transaction of the swap. */
  readonly moved?: (tx: Db, before: number, after: number) => Promise<void>
}

const OID = `select to_regclass(quote_ident($1))::oid::int8`
const TRIGGERS = `
select tgname, pg_get_triggerdef(oid) from pg_trigger
where tgrelid = to_regclass(quote_ident($1)) and not tgisinternal order by tgname`
const GRANTS = `
select grantee, privilege_type from information_schema.role_table_grants
where table_schema = current_schema() and table_name = $1 and grantee <> current_user`

/**
 * Makes a plain table the first partition of a new one of the same name, with the prepared tables as the
 * others, in the transaction `tx`. Numbers of `_rowid`, triggers, views and grants go on from the old one.
 * @param strays ids of rows that do not belong to the past
 */
export async function swap(
  tx: Db,
  { name, moved }: MonthlyTable,
  months: readonly Month[],
  strays: readonly string[],
): Promise<void> {
  const [table, past, other] = [quoted(name), quoted(pastOf(name)), quoted(otherOf(name))]
  await tx.script(`lock table ${table} in access exclusive mode`)
  const before = await oidOf(tx, name)
  const triggers = (await tx.query(TRIGGERS, [name])).rows
  const grants = (await tx.query(GRANTS, [name])).rows
  const recreateViews = await dropDependentViews(tx, name)
  for (const [trigger] of triggers) await tx.script(`drop trigger ${quoted(String(trigger))} on ${table}`)
  await tx.script(`alter table ${table} rename to ${past}`)
  await takeNumbering(tx, name, (number) =>
    tx.script(`
      create table ${table} (like ${past} including defaults including storage) partition by range (created);
      alter table ${table} alter _rowid add generated always as identity;
      ${number}`),
  )
  await moveIndexes(tx, name)
  if (strays.length > 0)
    await tx.query(
      `with stray as (delete from ${past} where id = any($1::text[]) returning *) insert into ${other} select * from stray`,
      [strays],
    )
  const first = months[0]!
  const bounds = months.map(
    (month) =>
      [partitionOf(name, month), `from ('${startOf(month)}') to ('${startOf(monthAfter(month))}')`] as const,
  )
  for (const [partition, range] of [[pastOf(name), `from (minvalue) to ('${startOf(first)}')`], ...bounds])
    await tx.script(`alter table ${table} attach partition ${quoted(partition!)} for values ${range}`)
  await tx.script(`alter table ${table} attach partition ${other} default`)
  for (const [, sql] of triggers) await tx.script(String(sql))
  for (const { sql } of sqlFiles('triggers')) await tx.script(sql)
  for (const [grantee, privilege] of grants)
    await tx.script(
      `grant ${privilege} on ${table} to ${grantee === 'PUBLIC' ? 'public' : quoted(String(grantee))}`,
    )
  await moved?.(tx, before, await oidOf(tx, name))
  await recreateViews()
}

async function oidOf(tx: Db, table: string): Promise<number> {
  return Number((await tx.query(OID, [table])).rows[0]![0])
}

/**
 * Hands the numbering of the past's rows on to the table that `make` makes, with the SQL that it is given.
 */
async function takeNumbering(tx: Db, name: string, make: (number: string) => Promise<void>): Promise<void> {
  const past = quoted(pastOf(name))
  const { rows } = await tx.query(`select pg_get_serial_sequence($1, '_rowid')`, [past])
  const state = await tx.query(`select last_value::text, is_called from ${rows[0]![0]}`)
  const [last, isCalled] = state.rows[0]!
  await tx.script(`alter table ${past} alter _rowid drop identity`)
  await make(`select setval(pg_get_serial_sequence('${quoted(name)}', '_rowid'), ${last}, ${isCalled});`)
}

/**
 * Gives the past's indexes the names that they have as a partition's, and makes those that are not unique for
 * the new table under the old names: a unique one would have to contain `created`.
 */
async function moveIndexes(tx: Db, name: string): Promise<void> {
  const suffix = suffixOf(pastOf(name))
  for (const index of await indexesOf(tx, pastOf(name))) {
    const moved = indexOfPartition(index.name, suffix)
    await tx.script(`alter index ${quoted(index.name)} rename to ${quoted(moved)}`)
    if (!index.isUnique) await tx.script(indexSql(index, index.name, name))
  }
}
