import { strToU8, zipSync } from 'fflate'
import { findSeparator } from '../../../console/src/data/files/csv.ts'
import { isExcel, readExcel } from '../../../console/src/data/files/excel.ts'
import { readSheet } from '../../../console/src/data/files/sheet.ts'
import { xlsx } from '../xlsx.ts'

test.each([
  ['de', ';'],
  ['de-AT', ';'],
  ['en-GB', ','],
  // decimal points, as in the spreadsheets there
  ['de-CH', ','],
])('a file exported for %s separates columns by %s', (locale, separator) => {
  expect(findSeparator(locale)).toBe(separator)
})

test.each([',', ';'])('an import reads columns separated by %s', (separator) => {
  const rows = [
    ['Name', 'Mobil', 'Ort'],
    ['Jörg', '0151 20000010', 'Köln'],
  ]
  const file = `\ufeff${rows.map((row) => row.join(separator)).join('\r\n')}\r\n`
  expect(readSheet(file)).toMatchObject({ head: rows[0], rows: [rows[1]] })
})

test('a sep= line is not a row but counts in row numbers', () => {
  expect(readSheet('\ufeffsep=;\r\nName;Text\r\nAnna;"1,5"\r\n')).toEqual({
    head: ['Name', 'Text'],
    rows: [['Anna', '1,5']],
    lines: [3],
    long: new Set(),
  })
})

test('the first row is the header, even with a year, unless it contains a phone number', () => {
  expect(readSheet('Name,Umsatz 2026\nAnna,1').head).toEqual(['Name', 'Umsatz 2026'])
  expect(readSheet('Anna,0151 20000010\nBen,0151 20000011').lines).toEqual([1, 2])
})

test('an .xlsx file is read with all digits of its numbers', async () => {
  const file = xlsx([
    ['Name', 'Handy', 'City'],
    ['Ünal', '0151 20000010', 'Kiel'],
    ['Ben', 4915120000011, ''],
  ])
  expect(isExcel(file)).toBe(true)
  expect(await readExcel(file)).toEqual({
    head: ['Name', 'Handy', 'City'],
    rows: [
      ['Ünal', '0151 20000010', 'Kiel'],
      ['Ben', '4915120000011', ''],
    ],
    lines: [2, 3],
    long: new Set(),
  })
})

test('an .xlsx file of 20,000 rows is read', async () => {
  const rows = Array.from({ length: 20_000 }, (_, i) => [`Person ${i}`, 4915120000000 + i])
  const { rows: read } = await readExcel(xlsx([['Name', 'Handy'], ...rows]))
  expect(read.length).toBe(20_000)
  expect(read.at(-1)).toEqual(['Person 19999', '4915120019999'])
})

test.each([
  ['an old .xls file', [0xd0, 0xcf, 0x11, 0xe0, 0xa1], 'save it as .xlsx or as CSV'],
  ['a damaged file', [0x50, 0x4b, 0x03, 0x04, 1, 2], 'cannot be read'],
  ['another kind of zip archive', [...zipSync({ 'a.xml': strToU8('<a/>') })], 'cannot be read'],
])('%s is refused with the words "$2"', async (_, bytes, words) => {
  const file = new Uint8Array(bytes).buffer
  expect(isExcel(file)).toBe(true)
  await expect(readExcel(file)).rejects.toThrow(words)
})

test('a CSV file is not taken for Excel', () =>
  expect(isExcel(new TextEncoder().encode('Name,Phone').buffer)).toBe(false))
