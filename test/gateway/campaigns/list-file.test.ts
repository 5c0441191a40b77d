import { readSheet } from '../../../console/src/data/files/sheet.ts'
import { readListTable } from '../../../src/gateway/campaigns/list-body.ts'
import { readCsvCells } from '../../../src/portable/read-csv.ts'

const readCsv = (text: string) => {
  const { head, rows } = readListTable(text)
  return rows.map(({ cells, ...row }) => ({
    ...row,
    values: Object.fromEntries(head.map((title, at) => [title, cells[at]!])),
  }))
}
const values = (text: string) => readCsv(text).map((row) => row.values)

test.each([
  ['commas', 'phone,code\n+491,12\n', [{ phone: '+491', code: '12' }]],
  [
    'semicolons, as Excel writes them in Europe',
    'phone;text\r\n+491;a,b\r\n',
    [{ phone: '+491', text: 'a,b' }],
  ],
  ['tabs', 'phone\ttext\n+491\ta;b', [{ phone: '+491', text: 'a;b' }]],
  ['a byte order mark', '\ufeffphone\n+491', [{ phone: '+491' }]],
  [
    'a separator in the first line',
    'sep=;\r\nphone;text\r\n+491;a,b',
    [{ phone: '+491', text: 'a,b' }],
  ],
  [
    'a separator line, with a byte order mark',
    '\ufeffsep=|\nphone|text\n+491|a',
    [{ phone: '+491', text: 'a' }],
  ],
  [
    'quotation marks',
    'phone,text\n+491,"say ""hi"", Ann"\n',
    [{ phone: '+491', text: 'say "hi", Ann' }],
  ],
  [
    'line breaks in a cell',
    'phone,text\n+491,"a\nb"\n+492,c',
    [
      { phone: '+491', text: 'a\nb' },
      { phone: '+492', text: 'c' },
    ],
  ],
  ['empty cells and lines', 'phone,text\n\n+491,\n\n', [{ phone: '+491', text: '' }]],
  ['an empty cell in quotation marks', 'phone,text\n"+491",""', [{ phone: '+491', text: '' }]],
  ['spaces around names of columns', ' phone , text\n+491,x', [{ phone: '+491', text: 'x' }]],
  [
    'quotation marks inside a cell',
    'phone,text\n+491,5" pipe "x"',
    [{ phone: '+491', text: '5" pipe "x"' }],
  ],
  ['a bar between cells', 'phone|text\n+491|a,b', [{ phone: '+491', text: 'a,b' }]],
  ['rows of blank cells', 'phone,text\n+491,a\n , \n,\n', [{ phone: '+491', text: 'a' }]],
  [
    'empty names at the end of its head, as a spreadsheet saves deleted columns',
    'phone;note;;;\r\n+491;hi;;;\r\n+492;ho;;;\r\n',
    [
      { phone: '+491', note: 'hi' },
      { phone: '+492', note: 'ho' },
    ],
  ],
  [
    'a value below an empty name',
    'phone;;note\n+491;VIP;hi\n+492;;ho\n',
    [
      { phone: '+491', 'Column 2': 'VIP', note: 'hi' },
      { phone: '+492', 'Column 2': '', note: 'ho' },
    ],
  ],
  [
    'rows shorter than its head',
    'phone,note,city\n+491\n+492,ho\n',
    [
      { phone: '+491', note: '', city: '' },
      { phone: '+492', note: 'ho', city: '' },
    ],
  ],
  [
    'rows longer than its head',
    'phone,note\n+491,hi,more\n+492,ho,,,\n',
    [
      { phone: '+491', note: 'hi, more' },
      { phone: '+492', note: 'ho' },
    ],
  ],
  [
    'a blank before a quoted cell',
    'phone, note\n+491, "Hallo, Welt"\n"+492", \t"a ""b"""\t, \n',
    [
      { phone: '+491', note: 'Hallo, Welt' },
      { phone: '+492', note: 'a "b"' },
    ],
  ],
  [
    'a blank before a quoted cell with a line break',
    'phone; note; city\n+491; "a\nb" ;Kiel\n',
    [{ phone: '+491', note: 'a\nb', city: 'Kiel' }],
  ],
  [
    'a blank before quoted words of a longer cell',
    'phone;note\n+491; "Max" Meier\n+492; 5" pipe\n',
    [
      { phone: '+491', note: ' "Max" Meier' },
      { phone: '+492', note: ' 5" pipe' },
    ],
  ],
  [
    'line ends of several systems',
    'phone,note\r+491,a\n+492,b\r\n+493,c',
    [
      { phone: '+491', note: 'a' },
      { phone: '+492', note: 'b' },
      { phone: '+493', note: 'c' },
    ],
  ],
  ['a last row without a line end', 'phone,note\n+491,', [{ phone: '+491', note: '' }]],
])('a CSV file with %s is read as $2', (_, text, rows) => expect(values(text)).toEqual(rows))

