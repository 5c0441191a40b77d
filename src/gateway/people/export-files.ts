import { escapeHtml } from '../../engine/auth/mail-html.ts'
import {
  continueStoredFile,
  type GrowingFile,
  startStoredFile,
} from '../../engine/files/append-to-file.ts'
import type { FileOwner } from '../../engine/files/storage-limit.ts'
import type { FilePlace } from '../../engine/files/stored-files.ts'
import { makeStoredName } from '../../engine/files/stored-name.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Place } from '../base/personal-data.ts'

const STYLE = `
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #16161a; font: 15px/1.5 system-ui, sans-serif }
h2 { margin-top: 2.5rem }
table { width: 100%; border-collapse: collapse; font-size: 14px }
th, td { padding: 6px 10px; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; overflow-wrap: anywhere }
td { white-space: pre-wrap }`

/** The beginning of the page that a person can read. */
const renderPageHead = (of: string, account: string, at: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Data of ${escapeHtml(of)}</title>
<style>${STYLE}
</style>
</head>
<body>
<h1>Data of ${escapeHtml(of)}</h1>
<p>Stored by ${escapeHtml(account)}, as of ${escapeHtml(at)}. Times are in UTC.</p>
`

/** The beginning of a place: its heading, and the names of its columns. */
const renderTableHead = (
  title: string,
  columns: readonly string[],
): string => `<h2>${escapeHtml(title)}</h2>
<table>
<thead><tr>${columns.map((column) => `<th>${escapeHtml(column.replaceAll('_', ' '))}</th>`).join('')}</tr></thead>
<tbody>
`

/** A row of a place. A value that is the name of a copied file becomes a link to the copy beside the page. */
const renderTableRow = (
  row: Readonly<Record<string, unknown>>,
  copies: readonly string[],
): string =>
  `<tr>${Object.values(row)
    .map((value) => `<td>${renderCell(value, copies.includes(value as string))}</td>`)
    .join('')}</tr>\n`

function renderCell(value: unknown, isLink: boolean): string {
  const text = escapeHtml(formatCellValue(value))
  return isLink
    ? `<a href="${encodeURI(formatCellValue(value)).replaceAll('"', '%22')}">${text}</a>`
    : text
}

function formatCellValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const PLACE_END = '</tbody>\n</table>\n'
/** Says how many rows of the place only the JSON has. */
const renderMoreRows = (rows: number): string => `<p>${rows} more rows are in the JSON file.</p>\n`
const PAGE_END = '</body>\n</html>\n'

/** Rows of a place on the readable page, which a browser can still show. The JSON has all. */
const PAGE_ROWS = 10_000

/** The readable page and the JSON of an export, which are written row by row. */
export interface Written {
  readonly json: GrowingFile
  readonly page: GrowingFile
}

type RecordPlace = Omit<FilePlace, 'name'>

/** Begins JSON and page of a record. Returns their names, too. */
export async function beginExport(
  db: Db,
  record: RecordPlace,
  head: { number: string; account: { id: string; name: string }; at: string },
  owner: FileOwner,
): Promise<{ files: readonly [string, string]; written: Written }> {
  const name = head.number === '' ? 'account' : 'person'
  const files = [makeStoredName(`${name}.json`, ''), makeStoredName(`${name}.html`, '')] as const
  const json = await startStoredFile(db, { ...record, name: files[0] }, 'application/json', owner)
  const page = await startStoredFile(
    db,
    { ...record, name: files[1] },
    'text/html; charset=utf-8',
    owner,
  )
  await json.add(`${JSON.stringify(head).slice(0, -1)},"places":{`)
  await page.add(renderPageHead(head.number || head.account.name, head.account.name, head.at))
  return { files, written: { json, page } }
}

export const continueExport = async (
  db: Db,
  record: RecordPlace,
  [json, page]: readonly [string, string],
  owner: FileOwner,
): Promise<Written> => ({
  json: await continueStoredFile(db, { ...record, name: json }, owner),
  page: await continueStoredFile(db, { ...record, name: page }, owner),
})

/** Ends the slice of a transaction; `isDone`: the last one. Throws FilesFull. */
export async function endExport({ json, page }: Written, isDone: boolean): Promise<void> {
  if (isDone) {
    await json.add('}}')
    await page.add(PAGE_END)
  }
  await json.end(isDone)
  await page.end(isDone)
}

/**
 * Writes a row of a place after `before` others. `isFirst`: no place before this one has rows. `copies`: the
 * names of files to which the page can link.
 */
export async function exportRow(
  { json, page }: Written,
  place: Place,
  row: string,
  { before, isFirst, copies }: { before: number; isFirst: boolean; copies: readonly string[] },
): Promise<void> {
  if (before === 0) {
    await json.add(`${isFirst ? '' : ','}"${place.table}":[`)
    await page.add(renderTableHead(place.title, place.shown))
  }
  await json.add(before === 0 ? row : `,${row}`)
  if (before < PAGE_ROWS) await page.add(renderTableRow(JSON.parse(row), copies))
}

export async function endTableExport({ json, page }: Written, rows: number): Promise<void> {
  if (rows === 0) return
  await json.add(']')
  await page.add(PLACE_END)
  if (rows > PAGE_ROWS) await page.add(renderMoreRows(rows - PAGE_ROWS))
}
