import { strFromU8, unzipSync } from 'fflate'
import { setAccountLocale } from '../../../console/src/data/account-locale.ts'
import { readExcel } from '../../../console/src/data/files/excel.ts'
import { readXlsx } from '../../../console/src/data/files/read-xlsx.ts'
import { UNKNOWN_LOCALE } from '../../../src/portable/account-locale.ts'
import { isNumberCell } from '../../../src/portable/phone/numbers-in-cell.ts'
import { readTypedPhone } from '../../../src/portable/phone/read-typed-phone.ts'
import { relationships, xlsx, xlsxParts, zipParts } from '../xlsx.ts'

type Parts = Readonly<Record<string, string>>

const HEAD = '<row><c t="inlineStr"><is><t>Head</t></is></c></row>'

/** How a number with a format is read. */
async function show(value: string, code: string, { locale = 'en', is1904 = false } = {}) {
  const cell = `${HEAD}<row><c s="0"><v>${value}</v></c></row>`
  const file = new Uint8Array(zipParts(xlsxParts(cell, { styles: [code], is1904 })))
  return readXlsx(file, { locale, onSize: () => {} }).at(-1)!.cells[0]
}

test.each<[value: string, code: string, shown: string, german?: string]>([
  // times, days and spans
  ['0.8125', 'h:mm', '19:30'],
  ['0.8125', 'hh:mm:ss', '19:30:00'],
  ['0.8125', 'h:mm AM/PM', '7:30 PM'],
  ['0.8125', '[$-F400]h:mm:ss AM/PM', '7:30:00 PM', '19:30:00'],
  ['0', 'h:mm', '0:00'],
  ['46356', 'dd.mm.yyyy', '30.11.2026'],
  ['46356', '[$-407]DD.MM.YYYY', '30.11.2026'],
  ['46356', '[$-407]d. mmmm yyyy;@', '30. November 2026'],
  ['46356', 'yyyy\\-mm\\-dd', '2026-11-30'],
  ['46356.8125', 'dd.mm.yyyy hh:mm', '30.11.2026 19:30'],
  ['46356.8125', 'yyyy-mm-dd"T"hh:mm', '2026-11-30T19:30'],
  ['46356.8125', 'm/d/yy h:mm', '11/30/26 19:30'],
  ['46356.8125', 'ddd, d mmm', 'Mon, 30 Nov', 'Mo, 30 Nov'],
  [
    '46356',
    '[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy',
    'Monday, November 30, 2026',
    'Montag, 30. November 2026',
  ],
  ['1.5', '[h]:mm', '36:00'],
  ['1.5', '[hh]:mm:ss;@', '36:00:00'],
  ['0.0625', '[mm]:ss', '90:00'],
  ['0.001', '[s]', '86'],
  ['0.8125', '[h]"h "mm"m"', '19h 30m'],
  // built-in formats by their ids
  ['46356.8125', 'id 14', '11/30/2026', '30.11.2026'],
  ['46356.8125', 'id 15', '30-Nov-26', '30. Nov 26'],
  ['46356.8125', 'id 16', '30-Nov', '30. Nov'],
  ['46356.8125', 'id 17', 'Nov-26', 'Nov 26'],
  ['46356.8125', 'id 18', '7:30 PM'],
  ['46356.8125', 'id 19', '7:30:00 PM'],
  ['46356.8125', 'id 20', '19:30'],
  ['46356.8125', 'id 21', '19:30:00'],
  ['46356.8125', 'id 22', '11/30/2026 19:30', '30.11.2026 19:30'],
  ['0.8125', 'id 45', '30:00'],
  ['1.8125', 'id 46', '43:30:00'],
  ['0.00001', 'id 47', '00:00.9', '00:00,9'],
  ['0.5', 'id 9', '50%'],
  ['0.125', 'id 10', '12.50%', '12,50%'],
  ['1234.5', 'id 4', '1,234.50', '1.234,50'],
  // numbers
  ['19.899999999999999', 'General', '19.9', '19,9'],
  ['19.899999999999999', '@', '19.9', '19,9'],
  ['0.30000000000000004', 'General', '0.3', '0,3'],
  ['100', 'General', '100'],
  ['-5', 'General', '-5'],
  ['0', 'General', '0'],
  ['0.5', '0%', '50%'],
  ['7', '0000', '0007'],
  ['1234.5', '#,##0.00', '1,234.50', '1.234,50'],
  ['12', '#,##0.00\\ [$€-407]', '12.00 €', '12,00 €'],
  ['12', '"$"#,##0.00', '$12.00', '$12,00'],
  [
    '12.5',
    '_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-;_-@_-',
    '12.50 €',
    '12,50 €',
  ],
  ['0.5', '# ?/?', '1/2'],
  ['3', '0 "Stück"', '3 Stück'],
  ['-3', '0;[Red]-0', '-3'],
  ['3', 'no [format', '3'],
  ['1234567.5', '#,##0.0,"k"', '1,234.6k', '1.234,6k'],
  // whole numbers of phones and customers
  ['4915112345678', 'General', '4915112345678'],
  ['4.915112345678E12', 'General', '4915112345678'],
  ['4915112345678', '@', '4915112345678'],
  ['4915112345678', '0', '4915112345678'],
  ['4915112345678', '0.00E+00', '4915112345678'],
  ['4915112345678', 'id 11', '4915112345678'],
  ['4915112345678', 'dd.mm.yyyy', '4915112345678'],
  ['4915112345678', '0,,"M"', '4915112345678'],
  ['4915112345678', ';;;', '4915112345678'],
  ['4915112345678', '"+"0', '+4915112345678'],
  ['15112345678', '000000000000', '015112345678'],
  [
    '4155552671',
    '[&lt;=9999999]###\\-####;\\(###\\)\\ ###\\-####'.replaceAll('&lt;', '<'),
    '(415) 555-2671',
  ],
  ['12345678901234567890', 'General', '12345678901234567890'],
])('the number %s with the format %s is read as %s', async (value, code, shown, german = shown) => {
  expect(await show(value, code)).toBe(shown)
  expect(await show(value, code, { locale: 'de' })).toBe(german)
})

