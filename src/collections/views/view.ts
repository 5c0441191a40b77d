import { isSqlError } from '../../db/errors.ts'
import type { Db } from '../../db/open.ts'
import { withSavepoint } from '../../db/savepoint.ts'
import { type Field, isMulti } from '../../fields/field.ts'
import { randomText } from '../../tools/random.ts'
import {
  type Catalog,
  type CatalogDraft,
  type Collection,
  columnName,
  quote,
  type Store,
  tableName,
  type ViewCollection,
} from '../catalog.ts'
import { all } from '../checks.ts'
import { addField, readNew } from '../definition/complete.ts'
import { fieldProblems } from '../field-settings.ts'
import { sqlTokens } from '../sqlite/sql-parts.ts'
import { SqliteFault } from '../sqlite/sqlite-fault.ts'
import { translateNames, translateQuery } from '../sqlite/translate-query.ts'
import { checkViewAccess } from './view-access.ts'
import { splitSql, suggestFields, unknownField, type ViewField, ViewQueryError } from './view-fields.ts'

const SAMPLE_SIZE = 10
/** SQL that casts a view's column to its field's type. NULL stays NULL, as in PocketBase. */
const CASTS: Partial<Record<Field['type'], (column: string) => string>> = {
  number: (column) => `${column}::float8`,
  bool: (column) => `${column}::boolean`,
  json: (column) => `pb_json(${column})`,
  geoPoint: (column) => column,
}
const asText = (column: string) => `pb_text(${column}) collate "C"`
const asTexts = (column: string) => `${column}::text[] collate "C"`

function castTo(field: Field, column: string): string {
  if (isMulti(field)) return asTexts(column)
  return (CASTS[field.type] ?? asText)(column)
}

const NO_ID = "missing required id column (you can use `(ROW_NUMBER() OVER()) as id` if you don't have one)"
const EMPTY_IDS = 'the query could return records with empty or invalid ids'
const EQUAL_IDS = 'the query could return records with non-unique ids'

/** Whether a submitted query or name caused the error. Every SQL error counts as one. */
export const isQueryFault = (error: unknown): error is Error =>
  error instanceof ViewQueryError || error instanceof SqliteFault || isSqlError(error)

interface ReadQuery {
  readonly sql: string
  readonly fields: Field[]
  readonly columns: readonly string[]
  readonly plain: readonly boolean[]
}

/** A view's query cannot begin with these. Refused here, because Postgres' error would name a later word. */
const NO_QUERY = new Set(['alter', 'create', 'delete', 'drop', 'insert', 'update'])

function demandQuery(sql: string): void {
  const first = sqlTokens(sql).find(({ kind }) => kind !== 'blank')?.text ?? ''
  if (NO_QUERY.has(first.toLowerCase())) throw new SqliteFault(`near "${first}": syntax error`)
}

/** The query without outer semicolons. Throws a ViewQueryError or SqliteFault if it is no single SELECT. */
function singleStatement(query: string): string {
  const sql = query.trim().replace(/^;+|;+$/g, '')
  if (splitSql(sql, ';').length > 1) throw new ViewQueryError('multiple statements are not supported')
  demandQuery(sql)
  return sql
}

/** Throws a ViewQueryError if a query uses what views may not use. Does not run the query. */
async function checkAccess(tx: Db, sql: string, catalog: Catalog): Promise<void> {
  const name = `_view_${randomText(15)}`
  await tx.query(`create view ${quote(name)} as select 1 as one from (${sql}\n) q`)
  await checkViewAccess(tx, name, catalog.all)
  await tx.query(`drop view ${quote(name)}`)
}

/** Translates a query to Postgres and asks for its columns. If that fails, asks with the query as it is. */
async function askColumns({ db, catalog }: Store, query: string) {
  const ask = (sql: string) =>
    db.transaction((tx) =>
      withSavepoint(tx, async () => {
        await checkAccess(tx, sql, catalog)
        // a parameter makes it a prepared statement, which cannot contain a second statement
        const { fields } = await tx.query(`select * from (${sql}\n) q limit $1::int`, [0])
        return { sql, columns: fields.map(({ name }) => name) }
      }),
    )
  const [translated, own] = [translateQuery(query, catalog), translateNames(query, catalog)]
  try {
    return await ask(translated)
  } catch (error) {
    if (!isSqlError(error) || own === translated) throw error
    return ask(own)
  }
}

/** Translates a view's query and finds its fields. Throws a ViewQueryError or Postgres' error. */
async function readQuery(store: Store, query: string): Promise<ReadQuery> {
  const single = singleStatement(query)
  const suggested = suggestFields(single, store.catalog)
  const { sql, columns } = await askColumns(store, single)
  const found = columns.map((column, i) => {
    const twice = namedBefore(columns, i)
    if (twice > 0) return unknownField(`${suggested[i]?.field.name ?? column}:${twice}`)
    return suggested.find((one) => isFieldOf(one, column)) ?? unknownField(column)
  })
  const fields = found.map(({ field }) => field).reduce<Field[]>(addField, [])
  if (!fields.some(({ name }) => name === 'id')) throw new ViewQueryError(NO_ID, fields)
  return { sql, columns, fields, plain: found.map(({ plain }) => plain) }
}

