import { UserError } from '../../platform/api-errors.ts'
import { readCsvCells } from '../../portable/read-csv.ts'

/** A row of a CSV file: its values by column name, and the line on which it begins. */
export interface CsvRow {
  readonly line: number
  readonly values: Readonly<Record<string, string>>
}

/** Reads CSV with a header, as the console does. UserError for a faulty file. */
export function readCsv(text: string): CsvRow[] {
  const { rows: all, misquoted } = readCsvCells(text)
  if (misquoted) throw new UserError(`Line ${misquoted}: a quotation mark is missing or misplaced.`)
  const [head, ...rows] = all
  if (!head) throw new UserError('The file is empty.')
  const names = head.cells.map((name) => name.trim())
  if (new Set(names).size < names.length)
    throw new UserError('Two columns of the file have one name.')
  return rows.map(({ line, cells }) => {
    if (cells.length !== names.length)
      throw new UserError(`Line ${line} has ${cells.length} cells, the head has ${names.length}.`)
    return { line, values: Object.fromEntries(names.map((name, i) => [name, cells[i]!])) }
  })
}
