import { removeFormulaGuard } from './write-csv.ts'

/** A row of a sheet, and the line of the file on which it begins, counted from 1. */
export interface SheetRow {
  readonly line: number
  readonly cells: readonly string[]
}

/** A row of a table. `isLong`: it has a filled cell behind the last title of its CSV file. */
export interface CsvTableRow extends SheetRow {
  readonly isLong: boolean
}

/** A sheet with as many cells in each row as `head` has names. */
export interface CsvTable {
  readonly head: readonly string[]
  readonly rows: readonly CsvTableRow[]
}

const isFilled = (cell: string): boolean => cell.trim() !== ''

/**
 * Makes a table of the rows of a sheet, with the first as its head if `hasHead` says so. Leaves out rows
 * whose cells are all blank, and columns that have neither a title nor a value. Fills short rows up with
 * empty cells. A long row adds columns, but not behind the titles of CSV, where a separator may lack its
 * quotation marks: its last cell gets the rest. `nameColumn` names a column without a title by its number,
 * from 1.
 */
export function makeTable(
  sheet: readonly SheetRow[],
  hasHead: (first: readonly string[]) => boolean,
  nameColumn: (number: number) => string,
  { isCsv }: { readonly isCsv: boolean },
): CsvTable {
  const all = sheet.filter(({ cells }) => cells.some(isFilled))
  const titles = all[0] && hasHead(all[0].cells) ? all[0].cells : undefined
  const width = isCsv && titles ? titles.length : Number.POSITIVE_INFINITY
  const filled = all.map((row) => joinRest(row, width))
  const isUsed: boolean[] = []
  for (const { cells } of filled)
    for (const [at, cell] of cells.entries()) isUsed[at] ||= isFilled(cell)
  const used = isUsed.flatMap((is, at) => (is ? [at] : []))
  return {
    head: used.map((at) => titles?.[at]?.trim() || nameColumn(at + 1)),
    rows: filled
      .slice(titles ? 1 : 0)
      .map(({ cells, ...row }) => ({ ...row, cells: used.map((at) => cells[at] ?? '') })),
  }
}

/** A row of at most `width` cells, of which the last has what is filled behind it. */
function joinRest({ line, cells }: SheetRow, width: number): CsvTableRow {
  const rest = cells.slice(width).flatMap((cell) => cell.trim() || [])
  if (rest.length === 0) return { line, cells: cells.slice(0, width), isLong: false }
  const last = [cells[width - 1]!, ...rest].join(', ')
  return { line, cells: [...cells.slice(0, width - 1), last], isLong: true }
}

/** Separators of cells, each with the pattern that ends a cell then. */
const CELL_ENDS: Readonly<Record<string, RegExp>> = {
  ',': /[,\r\n]/g,
  ';': /[;\r\n]/g,
  '\t': /[\t\r\n]/g,
  '|': /[|\r\n]/g,
}

/** How much of a file is looked at to guess its separator. */
const MAX_HEAD = 100_000

/** The separator that the first line has most. */
function guessSeparator(text: string): string {
  const [head = ''] = text
    .slice(0, MAX_HEAD)
    .replaceAll(/"[^"]*"/g, '')
    .split(/[\r\n]/, 1)
  const count = (separator: string) => head.split(separator).length
  return Object.keys(CELL_ENDS).reduce((most, one) => (count(one) > count(most) ? one : most))
}

/**
 * Reads CSV (RFC 4180), separated as a first line `sep=;` says, otherwise by comma, semicolon, tab or bar.
 * Blanks around a quoted cell are no part of it, nor are an export's apostrophes before formulas.
 * `misquoted`: the line of a row with a cell that begins with a quotation mark and does not end with it, so
 * that other rows may be in it; reading ends there.
 */
export function readCsvCells(file: string): { rows: SheetRow[]; misquoted: number | undefined } {
  const { text, separator: named } = dropSeparatorLine(file)
  const separator = named ?? guessSeparator(text)
  const rows: SheetRow[] = []
  let [line, at] = [named ? 2 : 1, 0]
  while (at < text.length) {
    const from = at
    const cells: string[] = []
    for (let isLast = false; !isLast; at++) {
      const cell = readCell(text, at, separator)
      if (!cell) return { rows, misquoted: line }
      cells.push(removeFormulaGuard(cell.text, separator === ';' ? ';' : ','))
      at = cell.end
      isLast = text[at] !== separator
    }
    if (text[at - 1] === '\r' && text[at] === '\n') at++
    rows.push({ line, cells })
    line += text.slice(from, at).match(LINE_ENDS)?.length ?? 0
  }
  return { rows, misquoted: undefined }
}

const LINE_ENDS = /\r\n|\n|\r/g

/** Reads the cell at `at`: its text, and the index of what ends it. undefined if it is misquoted. */
function readCell(text: string, at: number, separator: string) {
  const isEnd = (index: number) =>
    index >= text.length ||
    text[index] === separator ||
    text[index] === '\n' ||
    text[index] === '\r'
  const skipBlanks = (index: number) => {
    let next = index
    while (!isEnd(next) && isBlank(text[next]!)) next++
    return next
  }
  const begin = skipBlanks(at)
  if (text[begin] === '"') {
    const close = findClosingQuote(text, begin + 1)
    const end = skipBlanks(close + 1)
    if (close < text.length && isEnd(end))
      return { text: text.slice(begin + 1, close).replaceAll('""', '"'), end }
    if (begin === at) return undefined
  }
  const ends = CELL_ENDS[separator]!
  ends.lastIndex = begin
  const end = ends.exec(text)?.index ?? text.length
  return { text: text.slice(at, end), end }
}

const isBlank = (char: string) => char === ' ' || char === '\t' || char === '\u00a0'

/** The index of the quotation mark that ends a quoted cell; the length of the text if none does. */
function findClosingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
  return at === -1 ? text.length : at
}

/** The first line of a CSV file that names its separator for Excel, such as `sep=;`. */
const SEPARATOR_LINE = /^"?sep=([,;\t|])"?(?:\r\n|\n|\r|$)/i

/** Takes a byte order mark and a `sep=` line from the text of a CSV file. */
function dropSeparatorLine(text: string): { text: string; separator?: string } {
  const plain = text.startsWith('\ufeff') ? text.slice(1) : text
  const found = SEPARATOR_LINE.exec(plain)
  return found ? { text: plain.slice(found[0].length), separator: found[1]! } : { text: plain }
}