/** Reads a view's query, checks its fields and the ids of some rows. PocketBase: core/view.go, DryRunView */
export async function readAndSample(store: Store, query: string): Promise<ReadQuery> {
  const read = await readQuery(store, query)
  const wrong = viewFieldFault(read.fields, store.catalog)
  if (wrong !== undefined) throw new ViewQueryError(wrong, read.fields)
  const sample = `select v.id from (${viewSelect(read)}) v limit $1::int`
  const { rows } = await store.db.query(sample, [SAMPLE_SIZE])
  const ids = rows.map(([id]) => String(id ?? ''))
  if (ids.includes('')) throw new ViewQueryError(EMPTY_IDS, read.fields)
  if (new Set(ids).size < ids.length) throw new ViewQueryError(EQUAL_IDS, read.fields)
  return read
}

const namedBefore = (columns: readonly string[], place: number) =>
  columns.slice(0, place).filter((name) => name.toLowerCase() === columns[place]!.toLowerCase()).length

/** Whether the column is of this field. Postgres changes aliases without quotes to lower case. */
const isFieldOf = ({ field }: ViewField, column: string) =>
  field.name === column || field.name.toLowerCase() === column

function viewSelect({ sql, fields, columns, plain }: ReadQuery): string {
  const list = fields.map((field, i) => {
    const column = `q.${quote(columns[i]!)}`
    return `${plain[i] ? column : castTo(field, column)} as ${quote(columnName(field.name))}`
  })
  return `select ${list.join(', ')} from (${sql}\n) q`
}

async function createView(db: Db, collection: ViewCollection, query: ReadQuery): Promise<void> {
  await db.query(`create view ${quote(tableName(collection))} as ${viewSelect(query)}`)
}

export async function dropView(db: Db, collection: ViewCollection, cascade = false): Promise<void> {
  await db.query(`drop view if exists ${quote(tableName(collection))}${cascade ? ' cascade' : ''}`)
}

function viewFieldFault(fields: Field[], catalog: Catalog): string | undefined {
  const collection = { ...readNew({ type: 'view', name: 'view' }), fields } as Collection
  for (const [i, field] of fields.entries()) {
    const problems = fieldProblems(field, { collection, stored: undefined, catalog })
    const [found] = Object.entries(all(problems) ?? {})
    if (!found) continue
    const message = String(found[1].message)
    return `invalid field "${field.name}" (${i}): ${found[0]}: ${message[0]!.toLowerCase()}${message.slice(1)}`
  }
}

const viewsOf = (draft: CatalogDraft): ViewCollection[] =>
  draft.catalog.all.filter((collection) => collection.type === 'view')

const shape = ({ fields }: { readonly fields: Collection['fields'] }) =>
  JSON.stringify(fields.map((field) => ({ ...field, id: '' })))

async function makeView(draft: CatalogDraft, next: ViewCollection): Promise<void> {
  const query = await readQuery(draft, next.viewQuery)
  await createView(draft.db, next, query)
  await draft.put({ ...next, fields: query.fields })
}

/** Writes a view collection. Recreates its view in Postgres only if its query or fields change. */
export async function saveView(
  draft: CatalogDraft,
  next: ViewCollection,
  old?: ViewCollection,
): Promise<void> {
  if (!old) return makeView(draft, next)
  if (old.name !== next.name)
    await draft.db.query(`alter view ${quote(tableName(old))} rename to ${quote(tableName(next))}`)
  const { fields } = await readQuery(draft, next.viewQuery)
  if (old.viewQuery === next.viewQuery && shape(old) === shape({ fields }))
    return draft.put({ ...next, fields })
  await withoutViews(draft, next.id, () => dropView(draft.db, next), [next])
}

/** Recreates views whose fields changed, as PocketBase does. Returns an error message per failed view. */
export async function refreshViews(draft: CatalogDraft, except: string): Promise<string[]> {
  const problems: string[] = []
  for (const { id } of viewsOf(draft)) {
    if (id === except) continue
    const view = draft.catalog.find(id) as ViewCollection
    try {
      await withSavepoint(draft.db, async () => {
        const { fields } = await readQuery(draft, view.viewQuery)
        if (shape(view) !== shape({ fields })) await saveView(draft, view, view)
      })
    } catch (error) {
      problems.push(`[${view.name}] ${(error as Error).message}`)
    }
  }
  return problems
}

/**
 * Drops all views but `except`, because Postgres refuses to change what a view reads. Runs `work`, then
 * creates the views and `more`. Tries failed views again, because views may read each other.
 */
export async function withoutViews(
  draft: CatalogDraft,
  except: string,
  work: () => Promise<void>,
  more: readonly ViewCollection[] = [],
): Promise<void> {
  const taken = viewsOf(draft).filter(({ id }) => id !== except)
  for (const view of taken) await dropView(draft.db, view, true)
  await work()
  let waiting = [...more, ...taken]
  while (waiting.length > 0) {
    const failed: { view: ViewCollection; error: unknown }[] = []
    for (const view of waiting) {
      try {
        await withSavepoint(draft.db, () => makeView(draft, view))
      } catch (error) {
        failed.push({ view, error })
      }
    }
    if (failed.length === waiting.length) throw failed[0]!.error
    waiting = failed.map(({ view }) => view)
  }
}
