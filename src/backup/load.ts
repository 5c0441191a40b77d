import { quote, readRows as readCollections } from '../collections/catalog.ts'
import { readStored } from '../collections/definition/complete.ts'
import { isSqlError } from '../db/errors.ts'
import type { Db } from '../db/open.ts'
import { UserError } from '../errors.ts'
import type { Progress } from '../tools/progress.ts'
import { buildTables, withoutTriggers } from '../transfer/build.ts'
import { digestOf, setNumbering, writeRows } from '../transfer/rows.ts'
import { formOf, NOT_TRANSFERRED, type Table, tablesOf } from '../transfer/tables.ts'
import type { Archive } from './archive.ts'
import { notABackup, type TableEntry } from './manifest.ts'
import { readLines, rowOf } from './rows.ts'

const COLLECTIONS = '_collections'

/**
 * Creates the tables of a backup's collections and fills all, in the transaction `tx`. Compares the stored
 * rows with the file's. Returns the tables. Throws a UserError for a damaged file.
 */
export async function load(tx: Db, archive: Archive, progress: Progress): Promise<TableEntry[]> {
  try {
    await fillCollections(tx, archive, progress)
    const entries = await ourEntries(tx, archive)
    const others = entries.filter(({ entry }) => entry.name !== COLLECTIONS)
    await withoutTriggers(tx, async () => {
      await empty(tx, ...others.map(({ table }) => table))
      for (const { entry, table } of others) await fill(tx, archive, entry, table, progress)
    })
    return entries.map(({ entry }) => entry)
  } catch (error) {
    // a file that Postgres refuses was not written by pocketsms
    if (isSqlError(error)) throw notABackup(error.message, error)
    throw error
  }
}

/** The rows of `_collections` define the other tables. */
async function fillCollections(tx: Db, archive: Archive, progress: Progress): Promise<void> {
  const table = (await tablesOf(tx)).find(({ name }) => name === COLLECTIONS)
  const entry = archive.manifest.tables.find(({ name }) => name === COLLECTIONS)
  if (!table || !entry) throw notABackup('it has no collections')
  await empty(tx, table)
  await fill(tx, archive, entry, table, progress)
  const rows = await readCollections(tx)
  try {
    const collections = rows.map(({ data }) => readStored(data))
    await buildTables(tx, { collections, views: archive.manifest.views })
  } catch (error) {
    throw notABackup(`its collections cannot be made (${(error as Error).message})`, error)
  }
}

async function ourEntries(tx: Db, { manifest }: Archive) {
  const entries = new Map(manifest.tables.map((entry) => [entry.name, entry]))
  const tables = (await tablesOf(tx)).filter(({ name }) => !NOT_TRANSFERRED.has(name))
  return tables.map((table) => {
    const entry = entries.get(table.name)
    if (!entry) throw notABackup(`the table ${table.name} is missing`)
    return { entry, table }
  })
}

/** Migrations insert rows. */
const empty = (tx: Db, ...tables: readonly Table[]) =>
  tx.query(`truncate ${tables.map(({ name }) => quote(name)).join(', ')}`)

async function fill(tx: Db, archive: Archive, entry: TableEntry, table: Table, progress: Progress) {
  const { name } = table
  if (formOf(entry) !== formOf(table))
    throw new UserError(`The table ${name} has other columns in the backup than this version makes.`)
  let done = 0
  for await (const lines of readLines(entry, archive.contentOf(entry))) {
    const rows = lines.map((line) => rowOf(line, entry))
    await writeRows(tx, table, rows)
    done += lines.length
    progress(name, done, entry.rows)
  }
  await setNumbering(tx, table, entry.numbering)
  const { sum, rows } = await digestOf(tx, table)
  if (sum !== entry.digest || rows !== entry.rows)
    throw notABackup(`the rows of the table ${name} are not those that were written`)
}
