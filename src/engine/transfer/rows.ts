import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import type { TransferTable } from './tables.ts'

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

export const joinSqlNames = (named: readonly { readonly name: string }[]) =>
  sql.join(named.map(({ name }) => sql.id(name)))

/** Computes a checksum of a table's rows, whatever the order of rows and columns. */
export async function digestTable(db: Db, { name, columns }: TransferTable) {
  const { rows } = await sql<{ rows: number; sum: string; longest: number }>`
    select count(*) as rows, coalesce(sum(hashtextextended(line, 0)), 0)::text as sum,
      coalesce(max(octet_length(line)), 0) as longest
    from (select row(${joinSqlNames(columns)})::text as line from ${sql.id(name)} offset 0) as lines`.execute(
    db,
  )
  return rows[0]!
}

/** Yields a table's rows as JSON texts, in batches that limit the memory. Sorted by a sequence, if any. */
export async function* readJsonLines(
  db: Db,
  table: TransferTable,
  { longest }: { readonly longest: number },
  batch: BatchSize,
) {
  const size = Math.min(batch.rows, Math.max(1, Math.floor(batch.bytes / Math.max(1, longest))))
  const texts = sql.join(table.columns.map(({ name }) => sql`${sql.id(name)}::text`))
  const numbered = table.columns.find(({ sequence }) => sequence !== null)
  const order = numbered ? sql`order by ${sql.id(numbered.name)}` : sql``
  await sql`declare transfer no scroll cursor for
    select to_json(array[${texts}]::text[])::text as line from ${sql.id(table.name)} ${order}`.execute(
    db,
  )
  for (;;) {
    const { rows } = await sql<{ line: string }>`fetch ${sql.lit(size)} from transfer`.execute(db)
    if (rows.length === 0) break
    yield rows.map(({ line }) => line)
  }
  await db.query('close transfer')
}

/** Writes rows into a table with these columns. `db`: a transaction after prepareTransfer. */
export async function writeRows(
  db: Db,
  { name, columns }: TransferTable,
  rows: readonly TransferRow[],
) {
  const values = columns.map((column) => sql`${sql.id('r', column.name)}::${sql.raw(column.type)}`)
  const lists = columns.map((_, i) => sql`${rows.map((row) => row[i])}::text[]`)
  await sql`insert into ${sql.id(name)} (${joinSqlNames(columns)}) overriding system value
    select ${sql.join(values)} from unnest(${sql.join(lists)}) as r(${joinSqlNames(columns)})`.execute(
    db,
  )
}
