import { writeArrayText, writeRowText } from '../../../../src/gateway/messages/send/store-offers.ts'
import { openTestDb } from '../../../support/server/start.ts'

const db = await openTestDb()
const TEXTS = [
  '',
  ' ',
  'null',
  'NULL',
  '"',
  '\\',
  '\\"',
  'a,b',
  '(a)',
  '{a}',
  "it's",
  '\n\t\r',
  '€ 😀',
  '\\x41',
  '$1',
]

test('Postgres reads encoded arrays and rows unchanged and distinguishes empty from null', async () => {
  await db.script('create type one as (a text, b int, c boolean, d text[])')
  const rows = TEXTS.map((text) => writeRowText([text, 7, false, writeArrayText(TEXTS)]))
  const read = await db.query('select a, b, c, d from unnest($1::one[])', [writeArrayText(rows)])
  expect(read.rows).toEqual(TEXTS.map((text) => [text, 7, false, TEXTS]))
  const empty = await db.query('select a is null, b is null, c, d from unnest($1::one[])', [
    writeArrayText([writeRowText([null, undefined, true, writeArrayText([])])]),
  ])
  expect(empty.rows).toEqual([[true, true, true, []]])
})
