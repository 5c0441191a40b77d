import { isSqlError } from '../../db/errors.ts'
import type { Db } from '../../db/open.ts'
import { withSavepoint } from '../../db/savepoint.ts'
import { sqlFiles } from '../../db/schema/sql-files.ts'
import type { Collection } from '../collection.ts'
import { columnName } from '../names.ts'
import { parseIndex } from '../sqlite/index-expression.ts'

const IN_ORDER = ['user', '_rowid']

/**
 * Columns of the indexes in `sql/indexes` for which lists have plans of their own: see
 * records/read/query-plan.ts. Those of `sql/background-indexes` may not be there.
 */
const OWN_INDEXES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  sms_messages: [['user', 'status', 'created'], IN_ORDER],
  sms_events: [IN_ORDER],
  contacts: [IN_ORDER],
  conversations: [['user', 'archived', 'last_at']],
  webhook_deliveries: [IN_ORDER],
}

/**
 * The columns of each index of a collection that has all rows, as they stand: described ones and our own.
 */
export function indexedColumns({
  id,
  indexes,
}: Pick<Collection, 'id' | 'indexes'>): readonly (readonly string[])[] {
  const described = indexes
    .map(parseIndex)
    .filter(({ where, columns }) => where === '' && columns.every(({ collate }) => collate === ''))
    .map(({ columns }) => columns.map(({ name }) => columnName(name)))
  return [...described, ...(OWN_INDEXES[id] ?? [])]
}

/** The order of insertion of one user's rows, as in sql/indexes/sms_messages_in_order.sql and its like. */
export const insertionOrderBy = (direction: string): string =>
  direction === 'DESC' ? 'b._rowid DESC NULLS LAST' : 'b._rowid NULLS FIRST'

const MISSING = 'select name from unnest($1::text[]) name where to_regclass(name) is null'

/** The table has been deleted, or one of its columns. */
const [UNDEFINED_TABLE, UNDEFINED_COLUMN] = ['42P01', '42703']

/**
 * Makes the indexes of `sql/indexes` that are missing, in the transaction `db`: indexes of built-in
 * collections that their descriptions do not list, so nobody sees them or can delete them. A file is named
 * for its index. Sends wait meanwhile, a second for half a million messages, once.
 */
export async function makeOwnIndexes(db: Db): Promise<void> {
  const files = sqlFiles('indexes')
  const { rows } = await db.query(MISSING, [files.map(({ name }) => name)])
  const missing = new Set(rows.map(([name]) => name))
  for (const { name, sql } of files) if (missing.has(name)) await makeIndex(db, sql)
}

/**
 * Runs the scripts of `sql/triggers`, in the transaction `db`: triggers of built-in collections that are
 * missing. They change nothing where all is there.
 */
export async function makeOwnTriggers(db: Db): Promise<void> {
  for (const { sql } of sqlFiles('triggers')) await db.script(sql)
}

/** Makes an index, unless its table or one of its columns was deleted. */
async function makeIndex(db: Db, sql: string): Promise<void> {
  await db.script('set local statement_timeout = 0; set local lock_timeout = 0')
  try {
    await withSavepoint(db, () => db.script(sql))
  } catch (error) {
    if (!isSqlError(error, UNDEFINED_TABLE) && !isSqlError(error, UNDEFINED_COLUMN)) throw error
  }
}
