import { LOCKS } from '../advisory-locks.ts'
import type { Db } from '../open.ts'
import { attach, makeLike, quoted } from './make-like.ts'
import { convertingCheckOf, type Month, monthAfter, partitionOf, startOf } from './names.ts'
import { withShortLocks } from './short-locks.ts'
import { type Partition, partitionsOf, presentMonth } from './state.ts'

/** So many months after the present one have their partitions. */
export const MONTHS_AHEAD = 2

/**
 * Makes the partitions of the next months of partitioned tables, and removes what a killed conversion has
 * left on a plain one. Does nothing while another node is at it; where nothing is to do, it looks at the
 * catalog twice.
 */
export async function makeMonths(db: Db, tables: readonly string[]): Promise<void> {
  const due = async (inside: Db) => [
    ...missingMonths(await partitionsOf(inside, ...tables), await presentMonth(inside)),
  ]
  const checks = await leftChecks(db, tables)
  if (checks.length === 0 && (await due(db)).length === 0) return
  await db.transaction(async (tx) => {
    const { rows } = await tx.query('select pg_try_advisory_xact_lock($1)', [LOCKS.partitions])
    if (rows[0]![0] !== true) return
    for (const table of await leftChecks(db, tables)) await dropCheck(db, table)
    const missing = await due(db)
    for (const { table, model, month } of missing)
      await withShortLocks(db, async (inside) => {
        const name = partitionOf(table, month)
        await makeLike(inside, model, name)
        await attach(inside, table, name, startOf(month), startOf(monthAfter(month)))
      })
    // autovacuum counts partitions, and never the whole
    for (const table of new Set(missing.map(({ table }) => table)))
      await db.unhurried(`analyze ${quoted(table)}`)
  })
}

interface MissingMonth {
  readonly table: string
  /** The partition that the new one is made like. */
  readonly model: string
  readonly month: Month
}

function missingMonths(partitions: readonly Partition[], present: Month): MissingMonth[] {
  const last = monthAfter(present, MONTHS_AHEAD)
  return [...Map.groupBy(partitions, ({ table }) => table)].flatMap(([table, all]) => {
    const newest = all.reduce((a, b) => ((a.end ?? '') >= (b.end ?? '') ? a : b))
    const months: MissingMonth[] = []
    for (let month = newest.end!.slice(0, 7); month <= last; month = monthAfter(month))
      months.push({ table, model: newest.name, month })
    return months
  })
}

const LEFT_CHECKS = `
select t.relname from unnest($1::text[], $2::text[]) s (name, conname)
join pg_class t on t.oid = to_regclass(quote_ident(s.name)) and t.relkind = 'r'
join pg_constraint k on k.conrelid = t.oid and k.conname = s.conname`

async function leftChecks(db: Db, tables: readonly string[]): Promise<string[]> {
  const { rows } = await db.query(LEFT_CHECKS, [tables, tables.map(convertingCheckOf)])
  return rows.map(([name]) => String(name))
}

const dropCheck = (db: Db, table: string) =>
  withShortLocks(db, (tx) =>
    tx.script(`alter table ${quoted(table)} drop constraint if exists ${quoted(convertingCheckOf(table))}`),
  )