test.each([
  ['44894', 'dd.mm.yyyy', '30.11.2026'],
  ['44894.8125', 'id 22', '11/30/2026 19:30'],
  ['0.8125', 'h:mm', '19:30'],
  ['1.5', '[h]:mm', '36:00'],
  ['44894', 'General', '44894'],
])('in a workbook of 1904 the number %s with the format %s is read as %s', async (...row) => {
  expect(await show(row[0], row[1], { is1904: true })).toBe(row[2])
})

test('grouped numbers of a column are read as phone numbers', async () => {
  for (const locale of ['en', 'de', 'fr', 'de-CH'])
    for (const code of ['#,##0', '#,##0.00', '0.00', '[$-407]#,##0', '"+"0']) {
      const cell = (await show('4915112345678', code, { locale }))!
      expect(isNumberCell(cell, 'DE'), cell).toBe(true)
      expect(readTypedPhone(cell, 'DE'), cell).toEqual({ phone: '+4915112345678' })
    }
})

const text = (words: string) => `<c t="inlineStr"><is>${words}</is></c>`
const TEXTS = [
  '<si><t>Name</t></si>',
  '<si><t>Phone</t></si>',
  '<si><r><t xml:space="preserve">Jörg </t></r><r><rPr><b/></rPr><t>Müller</t></r></si>',
  '<si><t>山田</t><rPh sb="0" eb="1"><t>ヤマダ</t></rPh><phoneticPr fontId="1"/></si>',
  '<si/>',
  '<si><t/></si>',
  '<si><t>two_x000D_\nlines _x005F_x0041_</t></si>',
  '<si><t><![CDATA[<b> & c]]></t></si>',
].join('')
const shared = (at: number) => `<c t="s"><v>${at}</v></c>`
const PEOPLE = `<row>${shared(0)}${shared(1)}</row><row>${text('<t>Ann</t>')}<c><v>4915112345678</v></c></row>`
const READ = { head: ['Name', 'Phone'], rows: [['Ann', '4915112345678']], lines: [2] }

