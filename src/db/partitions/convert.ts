import { setTimeout as sleep } from 'node:timers/promises'
import { UserError } from '../../errors.ts'
import type { Progress } from '../../tools/progress.ts'
import { LOCKS } from '../advisory-locks.ts'
import { isSqlError } from '../errors.ts'
import type { Db } from '../open.ts'
import { makeLike, quoted } from './make-like.ts'
import { MONTHS_AHEAD } from './months.ts'
import { convertingCheckOf, type Month, monthAfter, otherOf, partitionOf, startOf } from './names.ts'
import { withShortLocks } from './short-locks.ts'
import { isPartitioned, presentMonth } from './state.ts'
import { type MonthlyTable, swap } from './swap.ts'

/** From so many days before a month's end on the past ends with the month after it. */
const LAST_DAYS = 7
const FIRST_MONTH = `select left(pb_text(now() + make_interval(days => ${LAST_DAYS})), 7)`
const CHECK_VIOLATION = '23514'
const STEPS = 4

/** What a conversion found: it is done now, was done before, or another process is at it. */
export type Conversion = 'converted' | 'nothing to do' | 'under way'

/**
 * Gives tables partitions by month while others read and write. What is there becomes the first partition as
 * it is; no row is copied. A conversion that was killed is begun anew: until a table's swap, which is one
 * short transaction, nothing of it is seen but a check constraint, which `makeMonths` removes.
 */
export async function convert(
  db: Db,
  tables: readonly MonthlyTable[],
  progress: Progress,
): Promise<Conversion> {
  const plain: MonthlyTable[] = []
  for (const table of tables) if (!(await isPartitioned(db, table.name))) plain.push(table)
  if (plain.length === 0) return 'nothing to do'
  return db.transaction(async (tx) => {
    await tx.limitStatements(0)
    const { rows } = await tx.query('select pg_try_advisory_xact_lock($1)', [LOCKS.partitions])
    if (rows[0]![0] !== true) return 'under way'
    await awaitIndexBuilds(tx, progress)
    for (const table of plain) await convertTable(db, table, progress)
    return 'converted'
  })
}

/**
 * An index that is built concurrently keeps the table locked. It waits for the end of all older statements,
 * so one that waited for it would never end.
 */
async function awaitIndexBuilds(tx: Db, progress: Progress): Promise<void> {
  for (let waited = 0; ; waited++) {
    const { rows } = await tx.query('select pg_try_advisory_xact_lock($1)', [LOCKS.indexBuild])
    if (rows[0]![0] === true) return
    progress('waiting for an index that is being built: seconds', waited, waited + 1)
    await sleep(1_000)
  }
}

async function convertTable(db: Db, table: MonthlyTable, progress: Progress): Promise<void> {
  const { name } = table
  if (await isPartitioned(db, name)) return
  const tell = (step: number) => progress(`${name}: step`, step, STEPS)
  tell(0)
  const first = monthAfter(String((await db.query(FIRST_MONTH)).rows[0]![0]))
  const strays = await boundPast(db, name, startOf(first))
  tell(1)
  const months = await prepareTables(db, name, first)
  tell(2)
  await withShortLocks(db, (tx) => swap(tx, table, months, strays))
  tell(3)
  await db.unhurried(`analyze ${quoted(name)}`)
  tell(STEPS)
}

/**
 * Adds a constraint by which Postgres knows without reading the table that the past ends at `end`. Answers
 * the ids of the rows that lie after it: while there are any, the swap has to read the table.
 */
async function boundPast(db: Db, table: string, end: string): Promise<string[]> {
  const [place, check] = [quoted(table), quoted(convertingCheckOf(table))]
  await withShortLocks(db, (tx) =>
    tx.script(`
      alter table ${place} drop constraint if exists ${check};
      alter table ${place} add constraint ${check} check (created is not null and created < '${end}') not valid`),
  )
  try {
    await db.unhurried(`alter table ${place} validate constraint ${check}`)
    return []
  } catch (error) {
    if (!isSqlError(error, CHECK_VIOLATION)) throw error
    const { rows } = await db.unhurried(`select id from ${place} where created >= '${end}' order by id`)
    return rows.map(([id]) => String(id))
  }
}

/** Makes the empty tables that become the other partitions; answers the months that have one. */
async function prepareTables(db: Db, table: string, first: Month): Promise<Month[]> {
  const last = monthAfter(await presentMonth(db), MONTHS_AHEAD)
  const months: Month[] = []
  for (let month = first; month <= last; month = monthAfter(month)) months.push(month)
  for (const name of [otherOf(table), ...months.map((month) => partitionOf(table, month))]) {
    await dropLeft(db, name)
    await db.transaction((tx) => makeLike(tx, table, name))
  }
  return months
}

/** Drops a table that a killed conversion has left. Throws a UserError if it holds anything. */
async function dropLeft(db: Db, name: string): Promise<void> {
  const { rows } = await db.query('select to_regclass(quote_ident($1)) is not null', [name])
  if (rows[0]![0] !== true) return
  const found = await db.query(`select exists (select from ${quoted(name)})`)
  if (found.rows[0]![0] === true)
    throw new UserError(`The table ${name} is in the way: rename it, then start again.`)
  await db.query(`drop table ${quoted(name)}`)
}