test.each<[string, string, number[]]>([
  ['an unquoted comma', 'phone,note\n+491,hi, there\n+492,ho\n', [2]],
  ['a cell behind an empty one', 'phone,note\n+491,,,x\n+492,"a, b"\n', [2]],
  ['another separator', 'phone;note\n+491;a, b\n+492;a; b\n', [3]],
  ['a title that is empty', 'phone,note,\n+491,hi,more\n+492,hi,more,x\n', [3]],
  ['blanks at the end', 'phone,note\n+491,hi, ,\t\n', []],
])('a row with %s is long if it has more cells than titles', (_, text, lines) => {
  expect(readCsv(text).flatMap(({ isLong, line }) => (isLong ? [line] : []))).toEqual(lines)
})

test('a row has the line number that an editor shows', () => {
  const rows = readCsv('phone,text\n+491,"a\nb"\n\n+492,c\n')
  expect(rows.map(({ line }) => line)).toEqual([2, 5])
  expect(readCsv('sep=,\nphone\n+491\n').map(({ line }) => line)).toEqual([3])
})

test.each([
  ['a line of titles alone', 'a,b\n', 'list has a line of titles and no rows'],
  ['nothing', '', 'list is an empty file'],
  ['blank rows alone', ' ;\n;;\n', 'list is an empty file'],
  ['a name twice', 'a,a\n1,2\n', 'list has two columns of the same name: a'],
  ['a name in other letters', 'Name;name\n1;2\n', 'list has two columns of the same name: name'],
  [
    'an open quotation mark',
    'a,b\n1,"2\n',
    'list, line 2: a quotation mark is missing or misplaced',
  ],
  [
    'a word after a quoted one',
    'a,b\n"Max" M,1\n"Ann",2\n',
    'list, line 2: a quotation mark is missing or misplaced',
  ],
])('a CSV file with %s is refused: $2', (_, text, sentence) =>
  expect(() => readCsv(text)).toThrow(sentence),
)

test('the console reads the same cells as the server, also of uneven rows', () => {
  const file = 'phone;note;;\r\n+4915120000010; "a; b"\r\n\r\n+4915120000011;c;d;\r\n'
  const { head, rows, lines } = readSheet(file)
  const cells = rows.map((row) => Object.fromEntries(head.map((title, at) => [title, row[at]])))
  expect([cells, lines]).toEqual([values(file), [2, 4]])
})

test('a file of 200 kB of quotation marks, blanks and line ends is read in 5 s', () => {
  for (const piece of ['"', ' "', ' "a', ',"",', ' """,', '"a""', ' \t\u00a0', '"\n', ';\r'])
    for (const start of ['', 'a,b\n']) {
      const before = performance.now()
      readCsvCells(start + piece.repeat(200_000 / piece.length))
      expect(performance.now() - before, piece).toBeLessThan(5_000)
    }
})
