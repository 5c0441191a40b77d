import { countStores } from '../collections/catalog/catalog-store.ts'
import { quote } from '../collections/names.ts'
import type { Db } from '../db/open.ts'
import { migrate, missingMigrations } from '../db/schema/migrate.ts'
import { UserError } from '../errors.ts'
import type { Progress } from '../tools/progress.ts'
import { buildTables, readPlan, withoutTriggers } from '../transfer/build.ts'
import {
  digestOf,
  LARGE_BATCH,
  prepareTransfer,
  readNumbering,
  readRows,
  setNumbering,
  writeRows,
} from '../transfer/rows.ts'
import { findAnyObject, formOf, NOT_TRANSFERRED, type Table, tablesOf } from '../transfer/tables.ts'
import { endAllLeases } from '../webhooks/lease.ts'

/** What a copy has brought over. */
export interface Copied {
  /** Rows of each table, by name, that are now on both sides. */
  readonly tables: readonly { readonly name: string; readonly rows: number }[]
  /** Tables of the source that are not pocketsms': left behind. */
  readonly foreign: readonly string[]
}

/**
 * Copies a whole installation into an empty database: every table with all its rows, read in one snapshot,
 * written in one transaction, compared afterwards. The source is only read. Leases of webhook calls are not
 * copied. Throws a UserError that says what is in the way; then the target is as it was.
 */
export async function copyInstallation(source: Db, target: Db, progress: Progress): Promise<Copied> {
  await checkSource(source)
  await checkTarget(target)
  const copied = await source.transaction(async (from) => {
    await from.query('set transaction isolation level repeatable read, read only')
    await prepareTransfer(from)
    return target.transaction(async (to) => {
      await prepareTransfer(to)
      return copyAll(from, to, progress)
    })
  })
  // without this the planner knows nothing of so many new rows
  for (const { name } of copied.tables) await target.query(`vacuum (analyze) ${quote(name)}`)
  return copied
}

/**
 * Throws a UserError if a database is none of an installation of this version, or a server is at work on it.
 */
export async function checkSource(source: Db): Promise<void> {
  const migrated = await source.query(`select to_regclass('_migrations') is not null`)
  if (!migrated.rows[0]![0]) throw new UserError('There is no pocketsms in the source.')
  if ((await missingMigrations(source)).length > 0) {
    throw new UserError(
      'An older version of pocketsms was the last at work on the source. Run `pocketsms migrate` on it first.',
    )
  }
  const servers = await countStores(source)
  if (servers > 0) {
    throw new UserError(
      `A server runs on the source (${servers} in all). Stop it first: what it did from now on would be missing in the copy.`,
    )
  }
}

async function checkTarget(target: Db): Promise<void> {
  const found = await findAnyObject(target)
  if (found) throw new UserError(`The target is not empty: it has ${found}. Copy into a new database.`)
}

async function copyAll(from: Db, to: Db, progress: Progress): Promise<Copied> {
  await migrate(to)
  await buildTables(to, await readPlan(from))
  const targets = new Map((await tablesOf(to)).map((table) => [table.name, table]))
  const sources = (await tablesOf(from)).filter(({ name }) => !NOT_TRANSFERRED.has(name))
  const pairs = sources.flatMap((source) => {
    const target = targets.get(source.name)
    return target ? [{ source, target }] : []
  })
  // the migrations have left rows, too
  await to.query(`truncate ${pairs.map(({ target }) => quote(target.name)).join(', ')}`)
  const tables: { name: string; rows: number }[] = []
  await withoutTriggers(to, async () => {
    for (const { source, target } of pairs) {
      tables.push({ name: source.name, rows: await copyTable(from, to, source, target, progress) })
    }
  })
  await endAllLeases(to)
  return { tables, foreign: sources.map(({ name }) => name).filter((name) => !targets.has(name)) }
}

async function copyTable(from: Db, to: Db, source: Table, target: Table, progress: Progress) {
  const { name } = source
  if (formOf(source) !== formOf(target)) {
    throw new UserError(`The table ${name} has other columns in the source than this version makes.`)
  }
  const digest = await digestOf(from, source)
  let done = 0
  for await (const rows of readRows(from, source, digest, LARGE_BATCH)) {
    await writeRows(to, source, rows)
    done += rows.length
    progress(name, done, digest.rows)
  }
  await setNumbering(to, target, await readNumbering(from, source))
  const arrived = await digestOf(to, source)
  if (arrived.rows !== digest.rows || arrived.sum !== digest.sum) {
    throw new Error(`${name}: ${digest.rows} rows were read, ${arrived.rows} arrived, or not as they were.`)
  }
  return digest.rows
}
