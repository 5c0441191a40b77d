import { joinBadRows, readSheet, type Sheet } from '../../console/src/data/files/sheet.ts'
import type { ContactField } from '../../console/src/data/record-types.ts'
import { planImport } from '../../console/src/pages/contacts/import-plan.ts'
import {
  listUnknownPlaceholders,
  planList as planNumbers,
  readNumbers,
} from '../../console/src/pages/send-list/list-rows.ts'
import {
  completeRow,
  findFieldFault,
  type Kept,
  makeStored,
  makeTyped,
} from '../../console/src/parts/rows/values.ts'

const planList = (rows: Sheet, column: number, country: string, text: string) =>
  planNumbers(rows, readNumbers(rows, [column], country), [column], text)

const sheet = readSheet(`phone,Name,time
+49 151 12345678,Anna,7 pm
0151 20000010,Ben,8 pm
,Cleo,9 pm
call me,Dan,9 pm
+44 7700 900123,,9 pm
0049 151 12345678,Anna,7 pm
+49 151 12345678,Anna,8 pm`)

test('each row gets a text filled with its own values, in any case of the names', () => {
  const { good } = planList(sheet, 0, 'DE', 'Hi {{name}}, at {{ TIME }} ({{phone}})')
  expect(good.map(({ row, phone, body }) => [row, phone, body])).toEqual([
    [2, '+4915112345678', 'Hi Anna, at 7 pm (+4915112345678)'],
    [3, '+4915120000010', 'Hi Ben, at 8 pm (+4915120000010)'],
    [8, '+4915112345678', 'Hi Anna, at 8 pm (+4915112345678)'],
  ])
})

test('a row of a person who gets nothing is left out with the reason', () => {
  const numbers = readNumbers(sheet, [0], 'DE')
  const reasons = new Map([['+4915120000010', 'No proof of consent']])
  const known = { names: new Map(), reasons }
  const { good, bad } = planNumbers(sheet, numbers, [0], 'Hi {{name}}', known)
  expect(good.map(({ phone }) => phone)).not.toContain('+4915120000010')
  expect(bad.find(({ row }) => row === 3)).toMatchObject({ why: 'No proof of consent' })
})

test.each([
  ['no number', '', 4, 'No number'],
  [
    'no country',
    '',
    3,
    'No country in the number: write it as +49 151 12345678, or choose a country',
  ],
  ['letters', 'DE', 5, 'Not a phone number'],
  ['an empty cell that the text needs', 'DE', 6, 'Nothing in “name”'],
  ['the same text to the same number', 'DE', 7, 'The same text to the same number as in row 2'],
])('a row with %s is left out: $3', (_, country, row, why) => {
  const { bad } = planList(sheet, 0, country, 'Hi {{name}}, at {{time}}')
  expect(bad.find((one) => one.row === row)).toMatchObject({ why })
})

test('a contact keeps its own name, and others take that of their row', () => {
  const names = new Map([
    ['+4915112345678', 'Änne'],
    ['+4915120000010', ''],
  ])
  const plan = (rows: Sheet, text: string) =>
    planNumbers(rows, readNumbers(rows, [0], 'DE'), [0], text, { names, reasons: new Map() })
  expect(plan(sheet, '{{name}}').good.map(({ body }) => body)).toEqual(['Änne', 'Ben'])
  const nameless = readSheet('Handy,time\n+49 151 12345678,7 pm\n0151 20000010,8 pm')
  expect(listUnknownPlaceholders('{{Name}} {{time}}', nameless)).toEqual([])
  const { good, bad } = plan(nameless, '{{Name}}: {{time}}')
  expect(good.map(({ body }) => body)).toEqual(['Änne: 7 pm'])
  expect(bad).toMatchObject([{ row: 3, why: 'Nothing in “Name”' }])
})

