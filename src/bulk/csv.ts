import { UserError } from '../errors.ts'
import { withoutSeparatorLine } from '../portable/separator-line.ts'

/** A row of a CSV file: its values by column name, and the line on which it begins. */
export interface CsvRow {
  readonly line: number
  readonly values: Readonly<Record<string, string>>
}

const SEPARATORS = [',', ';', '\t']

/**
 * Reads CSV (RFC 4180) with a header, separated by comma, semicolon or tab, or as a first line `sep=;` says.
 * UserError for a faulty file.
 */
export function readCsv(text: string): CsvRow[] {
  const [head, ...rows] = readCells(text)
  if (!head) throw new UserError('The file is empty.')
  const names = head.cells.map((name) => name.trim())
  if (new Set(names).size < names.length) throw new UserError('Two columns of the file have one name.')
  return rows.map(({ line, cells }) => {
    if (cells.length !== names.length)
      throw new UserError(`Line ${line} has ${cells.length} cells, the head has ${names.length}.`)
    return { line, values: Object.fromEntries(names.map((name, i) => [name, cells[i]!])) }
  })
}

function readCells(file: string) {
  const { text, separator: named } = withoutSeparatorLine(file)
  const [head = ''] = text.split(/[\r\n]/, 1)
  const cellsIn = (separator: string) => head.split(separator).length
  const separator = named ?? SEPARATORS.reduce((most, one) => (cellsIn(one) > cellsIn(most) ? one : most))
  // a cell (quoted, with "" for a quotation mark, or bare), and the separator or line end after it
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"|([^"${separator}\\r\\n]*))([${separator}]|\\r\\n|\\n|\\r|$)`,
    'y',
  )
  const rows: { line: number; cells: string[] }[] = []
  let line = named ? 2 : 1
  for (let first = line, cells: string[] = []; cell.lastIndex < text.length || cells.length > 0; ) {
    const found = cell.exec(text)
    if (!found) throw new UserError(`Line ${line}: a quotation mark is missing or misplaced.`)
    const [all, quoted, bare = '', end] = found
    cells.push(quoted?.replaceAll('""', '"') ?? bare)
    line += all.match(/\r\n|\n|\r/g)?.length ?? 0
    if (end === separator) continue
    if (cells.length > 1 || cells[0] !== '') rows.push({ line: first, cells })
    cells = []
    first = line
  }
  return rows
}
