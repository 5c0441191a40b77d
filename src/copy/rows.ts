import { quote } from '../collections/names.ts'
import type { Db } from '../db/open.ts'
import type { Table } from './tables.ts'

/** What is on its way at a time. Twice as much is no faster, on either backend. */
const BATCH_BYTES = 4_000_000
const BATCH_ROWS = 2_000

/** How every session writes values as text, so that the same value has one text on both sides and loses nothing. */
export const ONE_FORM = `
set local timezone = 'UTC'; set local datestyle = 'ISO'; set local intervalstyle = 'postgres';
set local extra_float_digits = 1; set local bytea_output = 'hex';
set local idle_in_transaction_session_timeout = 0`

/** What a table holds, told in a few figures. */
export interface Digest {
  readonly rows: number
  /** A sum over all rows' contents: no change of a value leaves it as it was. */
  readonly sum: string
  /** The longest row, in bytes of text. */
  readonly longest: number
}

/** Reads a table through. Equal contents have equal digests, in whatever order rows and columns are stored. */
export async function digestOf(db: Db, { name, columns }: Table): Promise<Digest> {
  const row = `row(${columns.map((column) => quote(column.name)).join(', ')})::text`
  const { rows } = await db.query(
    `select count(*), coalesce(sum(hashtextextended(line, 0)), 0)::text, coalesce(max(octet_length(line)), 0)
     from (select ${row} as line from ${quote(name)} offset 0) as lines`,
  )
  const [count, sum, longest] = rows[0]!
  return { rows: Number(count), sum: String(sum), longest: Number(longest) }
}

/**
 * Copies all rows of a table into the same table elsewhere, those that are numbered in that order, and has numbering go on
 * where it was. Both are transactions in ONE_FORM. Tells `told` how many rows are done. What is held in memory does
 * not grow with the table.
 */
export async function copyRows(
  from: Db,
  to: Db,
  table: Table,
  { longest }: Digest,
  told: (done: number) => void,
): Promise<void> {
  const insert = insertStatement(table)
  const size = Math.min(BATCH_ROWS, Math.max(1, Math.floor(BATCH_BYTES / Math.max(1, longest))))
  await from.query(`declare copied no scroll cursor for ${selectStatement(table)}`)
  for (let done = 0; ; ) {
    const { rows } = await from.query(`fetch ${size} from copied`)
    if (rows.length === 0) break
    await to.query(
      insert,
      table.columns.map((_, i) => rows.map((row) => row[i])),
    )
    done += rows.length
    told(done)
  }
  await from.query('close copied')
}

function selectStatement({ name, columns }: Table): string {
  const numbered = columns.find(({ sequence }) => sequence !== null)
  const order = numbered ? ` order by ${quote(numbered.name)}` : ''
  return `select ${columns.map((column) => `${quote(column.name)}::text`).join(', ')} from ${quote(name)}${order}`
}

/** One statement for any number of rows: a list of texts a column. */
function insertStatement({ name, columns }: Table): string {
  const names = columns.map((column) => quote(column.name)).join(', ')
  const values = columns.map(({ type }, i) => `r.c${i}::${type}`).join(', ')
  const lists = columns.map((_, i) => `$${i + 1}::text[]`).join(', ')
  const items = columns.map((_, i) => `c${i}`).join(', ')
  return `insert into ${quote(name)} (${names}) overriding system value
    select ${values} from unnest(${lists}) as r(${items})`
}

/** The next row of a copied table gets the number that it would have got at the source. */
export async function copyNumbering(from: Db, to: Db, source: Table, target: Table): Promise<void> {
  for (const [i, { sequence }] of source.columns.entries()) {
    const own = target.columns[i]?.sequence
    if (sequence === null || !own) continue
    const { rows } = await from.query(`select last_value, is_called from ${sequence}`)
    await to.query('select setval($1::text::regclass, $2, $3)', [own, ...rows[0]!])
  }
}