const change = (parts: Parts, from: string | RegExp, to: string): Parts =>
  Object.fromEntries(Object.entries(parts).map(([path, xml]) => [path, xml.replaceAll(from, to)]))
const PLAIN = xlsxParts(PEOPLE, { texts: TEXTS })
const move = (parts: Parts, from: string, to: string): Parts =>
  Object.fromEntries(Object.entries(parts).map(([path, xml]) => [path.replace(from, to), xml]))

test.each<[string, Parts]>([
  ['rows and cells without addresses', PLAIN],
  [
    'addresses of rows alone',
    xlsxParts(PEOPLE.replace('<row>', '<row r="3">').replace('<row>', '<row r="7">'), {
      texts: TEXTS,
    }),
  ],
  [
    'addresses of some cells, with a gap before them',
    xlsxParts(
      `<row>${shared(0).replace('<c', '<c r="C1"')}${shared(1)}</row><row r="2"><c r="C2" t="inlineStr"><is><t>Ann</t></is></c><c><v>4915112345678</v></c></row>`,
      { texts: TEXTS },
    ),
  ],
  [
    'empty cells without a value',
    xlsxParts(PEOPLE.replace('</row>', '<c s="0"/><c t="s"/></row>'), { texts: TEXTS }),
  ],
  [
    'names with a prefix',
    change(
      change(PLAIN, /<(\/?)(?!\?)(?:(?!Relationship))(\w)/g, '<$1x:$2'),
      'xmlns="http://schemas.openxmlformats.org/spreadsheetml',
      'xmlns:x="http://schemas.openxmlformats.org/spreadsheetml',
    ),
  ],
  [
    'the namespaces of strict OOXML',
    change(
      change(
        PLAIN,
        'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
        'http://purl.oclc.org/ooxml/spreadsheetml/main',
      ),
      'http://schemas.openxmlformats.org/officeDocument/2006',
      'http://purl.oclc.org/ooxml/officeDocument',
    ),
  ],
  ['targets from the root', change(PLAIN, /Target="(?!\/)/g, 'Target="/xl/')],
  ['targets with dots', change(PLAIN, /Target="/g, 'Target="../xl/./')],
  ['targets with backslashes', change(PLAIN, 'worksheets/sheet1', 'worksheets\\sheet1')],
  [
    'another case of letters in its paths',
    move(move(PLAIN, 'sharedStrings', 'SharedStrings'), 'xl/work', 'XL/Work'),
  ],
  [
    'another place for its parts',
    {
      ...move(move(move(PLAIN, 'xl/', 'book/'), 'workbook.xml', 'main.xml'), 'x/', 'x/'),
      '_rels/.rels': relationships(['r1', 'officeDocument', 'book/main.xml']),
    },
  ],
  [
    'another prefix for relationships',
    change(change(PLAIN, 'xmlns:r=', 'xmlns:d3p1='), 'r:id=', 'd3p1:id='),
  ],
  [
    'a hidden sheet before it',
    change(
      change(
        { ...PLAIN, 'xl/worksheets/sheet9.xml': '<worksheet><sheetData/></worksheet>' },
        '<sheets>',
        '<sheets><sheet name="Lists" state="hidden" sheetId="9" r:id="rId9"/>',
      ),
      '</Relationships>',
      '<Relationship Id="rId9" Type="x/worksheet" Target="worksheets/sheet9.xml"/></Relationships>',
    ),
  ],
  [
    'no relationships',
    Object.fromEntries(
      Object.entries(
        xlsxParts(
          `<row>${text('<t>Name</t>')}${text('<t>Phone</t>')}</row><row>${text('<t>Ann</t>')}<c><v>4915112345678</v></c></row>`,
        ),
      ).filter(([path]) => !path.endsWith('.rels')),
    ),
  ],
  [
    'merged cells',
    change(PLAIN, '</sheetData>', '</sheetData><mergeCells><mergeCell ref="A2:A3"/></mergeCells>'),
  ],
])('a workbook with %s is read by the place of its cells', async (_, parts) => {
  const { head, rows } = await readExcel(zipParts(parts))
  expect({ head, rows }).toEqual({ head: READ.head, rows: READ.rows })
})

test.each<[value: string, code: string, problem: string | undefined]>([
  ['4.91512E+12', 'General', 'rounded'],
  ['4.91512E+12', '0', 'rounded'],
  ['4.91512E+12', '0.00E+00', 'rounded'],
  ['4.91512E+12', '#,##0', 'rounded'],
  ['1.7e+09', '@', 'rounded'],
  ['4.5E+07', 'General', 'rounded'],
  ['4.91512E12', 'General', 'rounded'],
  ['4.915112345678E+12', 'General', undefined],
  ['4.9151123456780003E+12', '0', undefined],
  ['4.91511234567E12', '0', undefined],
  ['4915112345670', 'General', undefined],
  ['4915120000000', 'General', undefined],
])('a number of a phone in a cell, %s as %s, is read as in a CSV: %s', async (...row) => {
  const [value, code, problem] = row
  expect(readTypedPhone((await show(value, code))!, 'DE').fault?.problem).toBe(problem)
})

test.each([
  ['DE', '46148', 'm/d/yyyy', '2026-05-06'],
  ['DE', '46148.8125', 'm/d/yyyy h:mm', '2026-05-06 19:30'],
  ['US', '46148', 'dd/mm/yyyy', '2026-05-06'],
  ['US', '46148', 'm/d/yyyy', '5/6/2026'],
  ['DE', '46148', 'dd/mm/yyyy', '06/05/2026'],
  ['', '46148', 'm/d/yyyy', '5/6/2026'],
  ['DE', '46148', 'd. mmmm yyyy', '6. May 2026'],
])('in the country "%s" the day %s as %s is read as %s', async (country, value, code, text) => {
  setAccountLocale({ ...UNKNOWN_LOCALE, country })
  expect(await show(value, code)).toBe(text)
  setAccountLocale(UNKNOWN_LOCALE)
})

test.each([
  ['1.5E+7', '#,##0 €', '15,000,000 €'],
  ['1.5E7', '#,##0', '15,000,000'],
  ['2E-05', '0.00000', '0.00002'],
  ['2.5E+05', '#,##0.00', '250,000.00'],
])('an amount that is stored as %s is shown as its cell does', async (value, code, shown) => {
  expect(await show(value, code)).toBe(shown)
})

test.each<[string, readonly (string | undefined)[], readonly number[]]>([
  ['all numbers', ['1', '4', '9'], [4, 9]],
  ['no numbers', [undefined, undefined, undefined], [2, 3]],
  ['some numbers', ['3', undefined, '9'], [4, 9]],
  ['empty numbers', ['', '', ''], [2, 3]],
  ['words for numbers', ['one', 'two', 'three'], [2, 3]],
])('rows that have %s are named by their places in the sheet', async (_, numbers, lines) => {
  const [titles, ann] = PEOPLE.split(/(?<=<\/row>)/) as [string, string]
  const rows = [titles, ann, ann].map((row, at) =>
    numbers[at] === undefined ? row : row.replace('<row', `<row r="${numbers[at]}"`),
  )
  const sheet = await readExcel(zipParts(xlsxParts(rows.join(''), { texts: TEXTS })))
  expect(sheet.lines).toEqual(lines)
})

test('a text is read with all its runs and escapes, without how it is pronounced', async () => {
  const cells = [2, 3, 4, 5, 6, 7].map(shared).join('')
  const parts = xlsxParts(`${HEAD}<row>${cells}${shared(0)}</row>`, { texts: TEXTS })
  const [row] = readXlsx(new Uint8Array(zipParts(parts)), { locale: 'en', onSize: () => {} }).slice(
    1,
  )
  expect(row!.cells).toEqual([
    'Jörg Müller',
    '山田',
    '',
    '',
    'two\nlines _x0041_',
    '<b> & c',
    'Name',
  ])
})

test.each([
  ['text in runs', text('<r><t>Jörg</t></r><r><t xml:space="preserve"> M.</t></r>'), 'Jörg M.'],
  ['text with how it is pronounced', text('<t>山田</t><rPh><t>ヤマダ</t></rPh>'), '山田'],
  ['formula with a text', '<c t="str"><f>A1&amp;"x"</f><v>ax</v></c>', 'ax'],
  ['formula with a number', '<c><f>1+1</f><v>2</v></c>', '2'],
  ['formula that was never computed', '<c><f>1+1</f></c>', ''],
  ['truth value', '<c t="b"><v>1</v></c>', 'TRUE'],
  ['error', '<c t="e"><v>#N/A</v></c>', '#N/A'],
  ['day of ISO 8601', '<c t="d" s="1"><v>2026-11-30T19:30:00</v></c>', '30.11.2026'],
  [
    'day of ISO 8601 without a format',
    '<c t="d"><v>2026-11-30T19:30:00</v></c>',
    '2026-11-30 19:30:00',
  ],
  ['text with a format for texts', '<c t="str" s="2"><v>7</v></c>', 'Room 7'],
  ['style that does not exist', '<c s="99"><v>7</v></c>', '7'],
  ['number with blanks around it', '<c><v> 7 </v></c>', '7'],
])('a cell of a %s is read as it shows', async (_, cell, shown) => {
  const styles = ['General', 'dd.mm.yyyy', '"Room "@']
  const parts = xlsxParts(`${HEAD}<row>${cell}${text('<t>end</t>')}</row>`, { styles })
  const [, row] = readXlsx(new Uint8Array(zipParts(parts)), { locale: 'en', onSize: () => {} })
  expect(row?.cells).toEqual([shown, 'end'])
})

const unpack = (file: ArrayBuffer): Parts =>
  Object.fromEntries(
    Object.entries(unzipSync(new Uint8Array(file))).map(([path, part]) => [path, strFromU8(part)]),
  )

test.each<[string, Parts, string]>([
  ['a binary workbook (.xlsb)', { 'xl/workbook.bin': 'x', '_rels/.rels': '<a/>' }, '.xlsb'],
  [
    'an .ods',
    { mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '<a/>' },
    'another spreadsheet program',
  ],
  [
    'a file of Numbers',
    { 'Index/Document.iwa': 'x', 'Index/Tables/DataList.iwa': 'x' },
    'another spreadsheet program',
  ],
  ['a document of Word', { 'word/document.xml': '<a/>' }, 'cannot be read'],
  [
    'a sheet that is cut off',
    change(unpack(xlsx([['Name']])), '</sheetData></worksheet>', ''),
    'cannot be read',
  ],
  [
    'a column that does not exist',
    xlsxParts('<row><c r="ZZZ1"><v>1</v></c></row>'),
    'cannot be read',
  ],
  [
    'too many empty cells',
    xlsxParts('<row><c r="XFD1"><v>1</v></c></row>'.repeat(1000)),
    'too large',
  ],
])('%s is refused with a reason', async (_, parts, words) => {
  await expect(readExcel(zipParts(parts))).rejects.toThrow(words)
})

test('a workbook with a password is refused with a reason', async () => {
  const bytes = Buffer.concat([
    Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
    Buffer.alloc(600),
    Buffer.from('EncryptedPackage', 'utf16le'),
  ])
  await expect(readExcel(new Uint8Array(bytes).buffer)).rejects.toThrow('protected by a password')
})
