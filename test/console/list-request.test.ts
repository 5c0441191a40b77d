import { expect, test } from 'vitest'
import { readSheet } from '../../console/src/data/files/sheet.ts'
import {
  listUnknownPlaceholders,
  makeListRows,
} from '../../console/src/pages/send-list/list-request.ts'

const FILE = `Mobile,Office,name
0151 20000010,,Anna
,+44 7700 900123,Ben

nobody,,Cleo
+4915120000011,,Dan,too much
`

test('rows go to the server with their lines, numbers and values', () => {
  const sheet = readSheet(FILE)
  expect(makeListRows(sheet, [0, 1], 'DE')).toEqual([
    {
      line: 2,
      to: '+4915120000010',
      values: { Mobile: '0151 20000010', Office: '', name: 'Anna' },
    },
    {
      line: 3,
      to: '+447700900123',
      values: { Mobile: '', Office: '+44 7700 900123', name: 'Ben' },
    },
    { line: 5, to: expect.stringContaining('nobody'), values: expect.anything() },
  ])
})

test('a number without a calling code has the chosen country', () => {
  const [first] = makeListRows(readSheet('phone\n07911 123456\n'), [0], 'GB')
  expect(first?.to).toBe('+447911123456')
})

test.each([
  ['Hi {{NAME}}', []],
  ['Hi {{name}}, {{phone}}, {{stop_link}}', []],
  ['{{ Office }} and {{time}}', ['time']],
])('%s has variables without a column: %j', (text, unknown) => {
  expect(listUnknownPlaceholders(text, readSheet(FILE))).toEqual(unknown)
})
