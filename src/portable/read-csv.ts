import Papa from 'papaparse'

/** A row of a CSV file, and the line of the file on which it begins, counted from 1. */
export interface CsvCells {
  readonly line: number
  readonly cells: readonly string[]
}

const SEPARATORS = [',', ';', '\t', '|']

/** The separator that the first line has most. Papaparse's own guess takes `a;b` and `1;2,5` for commas. */
function guessSeparator(text: string): string {
  const [head = ''] = text.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/, 1)
  const count = (separator: string) => head.split(separator).length
  return SEPARATORS.reduce((most, one) => (count(one) > count(most) ? one : most))
}

/**
 * Reads CSV (RFC 4180), separated as a first line `sep=;` says, otherwise by comma, semicolon, tab or bar.
 * Leaves rows out whose cells are all blank. `misquoted`: the line of a cell whose quotation mark does not
 * end with the cell, so that other rows may be in it.
 */
export function readCsvCells(file: string): { rows: CsvCells[]; misquoted: number | undefined } {
  const { text, separator } = dropSeparatorLine(file)
  const rows: CsvCells[] = []
  let misquoted: number | undefined
  let [line, from] = [separator ? 2 : 1, 0]
  Papa.parse<string[]>(text, {
    delimiter: separator ?? guessSeparator(text),
    step: ({ data, errors, meta }) => {
      if (data.some((cell) => cell.trim() !== '')) rows.push({ line, cells: data })
      if (errors.some(({ type }) => type === 'Quotes')) misquoted ??= line
      line += text.slice(from, meta.cursor).match(/\r\n|\n|\r/g)?.length ?? 0
      from = meta.cursor
    },
  })
  return { rows, misquoted }
}

/** The first line of a CSV file that names its separator for Excel, such as `sep=;`. */
const LINE = /^"?sep=([,;\t|])"?(?:\r\n|\n|\r|$)/i

/** Takes a byte order mark and a `sep=` line from the text of a CSV file. */
function dropSeparatorLine(text: string): { text: string; separator?: string } {
  const plain = text.startsWith('\ufeff') ? text.slice(1) : text
  const found = LINE.exec(plain)
  return found ? { text: plain.slice(found[0].length), separator: found[1]! } : { text: plain }
}
