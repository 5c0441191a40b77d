import Papa from 'papaparse'
import { locale } from '../../language/language.ts'

/** A byte order mark. It makes spreadsheet programs read the file as UTF-8. */
export const CSV_MARK = '\ufeff'

/** The column separator in CSV files of a locale: a semicolon if it writes decimals with a comma. */
export const separatorOf = (of: string): string =>
  new Intl.NumberFormat(of).format(1.5).includes(',') ? ';' : ','

const delimiter = separatorOf(locale)

export const csvLines = (rows: readonly (readonly unknown[])[]): string =>
  rows.length === 0 ? '' : `${Papa.unparse(rows as unknown[][], { delimiter })}\r\n`
