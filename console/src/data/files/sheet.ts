import Papa from 'papaparse'
import { t } from '../../language/words.ts'
import { looksLikePhone } from '../phone/looks-like-phone.ts'
import { CSV_MARK, csvLines } from './csv.ts'

export interface Sheet {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** The row number of `rows[0]` in the file, counted from 1. */
  readonly first: number
}

export interface BadRow {
  readonly row: number
  readonly cells: readonly string[]
  readonly why: string
}

/** The indexes of the columns with names and with phone numbers; -1 for a missing column. */
export interface Columns {
  readonly name: number
  readonly phone: number
}

const NAME = /name|kontakt|contact|nom/i
const PHONE = /phone|mobile|number|tel|handy|nummer|msisdn|cell/i

/** Reads CSV with any separator. The first row has titles unless a cell in it has 4 consecutive digits. */
export function readSheet(text: string): Sheet {
  return sheetOf(Papa.parse<string[]>(text.replace(/^\ufeff/, ''), { skipEmptyLines: 'greedy' }).data)
}

export function sheetOf(rows: readonly (readonly string[])[]): Sheet {
  const data = rows.filter((row) => row.some((cell) => cell.trim() !== ''))
  const [first = []] = data
  const hasHead = !first.some((cell) => /\d{4}/.test(cell))
  const width = Math.max(0, ...data.map((row) => row.length))
  const head = Array.from(
    { length: width },
    (_, at) => (hasHead && first[at]?.trim()) || t('Column {number}', { number: at + 1 }),
  )
  return { head, rows: hasHead ? data.slice(1) : data, first: hasHead ? 2 : 1 }
}

/** Guesses from titles and cells which columns contain names and phone numbers. */
export function guessColumns({ head, rows }: Sheet): Columns {
  const named = head.findIndex((title) => PHONE.test(title))
  const looks = head.findIndex((_, at) => rows.slice(0, 20).some((row) => looksLikePhone(row[at] ?? '')))
  const phone = named >= 0 ? named : Math.max(looks, 0)
  const name = head.findIndex((title, at) => at !== phone && NAME.test(title))
  return { phone, name: name >= 0 ? name : head.findIndex((_, at) => at !== phone) }
}

/** A CSV file of the rows that an import left out, with the reasons, to correct and import again. */
export const badRowsCsv = (sheet: Sheet, bad: readonly BadRow[]): string =>
  CSV_MARK +
  csvLines([
    [...sheet.head, t('Row'), t('What is wrong')],
    ...bad.map(({ row, cells, why }) => [...sheet.head.map((_, at) => cells[at] ?? ''), row, why]),
  ])
