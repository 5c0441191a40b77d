import Papa from 'papaparse'
import { locale } from '../../language/language.ts'

/** A spreadsheet takes a file for UTF-8 if it begins so. */
export const CSV_MARK = '\ufeff'

/** Spreadsheets take a semicolon between columns where a comma is the decimal sign. */
export const separatorOf = (of: string): string =>
  new Intl.NumberFormat(of).format(1.5).includes(',') ? ';' : ','

const delimiter = separatorOf(locale)

/** Rows as lines of CSV, as a spreadsheet of this browser's locale reads them. */
export const csvLines = (rows: readonly (readonly unknown[])[]): string =>
  rows.length === 0 ? '' : `${Papa.unparse(rows as unknown[][], { delimiter })}\r\n`
