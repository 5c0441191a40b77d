import { type Collection, quote, readRows as readCollections, tableName } from '../collections/catalog.ts'
import { readStored } from '../collections/definition/complete.ts'
import { createTable } from '../collections/table.ts'
import { checkViewAccess } from '../collections/views/view-access.ts'
import { ViewQueryError } from '../collections/views/view-fields.ts'
import type { Db } from '../db/open.ts'
import { UserError } from '../errors.ts'
import { randomText } from '../tools/random.ts'

export interface Column {
  readonly name: string
  /** The type in SQL, such as `text`, `pb_date` or `text[]`. */
  readonly type: string
  readonly sequence: string | null
}

export interface Table {
  readonly name: string
  /** Sorted by name: databases may order columns differently. */
  readonly columns: readonly Column[]
}

/**
 * Tables that are not copied. Their rows are valid in one database only: they describe running processes, or
 * refer to transactions, tables, functions or migrations. Rows of sms_messages_brief are made anew.
 */
export const NOT_TRANSFERRED: ReadonlySet<string> = new Set([
  '_changes',
  '_functions',
  '_listeners',
  '_schema',
  '_subscribing',
  '_verify_codes',
  'backup_state',
  'device_streams',
  'sms_messages_brief',
  'sms_totals',
])

/** A text of a table's columns and types. Tables with equal texts accept each other's rows. */
export const formOf = ({ columns }: { readonly columns: readonly Pick<Column, 'name' | 'type'>[] }): string =>
  JSON.stringify(columns.map(({ name, type }) => [name, type]))

/** SQL: whether an object of a system catalog was not created by an extension. */
export const isOurs = (catalog: string, oid: string) =>
  `not exists (select from pg_depend d where d.classid = '${catalog}'::regclass and d.objid = ${oid} and d.deptype = 'e')`

const TABLES = `
select c.relname, json_agg(json_build_object(
  'name', a.attname,
  'type', format_type(a.atttypid, a.atttypmod),
  'sequence', pg_get_serial_sequence(format('%I', c.relname), a.attname)
) order by a.attname collate "C")
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and ${isOurs('pg_class', 'c.oid')}
group by c.relname order by c.relname collate "C"`

export async function tablesOf(db: Db): Promise<Table[]> {
  const { rows } = await db.query(TABLES)
  return rows.map(([name, columns]) => ({ name: String(name), columns: JSON.parse(String(columns)) }))
}

const ANYTHING = `
select 'the table or view ' || c.relname from pg_class c
where c.relkind in ('r', 'p', 'v', 'm', 'f') and c.relnamespace = current_schema()::regnamespace
  and ${isOurs('pg_class', 'c.oid')}
union all
select 'the function ' || p.proname from pg_proc p
where p.pronamespace = current_schema()::regnamespace and ${isOurs('pg_proc', 'p.oid')}
limit 1`

/** Names something that the database contains; undefined if it is empty. */
export async function findAnyObject(db: Db): Promise<string | undefined> {
  const { rows } = await db.query(ANYTHING)
  return rows[0] && String(rows[0][0])
}

/** A row as texts in the order of Table.columns; null for NULL. */
export type TransferRow = readonly (string | null)[]

export interface BatchSize {
  readonly rows: number
  readonly bytes: number
}

/** The size of a batch between two databases. Twice the size is no faster. */
export const LARGE_BATCH: BatchSize = { rows: 2_000, bytes: 4_000_000 }

/** Settings that make every session write values as the same lossless text, and remove time limits. */
const ONE_FORM = `
set local timezone = 'UTC'; set local datestyle = 'ISO'; set local intervalstyle = 'postgres';
set local extra_float_digits = 1; set local bytea_output = 'hex';
set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0`

/** Prepares a transaction to read or write whole tables: uniform texts, no time limits. */
export async function prepareTransfer(db: Db): Promise<void> {
  await db.limitStatements(0)
  await db.script(ONE_FORM)
}

/** Computes a checksum of a table's rows, whatever the order of rows and columns. */
export async function digestOf(db: Db, { name, columns }: Table) {
  const row = `row(${columns.map((column) => quote(column.name)).join(', ')})::text`
  const { rows } = await db.query(
    `select count(*), coalesce(sum(hashtextextended(line, 0)), 0)::text, coalesce(max(octet_length(line)), 0)
     from (select ${row} as line from ${quote(name)} offset 0) as lines`,
  )
  const [count, sum, longest] = rows[0]!
  return {
    rows: Number(count),
    sum: String(sum),
    longest: Number(longest),
  }
}

