import { sql } from 'kysely'
import type { Catalog } from '../../engine/collections/catalog.ts'
import type { Collection } from '../../engine/collections/collection.ts'
import { isInsertionOrdered } from '../../engine/collections/own-indexes.ts'
import { toColumnName } from '../../engine/collections/sql-names.ts'
import { copyFiles } from '../../engine/files/copy-files.ts'
import type { FileOwner } from '../../engine/files/storage-limit.ts'
import { executeStatement } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Person, Place, Texts } from '../base/personal-data.ts'
import { endTableExport, exportRow, PAGE_ROWS, type Written } from './export-files.ts'
import { type ExportedRow, listNamedIds } from './export-page.ts'
import { loadNames } from './page-names.ts'
import { listShownColumns } from './personal-account-tables.ts'
import { type AllPersonalData, sortForReaders } from './personal-tables.ts'
import { selectPersonTexts } from './texts-of-person.ts'

/**
 * The places that an export of one person shows. Of records that are about the person alone it shows all
 * fields, also those that superusers added.
 */
export const listExportedPlaces = (catalog: Catalog, { places }: AllPersonalData): Place[] =>
  sortForReaders(places.filter(({ shown }) => shown.length > 0)).map((place) => {
    const collection = place.isShared ? undefined : catalog.find(place.table)
    if (!collection) return place
    const columns = listShownColumns(collection)
    const own = place.onPage.length === 0 ? [] : listAddedColumns(catalog, collection, columns)
    return {
      ...place,
      shown: [...new Set([...place.shown, ...columns])],
      onPage: [...place.onPage, ...own],
    }
  })

/** Lists the columns of a built-in collection that superusers added. */
function listAddedColumns(
  { builtIn }: Catalog,
  { id }: Collection,
  columns: readonly string[],
): string[] {
  const fields = builtIn.raw.get(id)?.fields ?? []
  const known = new Set(fields.map(({ name }) => toColumnName(name)))
  return columns.filter((column) => !known.has(column))
}

/** Texts whose rows one portion writes. */
const TEXTS = 500
/** Maximum copies of files of texts. */
const MAX_FILES = 500

export interface Exporting {
  readonly request: string
  readonly person: Person
  readonly places: readonly Place[]
  /** The account, which the files count for. */
  readonly owner: FileOwner
}

/** The position that an export has reached. */
export interface ExportAt {
  readonly place: number
  /** The last key of the place, or the `_rowid` of the last text of a place of texts. */
  readonly after?: string | undefined
  /** Rows of each place so far. */
  readonly counts: Readonly<Record<string, number>>
  /** The person's texts at the start, and those that were read for the present place. */
  readonly texts: number
  readonly read: number
  /** Names of copied files. */
  readonly copied: readonly string[]
}

export const FIRST_PORTION: ExportAt = { place: 0, counts: {}, texts: 0, read: 0, copied: [] }

export const computeExportShare = (
  { places }: Exporting,
  { place, texts, read }: ExportAt,
): number => (place + Math.min(1, read / Math.max(1, texts))) / places.length

/** Writes the rows of some texts, or some rows of another place. Returns the position after them. */
export function exportPortion(
  db: Db,
  exporting: Exporting,
  written: Written,
  at: ExportAt,
): Promise<ExportAt> {
  const place = exporting.places[at.place]!
  const write = place.phase === 'texts' ? exportTexts : exportRows
  return write(db, exporting, written, at, place)
}

type ExportPlace = (
  db: Db,
  exporting: Exporting,
  written: Written,
  at: ExportAt,
  place: Place,
) => Promise<ExportAt>

const exportTexts: ExportPlace = async (db, exporting, written, at, place) => {
  const found = await selectPersonTexts(db, exporting.person, Number(at.after ?? 0), TEXTS)
  const ids = found.map(({ id }) => id)
  const copies =
    place.table === '_files' ? await copyAttachments(db, exporting, ids, at.copied.length) : []
  const texts = sql<string[]>`${ids}::text[]`
  let now: ExportAt = { ...at, read: at.read + ids.length, copied: [...at.copied, ...copies] }
  let after: string | undefined
  do {
    const page = await loadPersonalRows(db, place, exporting.person, texts, after)
    now = await writeRows(db, exporting, written, now, page.rows, copies)
    after = page.next
  } while (after !== undefined)
  if (found.length < TEXTS) return moveToNextPlace(written, place, now)
  return { ...now, after: String(found.at(-1)!.at) }
}

