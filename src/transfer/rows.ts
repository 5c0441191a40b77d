import { quote } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import type { Table } from './tables.ts'

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
