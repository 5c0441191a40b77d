import { spellingsOf } from '../../src/person/spellings.ts'
import { openPreparedDb } from '../support/server/start.ts'

const db = await openPreparedDb()
const finds = async (number: string, text: string) =>
  (await db.query('select $1 ~ $2', [text, spellingsOf(number)])).rows[0]![0]

test.each([
  ['E.164', '+4915112345678', 'Ring +4915112345678.'],
  ['with 00 and spaces', '+4915112345678', '0049 151 12345678'],
  ['with a 0 in brackets', '+4915112345678', '+49 (0) 151/123-456-78'],
  ['with a leading 0', '+4915112345678', '0151 12345678'],
  ['in a query', '+4915112345678', 'to=%2B4915112345678&body=Hi'],
  ['eight digits in pairs', '+4520261015', 'Ring 20 26 10 15'],
  ['eight digits with a calling code', '+4520261015', 'Ring +45 20261015'],
  ['eight digits alone, which are no date', '+4520991315', 'Ring 20991315'],
  ['eight digits with a dash in the middle', '+4520261015', 'Ring 2026-1015'],
  ['an American number', '+12026101514', '(202) 610-1514'],
])('the search in texts finds a number: %s', async (_, number, text) => {
  expect(await finds(number, text)).toBe(true)
})

test.each([
  ['a date', '+4520261015', 'On 2026-10-15'],
  ['a date with points', '+4515102026', 'am 15.10.2026'],
  ['an American date', '+4510152026', 'on 10/15/2026 at noon'],
  ['a date without separators', '+4520261015', 'Invoice 20261015'],
  ['a date and an hour', '+12026101514', '2026-10-15 14:00'],
  ['the end of a date and an hour', '+4510151430', '2026-10-15 14 30'],
  ['a date and an hour with points', '+4510202615', 'am 12.10.2026 15:00'],
  ['a part of a longer number', '+4520991315', '1209913150'],
  ['seven digits alone', '+3725123456', 'Order 5123456'],
])('the search in texts leaves other digits: %s', async (_, number, text) => {
  expect(await finds(number, text)).toBe(false)
})
