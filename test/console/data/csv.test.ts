import { separatorOf } from '../../../console/src/data/files/csv.ts'
import { readSheet } from '../../../console/src/data/files/sheet.ts'

test.each([
  ['de', ';'],
  ['de-AT', ';'],
  ['en-GB', ','],
  // decimal points, as in the spreadsheets there
  ['de-CH', ','],
])('the columns of a file for %s are parted by %s', (locale, separator) => {
  expect(separatorOf(locale)).toBe(separator)
})

test.each([',', ';'])('an import reads columns that are parted by %s', (separator) => {
  const rows = [
    ['Name', 'Mobil', 'Ort'],
    ['Jörg', '0151 20000010', 'Köln'],
  ]
  const file = `\ufeff${rows.map((row) => row.join(separator)).join('\r\n')}\r\n`
  expect(readSheet(file)).toMatchObject({ head: rows[0], rows: [rows[1]] })
})
