import { migrateDatabase } from '../../../src/platform/db/schema/migrate.ts'
import { writeArray, writeRow } from '../../../src/platform/db/write-row.ts'
import { openTestDb } from '../../support/server/start.ts'

const db = await openTestDb()
await migrateDatabase(db)
const TEXTS = [
  ...['', ' ', 'null', 'NULL', '"', '\\', '\\"', 'a,b', '(a)', '{a}', "it's", '\n\t\r', '€ 😀'],
  ...['\\x41', '$1'],
]

test('Postgres reads written rows and arrays as they were, and distinguishes empty from null', async () => {
  const rows = TEXTS.map((body) =>
    writeRow('sms_request', { body, priority: 7, later: false, groups: TEXTS }),
  )
  const read = await db.query(
    'select body, priority, later, groups, device from unnest($1::sms_request[])',
    [writeArray(rows)],
  )
  expect(read.rows).toEqual(TEXTS.map((body) => [body, 7, false, TEXTS, null]))
  const empty = await db.query(
    'select body is null, priority is null, later, groups from unnest($1::sms_request[])',
    [writeArray([writeRow('sms_request', { body: null, later: true, groups: [] })])],
  )
  expect(empty.rows).toEqual([[true, true, true, []]])
})

test('a row within a row is read with the fields of its own type', async () => {
  const message = writeRow('sms_request_message', {
    id: 'a',
    to: '+4911111',
    body: 'x"y',
    segments: 2,
  })
  const row = writeRow('sms_request', { messages: [message, message] })
  const read = await db.query(
    'select m.id, m."to", m.body, m.segments, m.zone from unnest(array[$1::sms_request]) r, unnest(r.messages) m',
    [row],
  )
  const expected = ['a', '+4911111', 'x"y', 2, null]
  expect(read.rows).toEqual([expected, expected])
})
