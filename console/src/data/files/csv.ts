import { type Separator, writeCsvLine } from '#portable/write-csv.ts'
import { locale } from '../../language/language.ts'

/** A byte order mark. It makes spreadsheet programs read the file as UTF-8. */
export const CSV_MARK = '\ufeff'

/** The separator of columns in CSV: a semicolon in locales with decimal commas, otherwise a comma. */
export const findSeparator = (of: string): Separator =>
  new Intl.NumberFormat(of).format(1.5).includes(',') ? ';' : ','

const separator = findSeparator(locale)

/** Lines of a CSV file in which no cell is a formula. */
export const writeCsvLines = (rows: readonly (readonly unknown[])[]): string =>
  rows.map((row) => writeCsvLine(row, separator)).join('')