test('a row with a filled cell behind the last title is left out, of lists and of contacts', () => {
  const read = readSheet('Handy,Name,note\n0151 20000010,Ben,late, by bus\n0151 20000011,Al,x')
  const why = 'More cells than titles: put a text with the separator in quotation marks'
  const cells = ['0151 20000010', 'Ben', 'late, by bus']
  const bad = [{ row: 2, cells, why }]
  expect(planList(read, 0, 'DE', 'Hi {{name}}')).toMatchObject({ bad, good: [{ row: 3 }] })
  const contacts = planImport(read, { phones: [0], names: [1] }, 'DE', [2])
  expect(contacts).toMatchObject({ bad, good: [{ row: 3 }] })
})

test('a row with an empty cell is kept if the text does not use it', () => {
  expect(planList(sheet, 0, 'DE', 'At {{time}}').good.map(({ row }) => row)).toContain(6)
  expect(planList(sheet, 0, 'DE', 'Hello').good.map(({ row }) => row)).toEqual([2, 3, 6])
})

test('a row is left out if its values make the text too long', () => {
  const long = readSheet(`phone,word\n+4915112345678,${'x'.repeat(1599)}\n+4915112345679,x`)
  const { good, bad, segments } = planList(long, 0, '', 'Hi {{word}}')
  expect(bad).toMatchObject([{ row: 2, why: 'Longer than 1,600 characters' }])
  expect([good.length, segments]).toEqual([1, 1])
})

test.each<[string, string, number[]]>([
  ['blank lines', 'phone,word\n\n+4915112345678,a\n\n\nnobody,b\n', [3, 6]],
  ['rows of separators', 'phone;word\r\n;\r\n+4915112345678;a\r\n;;\r\nnobody;b', [3, 5]],
  ['a cell of several lines', 'phone,word\n+4915112345678,"a\nb"\nnobody,b', [2, 4]],
  [
    'a line that names the separator, and blanks',
    'sep=;\n\nphone;word\n \n+4915112345678;a\nnobody;b',
    [5, 6],
  ],
  ['no titles', '\n+4915112345678,a\n\nnobody,b', [2, 4]],
])('rows behind %s are named by their lines in the file', (_, file, lines) => {
  const read = readSheet(file)
  const { good, bad } = planList(read, 0, 'DE', '{{word|x}}')
  expect([...good, ...bad].map(({ row }) => row)).toEqual(lines)
  const columns = { phones: [0], names: [1] }
  const contacts = planImport(read, columns, 'DE', [])
  expect([...contacts.good, ...contacts.bad].map(({ row }) => row)).toEqual(lines)
  const refused = [{ row: lines[0]!, why: 'Too many' }]
  expect(joinBadRows(read, contacts.bad, refused)).toMatchObject([
    { row: lines[0], cells: ['+4915112345678', expect.stringMatching(/^a/)], why: 'Too many' },
    { row: lines[1], cells: ['nobody', 'b'] },
  ])
})

test('an import leaves out a value that does not fit its field, and keeps the person', () => {
  const points = { name: 'Points', key: 'Points', type: 'number', choices: null, former: null }
  const read = readSheet('Name;Handy;Points\nBen;0151 20000010;12,5\nAnn;0151 20000011;x')
  const columns = { phones: [1], names: [0] }
  const { good, bad, misfits } = planImport(read, columns, 'DE', [2], [points as ContactField])
  expect(good.map(({ name, data }) => [name, data])).toEqual([
    ['Ben', { Points: '12,5' }],
    ['Ann', {}],
  ])
  expect(bad).toEqual([])
  expect(misfits).toMatchObject([{ row: 3, why: 'Points must be a number, such as 12.5' }])
})

test('an import keeps columns with odd titles as values that templates can name', () => {
  const read = readSheet('Handy;{{Size|EU}};"a.b: ""c"" [d]";{|}\n0151 20000010;42;x;y')
  const { good } = planImport(read, { phones: [0], names: [] }, 'DE', [1, 2, 3])
  expect(good.map(({ data }) => data)).toEqual([
    { 'Size EU': '42', 'a.b: "c" [d]': 'x', '{|}': 'y' },
  ])
})

test('a default is used for an empty cell only', () => {
  const { good } = planList(sheet, 0, '', 'Hi {{name|there}}, at {{time|}}')
  expect(good.map(({ body }) => body)).toEqual([
    'Hi Anna, at 7 pm',
    'Hi there, at 9 pm',
    'Hi Anna, at 8 pm',
  ])
})

