import Papa from 'papaparse'
import { locale } from '../../language/language.ts'

/** A byte order mark. It makes spreadsheet programs read the file as UTF-8. */
export const CSV_MARK = '\ufeff'

/** The separator of columns in CSV: a semicolon in locales with decimal commas, otherwise a comma. */
export const findSeparator = (of: string): string =>
  new Intl.NumberFormat(of).format(1.5).includes(',') ? ';' : ','

const delimiter = findSeparator(locale)

export const writeCsvLines = (rows: readonly (readonly unknown[])[]): string =>
  rows.length === 0 ? '' : `${Papa.unparse(rows as unknown[][], { delimiter })}\r\n`
