import { readCsv } from '../../../src/programs/bulk/csv.ts'

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
  ['a head alone', 'phone,text\n', []],
])('a CSV file with %s is read as $2', (_, text, rows) => expect(values(text)).toEqual(rows))

test("a row's line number is that of an editor", () => {
  const rows = readCsv('phone,text\n+491,"a\nb"\n\n+492,c\n')
  expect(rows.map(({ line }) => line)).toEqual([2, 5])
  expect(readCsv('sep=,\nphone\n+491\n').map(({ line }) => line)).toEqual([3])
})

test.each([
  ['nothing', '', 'The file is empty.'],
  ['a name twice', 'a,a\n', 'Two columns of the file have one name.'],
  ['an extra cell', 'a,b\n1,2\n1,2,3\n', 'Line 3 has 3 cells, the head has 2.'],
  ['an open quotation mark', 'a,b\n1,"2\n', 'Line 2: a quotation mark is missing or misplaced.'],
  [
    'a word after a quoted one',
    'a,b\n"Max" M,1\n"Ann",2\n',
    'Line 2: a quotation mark is missing or misplaced.',
  ],
])('a CSV file with %s is refused: $2', (_, text, sentence) =>
  expect(() => readCsv(text)).toThrow(sentence),
)
