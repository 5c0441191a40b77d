import { readFileSync } from 'node:fs'
import { readExcel } from '../../console/src/data/files/excel.ts'
import { planImport } from '../../console/src/pages/contacts/import-plan.ts'
import { guessColumns } from '../../src/portable/phone/guess-columns.ts'
import { makeGoogleSheet } from './files/sheets/google-sheets.ts'

const read = (name: string): ArrayBuffer =>
  new Uint8Array(readFileSync(new URL(`files/sheets/${name}`, import.meta.url))).buffer

const HEAD = ['Name', 'Handy', 'Start', 'Tag', 'Termin', 'Dauer', 'Preis', 'Anteil', 'Nr', 'Betrag']
const ANNE = 'Änne <Test> & "Söhne"'
const ROWS = [
  [
    'Jörg Müller',
    '+49 151 12345678',
    '19:30',
    '30.11.2026',
    '30.11.2026 19:30',
    '36:05',
    '19.9',
    '50%',
    '0007',
    '1,234.50 €',
  ],
  [
    ANNE,
    '4915112345679',
    '0:05',
    '29.02.2028',
    '01.01.2027 00:00',
    '0:45',
    '0.3',
    '125%',
    '0123',
    '-0.50 €',
  ],
]
const PHONES = ['+4915112345678', '+4915112345679']

test.each<[string, ArrayBuffer]>([
  ['openpyxl', read('openpyxl.xlsx')],
  ['Excel', read('excel.xlsx')],
  ['Excel with days from 1904', read('excel-1904.xlsx')],
  ['XlsxWriter with texts in their cells', read('excel-inline.xlsx')],
  ['Apache POI', read('poi.xlsx')],
  ['Apache POI, row by row', read('poi-stream.xlsx')],
  ['LibreOffice', read('libreoffice.xlsx')],
  ['Google Sheets', makeGoogleSheet()],
])('a sheet of %s is read as its cells show it, with all digits of numbers', async (_, file) => {
  const sheet = await readExcel(file)
  expect(sheet.head).toEqual(HEAD)
  expect(sheet.rows.slice(0, 2)).toEqual(ROWS)
  const { good } = planImport(sheet, guessColumns(sheet.head, sheet.rows, 'DE'), 'DE', [])
  expect(good.slice(0, 2).map(({ name, phone }) => `${name}: ${phone}`)).toEqual(
    ['Jörg Müller', ANNE].map((name, at) => `${name}: ${PHONES[at]}`),
  )
})

test('a number that Java writes without the zero at its end keeps it', async () => {
  for (const name of ['poi.xlsx', 'poi-stream.xlsx'])
    expect((await readExcel(read(name))).rows[2]?.slice(0, 7)).toEqual([
      ...['Ben', '4915112345670', '', '', '', '', '0.333333333'],
    ])
})

test("Excel's own formats and texts in several styles are read as they show", async () => {
  const shown = [
    ...['11/30/2026', '30-Nov-26', 'Nov-26', '7:30 PM', '19:30', '11/30/2026 19:30', '30:00'],
    '1112563:30:00',
  ]
  const [, , row] = (await readExcel(read('excel.xlsx'))).rows
  expect(row).toEqual(['Ben Bold Smith', '15112345670', ...shown])
  const [, , of1904] = (await readExcel(read('excel-1904.xlsx'))).rows
  expect(of1904?.slice(2, 4)).toEqual(['12/1/2030', '1-Dec-30'])
})

test.each([
  ['an .ods', 'libreoffice.ods', 'another spreadsheet program. Save it as .xlsx'],
  ['an .xls', 'libreoffice.xls', 'save it as .xlsx or as CSV'],
])('%s file of LibreOffice is refused with the way out', async (_, name, words) => {
  await expect(readExcel(read(name))).rejects.toThrow(words)
})
