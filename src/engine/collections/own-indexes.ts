import { isSqlError } from '../../platform/db/database-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { withSavepoint } from '../../platform/db/savepoint.ts'
import { readSqlFiles, type SqlFile } from '../../platform/db/schema/sql-files.ts'
import type { Collection } from './collection.ts'
import { parseIndex } from './index-definition.ts'
import { toColumnName } from './sql-names.ts'

const WHOLE_INDEX = /^create index \S+ on (\w+) \(([^()]+)\);$/m
const COLUMN = /^(?:"?(\w+)"?|(_rowid) nulls first)$/

/** By table: the columns of each index that has no WHERE and whose `_rowid`, if any, is `nulls first`. */
function readOwnIndexes(): Map<string, string[][]> {
  const found = new Map<string, string[][]>()
  for (const { sql } of readOwnIndexFiles()) {
    const [, table, list] = WHOLE_INDEX.exec(sql) ?? []
    if (!table || !list) continue
    const columns = list.split(', ').map((text) => COLUMN.exec(text))
    if (columns.some((column) => !column || column[1] === '_rowid')) continue
    found.set(table, [
      ...(found.get(table) ?? []),
      columns.map((column) => column![1] ?? column![2]!),
    ])
  }
  return found
}

const readOwnIndexFiles = () => readSqlFiles('indexes/always')
let ownColumns: Map<string, string[][]> | undefined

function findOwnIndexColumns(table: string): readonly string[][] {
  ownColumns ??= readOwnIndexes()
  return ownColumns.get(table) ?? []
}

/** Columns of each index that has no WHERE, both the collection's `indexes` and `sql/indexes/always`. */
export function listIndexedColumns({
  id,
  indexes,
}: Pick<Collection, 'id' | 'indexes'>): readonly (readonly string[])[] {
  const described = indexes
    .map(parseIndex)
    .filter(({ where, columns }) => where === '' && columns.every(({ collate }) => collate === ''))
    .map(({ columns }) => columns.map(({ name }) => toColumnName(name)))
  return [...described, ...findOwnIndexColumns(id)]
}

/** Whether one of these indexes has the rows of an account in order of insertion. */
export const isInsertionOrdered = (table: string): boolean =>
  findOwnIndexColumns(table).some(([, second]) => second === '_rowid')

/** SQL of the order of insertion, spelled like the index sms_messages_in_order, so that Postgres uses it. */
export const writeInsertionOrderSql = (direction: 'ASC' | 'DESC'): string =>
  direction === 'DESC' ? 'b._rowid DESC NULLS LAST' : 'b._rowid NULLS FIRST'

const MISSING_INDEXES = 'select name from unnest($1::text[]) name where to_regclass(name) is null'
const MISSING_TRIGGERS = `select name from unnest($1::text[]) name where not exists (
  select from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where t.tgname = name and c.relnamespace = current_schema()::regnamespace)`

const [UNDEFINED_TABLE, UNDEFINED_COLUMN] = ['42P01', '42703']

/** Creates missing indexes and triggers of built-in collections. Each is named like its SQL file. */
export async function makeOwnObjects(db: Db): Promise<void> {
  await makeMissingIndexes(db, readOwnIndexFiles(), MISSING_INDEXES)
  await makeMissingIndexes(db, readSqlFiles('triggers'), MISSING_TRIGGERS)
}

async function makeMissingIndexes(
  db: Db,
  files: readonly SqlFile[],
  question: string,
): Promise<void> {
  const { rows } = await db.query(question, [files.map(({ name }) => name)])
  const missing = new Set(rows.map(([name]) => name))
  for (const { name, sql } of files) if (missing.has(name)) await makeIndex(db, sql)
}

async function makeIndex(db: Db, sql: string): Promise<void> {
  await db.limitStatements(0)
  try {
    await withSavepoint(db, () => db.script(sql))
  } catch (error) {
    if (!isSqlError(error, UNDEFINED_TABLE) && !isSqlError(error, UNDEFINED_COLUMN)) throw error
  }
}