/** Yields a table's rows as JSON texts, in batches that limit the memory. Sorted by a sequence, if any. */
export async function* readJsonLines(
  db: Db,
  table: Table,
  { longest }: { readonly longest: number },
  batch: BatchSize,
) {
  const size = Math.min(batch.rows, Math.max(1, Math.floor(batch.bytes / Math.max(1, longest))))
  const texts = table.columns.map(({ name }) => `${quote(name)}::text`).join(', ')
  const numbered = table.columns.find(({ sequence }) => sequence !== null)
  const order = numbered ? ` order by ${quote(numbered.name)}` : ''
  await db.query(
    `declare transfer no scroll cursor for select to_json(array[${texts}]::text[])::text from ${quote(table.name)}${order}`,
  )
  for (;;) {
    const { rows } = await db.query(`fetch ${size} from transfer`)
    if (rows.length === 0) break
    yield rows.map(([line]) => String(line))
  }
  await db.query('close transfer')
}

/** Writes rows into a table with these columns. `db`: a transaction after prepareTransfer. */
export async function writeRows(db: Db, { name, columns }: Table, rows: readonly TransferRow[]) {
  const names = columns.map((column) => quote(column.name)).join(', ')
  const values = columns.map(({ type }, i) => `r.c${i}::${type}`).join(', ')
  const lists = columns.map((_, i) => `$${i + 1}::text[]`).join(', ')
  const items = columns.map((_, i) => `c${i}`).join(', ')
  const insert = `insert into ${quote(name)} (${names}) overriding system value
    select ${values} from unnest(${lists}) as r(${items})`
  const texts = columns.map((_, i) => rows.map((row) => row[i]))
  await db.query(insert, texts)
}

/** State of a column's sequence. `last`: its last number if `called`, else the number that it gives next. */
export interface Numbering {
  readonly column: string
  readonly last: string
  readonly called: boolean
}

export async function readNumbering(db: Db, { columns }: Table): Promise<Numbering[]> {
  const found: Numbering[] = []
  for (const { name, sequence } of columns) {
    if (sequence === null) continue
    const { rows } = await db.query(`select last_value::text, is_called from ${sequence}`)
    const [last, called] = rows[0]!
    found.push({ column: name, last: String(last), called: called === true })
  }
  return found
}

/** Sets the sequences, so that the next row gets the same number as in the original database. */
export async function setNumbering(db: Db, table: Table, numbering: readonly Numbering[]): Promise<void> {
  for (const { column, last, called } of numbering) {
    const sequence = table.columns.find(({ name }) => name === column)?.sequence
    if (sequence) await db.query('select setval($1::text::regclass, $2, $3)', [sequence, last, called])
  }
}

/** Reads views in the order of creation: a view reads only tables and views that were created before it. */
const VIEWS = `
select relname, pg_get_viewdef(oid) from pg_class
where relkind = 'v' and relnamespace = current_schema()::regnamespace order by oid`

/** The collections, and the queries of their views, in the order in which views can be created. */
export async function readPlan(db: Db) {
  const collections = (await readCollections(db)).map(({ data }) => readStored(data))
  const ours = new Set(collections.filter(({ type }) => type === 'view').map(tableName))
  const { rows } = await db.query(VIEWS)
  const views = rows.map(([name, query]) => ({ name: String(name), query: String(query) }))
  return { collections, views: views.filter(({ name }) => ours.has(name)) }
}

type Plan = Awaited<ReturnType<typeof readPlan>>

/** Creates tables, indexes and views without rows. Throws a UserError for a forbidden view. */
export async function buildTables(db: Db, { collections, views }: Plan): Promise<void> {
  for (const collection of collections) if (collection.type !== 'view') await createTable(db, collection)
  for (const { name, query } of views) {
    // runs as a prepared statement, which cannot hold a second statement
    await db.query(`create view ${quote(name)} as ${query}`, [], `view ${randomText(20)}`)
    await demandAccess(db, name, collections)
  }
}

async function demandAccess(db: Db, view: string, collections: readonly Collection[]) {
  try {
    await checkViewAccess(db, view, collections)
  } catch (error) {
    if (!(error instanceof ViewQueryError)) throw error
    throw new UserError(`The view ${view} cannot be made: ${error.message}.`)
  }
}

const TRIGGERED = `
select distinct c.relname from pg_trigger t join pg_class c on c.oid = t.tgrelid
where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace`

const REFERENCES = `
select c.relname, k.conname from pg_constraint k join pg_class c on c.oid = k.conrelid
where k.contype = 'f' and not k.condeferrable and c.relnamespace = current_schema()::regnamespace`

/** Runs `work`, which fills tables, without triggers and with deferred references. `db`: a transaction. */
export async function withoutTriggers(db: Db, work: () => Promise<void>): Promise<void> {
  const triggered = (await db.query(TRIGGERED)).rows.map(([table]) => quote(String(table)))
  const references = (await db.query(REFERENCES)).rows.map((row) => row.map((name) => quote(String(name))))
  for (const table of triggered) await db.query(`alter table ${table} disable trigger user`)
  for (const [table, name] of references)
    await db.query(`alter table ${table} alter constraint ${name} deferrable`)
  await db.query('set constraints all deferred')
  await work()
  await db.query('set constraints all immediate')
  for (const [table, name] of references)
    await db.query(`alter table ${table} alter constraint ${name} not deferrable`)
  for (const table of triggered) await db.query(`alter table ${table} enable trigger user`)
}
