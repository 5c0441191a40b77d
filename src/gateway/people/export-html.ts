import { escapeHtml } from '../../engine/auth/mail-html.ts'

const STYLE = `
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #16161a; font: 15px/1.5 system-ui, sans-serif }
h2 { margin-top: 2.5rem }
table { width: 100%; border-collapse: collapse; font-size: 14px }
th, td { padding: 6px 10px; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; overflow-wrap: anywhere }
td { white-space: pre-wrap }`

/** The beginning of the page that a person can read. */
export const renderPageHead = (of: string, account: string, at: string): string => `<!doctype html>
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
export const renderTableHead = (
  title: string,
  columns: readonly string[],
): string => `<h2>${escapeHtml(title)}</h2>
<table>
<thead><tr>${columns.map((column) => `<th>${escapeHtml(column.replaceAll('_', ' '))}</th>`).join('')}</tr></thead>
<tbody>
`

/** A row of a place. A value that is the name of a copied file becomes a link to the copy beside the page. */
export const renderTableRow = (
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

export const PLACE_END = '</tbody>\n</table>\n'
/** Says how many rows of the place only the JSON has. */
export const renderMoreRows = (rows: number): string =>
  `<p>${rows} more rows are in the JSON file.</p>\n`
export const PAGE_END = '</body>\n</html>\n'
