import { expect, test } from 'vitest'
import { readSheet } from '../../console/src/data/files/sheet.ts'
import {
  listUnknownPlaceholders,
  MOST_PREVIEWED,
  makeListRows,
  pickPreviewedRows,
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

test('the part of a long list that is previewed has its first rows and the longest value of each column', () => {
  const rows = Array.from({ length: 5_000 }, (_, at) => `+4915120${100_000 + at},Anna,${at}`)
  rows[4_321] = '+4915120999999,Bartholomäus-Maximilian,1'
  rows[4_999] = '+4915120999998,Ben,one hundred and twenty'
  const list = makeListRows(readSheet(`phone,name,count\n${rows.join('\n')}\n`), [0], 'DE')
  const picked = pickPreviewedRows(list)
  expect(picked.slice(0, MOST_PREVIEWED)).toEqual(list.slice(0, MOST_PREVIEWED))
  expect(picked.slice(MOST_PREVIEWED)).toEqual([list[4_321], list[4_999]])
  expect(pickPreviewedRows(list.slice(0, 3))).toEqual(list.slice(0, 3))
})
