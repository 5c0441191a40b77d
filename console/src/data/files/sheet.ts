import { isNumberCell } from '#portable/phone/numbers-in-cell.ts'
import { makeTable, readCsvCells, type SheetRow } from '#portable/read-csv.ts'
import { t } from '../../language/words.ts'
import { CSV_MARK, writeCsvLines } from './csv.ts'

export interface Sheet {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** The line of the file on which each of `rows` begins, counted from 1. */
  readonly lines: readonly number[]
  /** The lines of rows with a filled cell behind the last title of a CSV file. */
  readonly long?: ReadonlySet<number>
}

export interface BadRow {
  readonly row: number
  readonly cells: readonly string[]
  readonly why: string
}

/**
 * Reads CSV with any separator. The first row has titles unless a cell in it has a phone number. Throws an
 * Error for the user if a quotation mark is misplaced.
 */
export function readSheet(file: string): Sheet {
  const { rows, misquoted } = readCsvCells(file)
  if (misquoted)
    throw new Error(
      t('Line {line}: a quotation mark is missing or misplaced.', { line: misquoted }),
    )
  return makeSheet(rows, { isCsv: true })
}

/** Makes a sheet of rows with their lines in the file. */
export function makeSheet(all: readonly SheetRow[], kind = { isCsv: false }): Sheet {
  const { head, rows } = makeTable(
    all,
    (first) => !first.some((cell) => isNumberCell(cell)),
    (number) => t('Column {number}', { number }),
    kind,
  )
  return {
    head,
    rows: rows.map(({ cells }) => cells),
    lines: rows.map(({ line }) => line),
    long: new Set(rows.flatMap(({ line, isLong }) => (isLong ? [line] : []))),
  }
}

/** Why a row of a CSV file with more cells than titles is left out; '' for other rows. */
export const findRowFault = ({ long }: Sheet, line: number): string =>
  long?.has(line)
    ? t('More cells than titles: put a text with the separator in quotation marks')
    : ''

/** The rows that were left out, in the order of the file: bad ones, and those that the server refused. */
export function joinBadRows(
  { rows, lines }: Sheet,
  bad: readonly BadRow[],
  refused: readonly { readonly row: number; readonly why: string }[],
): readonly BadRow[] {
  const byLine = new Map(lines.map((line, at) => [line, rows[at]!]))
  return [
    ...bad,
    ...refused.map(({ row, why }) => ({ row, why, cells: byLine.get(row) ?? [] })),
  ].sort((a, b) => a.row - b.row)
}

/** A CSV file of the rows that an import left out, with the reasons, to correct and import again. */
export const writeBadRowsCsv = ({ head }: Pick<Sheet, 'head'>, bad: readonly BadRow[]): string =>
  CSV_MARK +
  writeCsvLines([
    [...head, t('Row'), t('What is wrong')],
    ...bad.map(({ row, cells, why }) => [...head.map((_, at) => cells[at] ?? ''), row, why]),
  ])