const NO_TEXTS: Texts = sql`'{}'::text[]`

const exportRows: ExportPlace = async (db, exporting, written, at, place) => {
  const { rows, next } = await loadPersonalRows(db, place, exporting.person, NO_TEXTS, at.after)
  const now = await writeRows(db, exporting, written, at, rows, [])
  return next === undefined ? moveToNextPlace(written, place, now) : { ...now, after: next }
}

async function writeRows(
  db: Db,
  { person, places }: Exporting,
  written: Written,
  at: ExportAt,
  rows: readonly string[],
  copies: readonly string[],
): Promise<ExportAt> {
  const place = places[at.place]!
  const { [place.table]: start = 0, ...others } = at.counts
  const isFirst = Object.keys(others).length === 0
  const onPage = place.onPage.length === 0 ? [] : rows.slice(0, Math.max(0, PAGE_ROWS - start))
  const values: ExportedRow[] = onPage.map((row) => JSON.parse(row))
  const names = await loadNames(db, person.user, listNamedIds(place, values))
  for (const [index, row] of rows.entries()) {
    const before = start + index
    const shown = { before, isFirst, values: values[index], copies, names }
    await exportRow(written, place, row, shown)
  }
  if (rows.length === 0) return at
  return { ...at, counts: { ...at.counts, [place.table]: start + rows.length } }
}

async function moveToNextPlace(written: Written, place: Place, at: ExportAt): Promise<ExportAt> {
  await endTableExport(written, place, at.counts[place.table] ?? 0)
  return { ...at, place: at.place + 1, after: undefined, read: 0 }
}

const copyAttachments = (
  db: Db,
  { request }: Exporting,
  texts: readonly string[],
  copied: number,
) =>
  copied >= MAX_FILES
    ? []
    : copyFiles(
        db,
        { collection: 'sms_messages', records: texts },
        { collection: 'person_requests', record: request },
        MAX_FILES - copied,
      )

/** Rows that are in memory at a time, and their bytes: at least one row, of whatever size. */
const PAGE = 500
const PAGE_BYTES = 4 << 20

/** Rows of a place, as JSON objects of the columns that an shows. */
interface RowsOfPlace {
  readonly rows: readonly string[]
  /** The key of the last row; undefined without further rows. */
  readonly next: string | undefined
}

/**
 * Reads the next rows of a person in a place, in the order of its key. `texts`: of these texts only. The
 * order is spelled like the index that has it.
 */
export async function loadPersonalRows(
  db: Db,
  { table, shown, key, rows }: Place,
  person: Person,
  texts: Texts,
  after: string | undefined,
): Promise<RowsOfPlace> {
  const columns = sql.join(shown.map((column) => sql.ref(`t.${column}`)))
  const order = isInsertionOrdered(table) ? sql`nulls first` : sql``
  const page = await executeStatement(
    db,
    sql<{ key: string; row: string; rows: number }>`with found as (
      select ${sql.ref(`t.${key}`)} as at, ${sql.ref(`t.${key}`)}::text as key, row_to_json(s)::text as row
      from ${sql.table(table)} t cross join lateral (select ${columns}) s
      where ${rows(person, texts)}
        and ${after === undefined ? sql`true` : sql`${sql.ref(`t.${key}`)} > ${after}`}
      order by 1 ${order} limit ${sql.lit(PAGE)}
    ), measured as (
      select key, row, octet_length(row) as size, sum(octet_length(row)) over (order by at) as upto,
        count(*) over () as rows
      from found
    )
    select key, row, rows from measured where upto <= ${sql.lit(PAGE_BYTES)} or upto = size order by upto`,
  )
  const isLast = page.length < PAGE && page.length === Number(page[0]?.rows ?? 0)
  return { rows: page.map(({ row }) => row), next: isLast ? undefined : page.at(-1)!.key }
}
