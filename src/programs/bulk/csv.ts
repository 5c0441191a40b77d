import { UserError } from '../../platform/api-errors.ts'
import { makeTable, readCsvCells } from '../../portable/read-csv.ts'

/** A row of a CSV file: its values by column name, and the line on which it begins. */
export interface CsvRow {
  readonly line: number
  /** It has a filled cell behind the last title. */
  readonly isLong: boolean
  readonly values: Readonly<Record<string, string>>
}

/**
 * Reads CSV with a head, as the console does: a column without a name is `Column 3`. UserError for a faulty
 * file.
 */
export function readCsv(text: string): CsvRow[] {
  const { rows: all, misquoted } = readCsvCells(text)
  if (misquoted) throw new UserError(`Line ${misquoted}: a quotation mark is missing or misplaced.`)
  const { head, rows } = makeTable(
    all,
    () => true,
    (number) => `Column ${number}`,
    { isCsv: true },
  )
  if (head.length === 0) throw new UserError('The file is empty.')
  if (new Set(head).size < head.length)
    throw new UserError('Two columns of the file have one name.')
  return rows.map(({ cells, ...row }) => ({
    ...row,
    values: Object.fromEntries(head.map((name, at) => [name, cells[at]!])),
  }))
}