test('{{phone}} is the dialed number if no column has that name', () => {
  const numbers = readSheet('Handy;Name\n0151 20000010;Ben')
  expect(planList(numbers, 0, 'DE', '{{phone}}').good[0]?.body).toBe('+4915120000010')
  expect(listUnknownPlaceholders('{{phone}} {{name}} {{time}}', numbers)).toEqual(['time'])
})

/** A row with a schema: what is typed for the stored value, and what is stored of what is typed. */
test.each([
  ['a text', { type: 'text' }, {}, 'Ann', 'Ann', 'Bo', 'Bo'],
  ['nothing', { type: 'text' }, {}, undefined, '', '', ''],
  ['a number', { type: 'number' }, {}, 0, '0', '12', 12],
  ['a limit where 0 means no limit', { type: 'number' }, { placeholder: 'No limit' }, 0, '', '', 0],
  ['a checkbox', { type: 'bool' }, {}, undefined, false, true, true],
  ['a choice', { type: 'select' }, { choices: [] }, 'a', 'a', 'b', 'b'],
  [
    'some of some',
    { type: 'select', many: true },
    { choices: [] },
    ['a'],
    ['a'],
    ['a', 'b'],
    ['a', 'b'],
  ],
  ['a list', { type: 'json' }, { kind: 'list' }, ['1', '2'], '1, 2', '1, 3 4', ['1', '3', '4']],
  ['a list of lines', { type: 'json' }, { kind: 'list', rows: 2 }, ['1', '2'], '1\n2', '', []],
  ['a password', { type: 'password' }, {}, undefined, '', '', undefined],
  [
    'a value with its own reader and writer',
    { type: 'bool' },
    { read: (is: unknown) => !is },
    true,
    false,
    true,
    true,
  ],
] as const)(
  'a setting in JSON (%s) is shown as "$4", and "$5" is saved as "$6"',
  (_, facts, more, stored, typed, next, written) => {
    const rows = [completeRow({ name: 'a.b', ...more } as Kept, facts)]
    expect(makeTyped(rows, { a: { b: stored } })).toEqual({ 'a.b': typed })
    expect(makeStored(rows, { 'a.b': next })).toEqual(
      written === undefined ? {} : { a: { b: written } },
    )
  },
)

test('members of one object are saved together', () => {
  const rows = [{ name: 'a.b' }, { name: 'a.c' }]
  expect(makeStored(rows, makeTyped(rows, { a: { b: 1, c: 2 } }))).toEqual({
    a: { b: '1', c: '2' },
  })
})

test('a changed value is written by the unchanged value of another field', () => {
  const write: Kept['write'] = (typed, { type }) => (type === 'choice' ? typed : null)
  const rows = [{ name: 'type' }, { name: 'choices', write }]
  const all = { type: 'choice', choices: 'platinum' }
  expect(makeStored(rows, { choices: 'platinum' }, all)).toEqual({ choices: 'platinum' })
})

test.each([
  ['the field itself', { a: 'no' }, 'no'],
  ['a member of its list', { 'a.0': 'no' }, 'no'],
])('for an error of %s a field shows: $2', (_, fields: Record<string, string>, said) =>
  expect(findFieldFault(fields, 'a')).toBe(said),
)

test('a field does not show the error of another field', () => {
  expect(findFieldFault({ ab: 'no' }, 'a')).toBeUndefined()
})

test('a row with several numbers gets its text at the mobile one', () => {
  const people: Sheet = {
    ...sheet,
    head: ['Name', 'Home Phone', 'Mobile Phone'],
    rows: [
      ['Anna', '030 123456', '0151 20000010'],
      ['Ben', '030 123457', ''],
    ],
  }
  const numbers = readNumbers(people, [1, 2], 'DE')
  const { good } = planNumbers(people, numbers, [1, 2], 'Hi {{name}}: {{phone}}')
  expect(good.map(({ phone, body }) => [phone, body])).toEqual([
    ['+4915120000010', 'Hi Anna: +4915120000010'],
    ['+4930123457', 'Hi Ben: +4930123457'],
  ])
})
