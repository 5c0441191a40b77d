import { sql } from 'kysely'
import { UserError } from '../../platform/api-errors.ts'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import { isSqlError } from '../../platform/db/database-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { acquireLock } from '../../platform/db/queries.ts'
import { migrateDatabase } from '../../platform/db/schema/migrate.ts'
import type { ReportProgress } from '../../platform/tools/progress.ts'
import { loadCollectionRows as readCollections } from '../collections/catalog.ts'
import { CatalogStore } from '../collections/catalog-store.ts'
import { createSystemCollections } from '../collections/create-system-collections.ts'
import type { BuiltIn } from '../collections/definition/built-in-collections.ts'
import { parseStoredCollection } from '../collections/definition/read-collection.ts'
import { quoteName } from '../collections/sql-names.ts'
import { buildTables } from '../transfer/build-tables.ts'
import { setSequences } from '../transfer/copy-sequences.ts'
import { digestTable, joinSqlNames, prepareTransfer, writeRows } from '../transfer/rows.ts'
import {
  describeColumns,
  loadTables,
  NOT_TRANSFERRED,
  type TransferTable,
  writeNotOfExtension,
} from '../transfer/tables.ts'
import { withoutTriggers } from '../transfer/without-triggers.ts'
import {
  type Archive,
  type BackupSummary,
  makeBackupError,
  openArchive,
  parseBackupRow,
  readLines,
  summarizeBackup,
  type TableEntry,
} from './read-archive.ts'

const ANYTHING = `
select 'the table or view ' || c.relname from pg_class c
where c.relkind in ('r', 'p', 'v', 'm', 'f') and c.relnamespace = current_schema()::regnamespace
  and ${writeNotOfExtension('pg_class', 'c.oid')}
union all
select 'the function ' || p.proname from pg_proc p
where p.pronamespace = current_schema()::regnamespace and ${writeNotOfExtension('pg_proc', 'p.oid')}
limit 1`

/** Names something that the database contains; undefined if it is empty. */
export async function findAnyObject(db: Db): Promise<string | undefined> {
  const { rows } = await db.query(ANYTHING)
  return rows[0] && String(rows[0][0])
}

export interface AfterRestore {
  /** Built-in collections; a restore creates those that the backup lacks. */
  readonly builtIn: BuiltIn
  /**
   * Changes restored rows that no longer hold. Unless `resume`, ends what was unfinished. Returns how many
   * messages it has ended.
   */
  readonly run: (tx: Db, resume: boolean) => Promise<number>
}

interface RestoreOptions {
  /** If set, all old data is deleted first; called at the end. If not set, the database must be empty. */
  readonly replace?: (tx: Db) => Promise<void>
  readonly resume?: boolean
  readonly afterRestore: AfterRestore
  readonly progress?: ReportProgress
}

export interface Restored extends BackupSummary {
  /** How many messages were set to failed, because they may have been sent after the backup. */
  readonly ended: number
  /** Tables in the backup that are none of pocketsms. They are not restored. */
  readonly foreign: readonly string[]
}

/**
 * Restores a backup in one transaction. Throws a UserError if the file or the database does not allow it.
 * After `replace`, the caller must reload all that it has in memory.
 */
export async function restoreBackup(
  db: Db,
  path: string,
  { replace, resume = false, afterRestore, progress = () => {} }: RestoreOptions,
): Promise<Restored> {
  const archive = await openArchive(path)
  try {
    const work = async (tx: Db) => {
      await prepareTransfer(tx)
      await acquireLock(tx, LOCKS.migration)
      if (replace) await tx.script(`set local client_min_messages = warning; ${CLEAR}`)
      const found = !replace && (await findAnyObject(tx))
      if (found)
        throw new UserError(`The database is not empty: it has ${found}. Restore into a new one.`)
      const all = await restoreTables(tx, archive, afterRestore, resume, progress)
      await replace?.(tx)
      if (replace) await tx.endOthers()
      return all
    }
    const restored = await db.transaction(work)
    // the planner needs statistics of the new rows. A migration may have dropped tables of the backup
    for (const { name } of await loadTables(db))
      await db.unhurried(`vacuum (analyze) ${quoteName(name)}`)
    return restored
  } finally {
    archive.close()
  }
}

async function restoreTables(
  tx: Db,
  archive: Archive,
  { builtIn, run }: AfterRestore,
  resume: boolean,
  progress: ReportProgress,
): Promise<Restored> {
  const { manifest, bytes } = archive
  await migrateDatabase(tx, manifest.migrations)
  await prepareTransfer(tx)
  const entries = await loadArchive(tx, archive, progress)
  await migrateDatabase(tx)
  await new CatalogStore({ for: () => tx, forEverybody: () => tx }, builtIn).change(
    createSystemCollections,
  )
  await prepareTransfer(tx)
  const ended = await run(tx, resume)
  const summary = summarizeBackup(manifest, bytes)
  const ours = new Set(entries.map(({ name }) => name))
  return {
    ...summary,
    tables: summary.tables.filter(({ name }) => ours.has(name)),
    foreign: summary.tables.map(({ name }) => name).filter((name) => !ours.has(name)),
    ended,
  }
}

