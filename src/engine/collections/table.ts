import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import type { Field } from '../fields/field.ts'
import type { Collection } from './collection.ts'
import type { BuiltIn } from './definition/built-in-collections.ts'
import {
  addFileTriggers,
  deleteUnreferencedFiles,
  dropFileTriggers,
  movesFileColumns,
} from './file-triggers.ts'
import { toTableName } from './sql-names.ts'
import {
  addColumns,
  convertSingleAndListColumns,
  dropColumns,
  listConvertedFields,
  renameColumns,
  runAlterTable,
  writeColumnDdl,
} from './table-columns.ts'
import { createIndexes, dropIndexes } from './table-indexes.ts'

const isSameJson = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/**
 * Changes a collection's table; fields match by id. Throws an InvalidCollection for indexes that fail, or
 * Postgres' error. PocketBase: core/collection_record_table_sync.go
 */
export async function alterTable(
  db: Db,
  builtIn: BuiltIn,
  old: Collection,
  next: Collection,
): Promise<void> {
  const [before, table] = [toTableName(old), toTableName(next)]
  if (
    before === table &&
    isSameJson(old.fields, next.fields) &&
    isSameJson(old.indexes, next.indexes)
  )
    return
  const isFileMoved = movesFileColumns(old, next)
  if (isFileMoved) await dropFileTriggers(db, old)
  await dropIndexes(db, old)
  if (before !== table) await runAlterTable(db, before, sql`rename to ${sql.id(table)}`)
  await dropColumns(db, builtIn, table, old, next)
  await renameColumns(db, table, old, next)
  await addColumns(db, builtIn, table, old, next)
  await convertSingleAndListColumns(db, table, listConvertedFields(old, next))
  await createIndexes(db, next)
  if (!isFileMoved) return
  await deleteUnreferencedFiles(db, next)
  await addFileTriggers(db, next)
}

/** Analyzes tables early: without statistics Postgres expects few rows per user and may sort 100,000 rows. */
const STATISTICS = sql`autovacuum_analyze_threshold = 250, autovacuum_analyze_scale_factor = 0.02`

/** Columns that most updates change are last: the log of an update begins with the first changed column. */
const isState = ({ type }: Field) => type === 'select' || type === 'date' || type === 'autodate'

/** Creates a collection's table. Postgres names constraints: a renamed table may still have fixed names. */
export async function createTable(db: Db, collection: Collection): Promise<void> {
  // an imported collection may have two fields of one name: validation refuses it later
  const ordered = collection.fields.toSorted((a, b) => Number(isState(a)) - Number(isState(b)))
  const fields = new Map(ordered.map((field) => [field.name, writeColumnDdl(field)]))
  const columns = sql.join([
    ...fields.values(),
    sql`_rowid bigint generated always as identity unique`,
  ])
  await sql`create table ${sql.id(toTableName(collection))} (${columns}) with (${STATISTICS})`.execute(
    db,
  )
  await createIndexes(db, collection)
  await addFileTriggers(db, collection)
}

/** The names of a table's columns; none if there is no such table. */
export async function loadColumnNames(db: Db, table: string): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`select attname as name from pg_attribute
    where attrelid = to_regclass(quote_ident(${table})) and attnum > 0 and not attisdropped`.execute(
    db,
  )
  return new Set(rows.map(({ name }) => name))
}