/** Drops everything in the current schema except extensions, after locking all tables in order of name. */
const CLEAR = `do $$
declare
  ours constant oid := current_schema()::regnamespace;
  statement text;
begin
  for statement in
    select format('lock table %s in access exclusive mode', string_agg(c.oid::regclass::text, ', ' order by c.relname collate "C"))
    from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = ours and ${writeNotOfExtension('pg_class', 'c.oid')}
    having count(*) > 0
  loop execute statement; end loop;
  for statement in
    select format('drop %s if exists %s cascade', k.words, string_agg(c.oid::regclass::text, ', '))
    from pg_class c join (values ('v', 1, 'view'), ('m', 2, 'materialized view'), ('f', 3, 'foreign table'), ('r', 4, 'table'),
      ('p', 4, 'table'), ('S', 5, 'sequence')) as k (kind, place, words) on k.kind = c.relkind
    where c.relnamespace = ours and ${writeNotOfExtension('pg_class', 'c.oid')} group by k.words, k.place order by k.place
  loop execute statement; end loop;
  for statement in
    select format('drop routine if exists %s cascade', string_agg(p.oid::regprocedure::text, ', '))
    from pg_proc p where p.pronamespace = ours and ${writeNotOfExtension('pg_proc', 'p.oid')} having count(*) > 0
  loop execute statement; end loop;
  for statement in
    select format('drop type if exists %s cascade', string_agg(t.oid::regtype::text, ', '))
    from pg_type t left join pg_class c on c.oid = t.typrelid
    where t.typnamespace = ours and coalesce(c.relkind, 'c') = 'c' and t.typelem = 0 and ${writeNotOfExtension('pg_type', 't.oid')}
    having count(*) > 0
  loop execute statement; end loop;
end $$`

const COLLECTIONS = '_collections'

/** Creates and fills the tables and returns them. Throws a UserError for a damaged file. */
async function loadArchive(
  tx: Db,
  archive: Archive,
  progress: ReportProgress,
): Promise<TableEntry[]> {
  try {
    await fillCollections(tx, archive, progress)
    const entries = await listOwnEntries(tx, archive)
    const others = entries.filter(({ entry }) => entry.name !== COLLECTIONS)
    await withoutTriggers(tx, async () => {
      await truncateTables(tx, ...others.map(({ table }) => table))
      for (const { entry, table } of others) await fillTable(tx, archive, entry, table, progress)
    })
    return entries.map(({ entry }) => entry)
  } catch (error) {
    // rows that Postgres refuses were not written by pocketsms
    if (isSqlError(error)) throw makeBackupError(error.message, error)
    throw error
  }
}

async function fillCollections(tx: Db, archive: Archive, progress: ReportProgress): Promise<void> {
  const table = (await loadTables(tx)).find(({ name }) => name === COLLECTIONS)
  const entry = archive.manifest.tables.find(({ name }) => name === COLLECTIONS)
  if (!table || !entry) throw makeBackupError('it has no collections')
  await truncateTables(tx, table)
  await fillTable(tx, archive, entry, table, progress)
  const rows = await readCollections(tx)
  try {
    const collections = rows.map(({ data }) => parseStoredCollection(data))
    await buildTables(tx, { collections, views: archive.manifest.views })
  } catch (error) {
    throw makeBackupError(`its collections cannot be made (${(error as Error).message})`, error)
  }
}

async function listOwnEntries(tx: Db, { manifest }: Archive) {
  const entries = new Map(manifest.tables.map((entry) => [entry.name, entry]))
  const tables = (await loadTables(tx)).filter(({ name }) => !NOT_TRANSFERRED.has(name))
  return tables.map((table) => {
    const entry = entries.get(table.name)
    if (!entry) throw makeBackupError(`the table ${table.name} is missing`)
    return { entry, table }
  })
}

/** Empties new tables, since migrations have inserted rows. */
const truncateTables = (tx: Db, ...tables: readonly TransferTable[]) =>
  sql`truncate ${joinSqlNames(tables)}`.execute(tx)

async function fillTable(
  tx: Db,
  archive: Archive,
  entry: TableEntry,
  table: TransferTable,
  progress: ReportProgress,
) {
  const { name } = table
  if (describeColumns(entry) !== describeColumns(table))
    throw new UserError(
      `The table ${name} has other columns in the backup than this version makes.`,
    )
  let done = 0
  for await (const lines of readLines(entry, archive.contentOf(entry))) {
    const rows = lines.map((line) => parseBackupRow(line, entry))
    await writeRows(tx, table, rows)
    done += lines.length
    progress(name, done, entry.rows)
  }
  await setSequences(tx, table, entry.numbering)
  const { sum, rows } = await digestTable(tx, table)
  if (sum !== entry.digest || rows !== entry.rows)
    throw makeBackupError(`the rows of the table ${name} are not those that were written`)
}
