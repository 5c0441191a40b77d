import {
  cutLogLine,
  DEBUG,
  deleteAllLogs,
  deleteOldLogs,
  deleteUnwantedLogs,
  ERROR_LEVEL,
  type LogLine,
  RequestLog,
} from '../../../src/engine/logs/request-log.ts'
import { SETTINGS_SHAPE } from '../../../src/engine/settings/settings-shape.ts'
import { migrateDatabase } from '../../../src/platform/db/schema/migrate.ts'
import { makeGuestHolder } from '../../../src/platform/limits/limit-holder.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { counts } from '../../../src/platform/tools/process-counters.ts'
import { openTestDb } from '../../support/server/start.ts'

const NOW = Date.parse('2026-11-20T07:00:00.000Z')
const DAY_MS = 86_400_000
/** As many lines wait at most. */
const ROOM = 1_000

const db = await openTestDb()
await migrateDatabase(db)

beforeEach(async () => void (await db.query('truncate _logs')))

const open = () => new RequestLog(db, createLogger({ logLevel: 'silent' }))
const line = (message: string, more: Partial<LogLine> = {}): LogLine => ({
  atMs: NOW,
  level: ERROR_LEVEL,
  message,
  data: { status: 400 },
  ...more,
})
const stored = async () => (await db.query('select message from _logs order by _rowid')).rows.flat()

test('buffered logs are stored in order with their times', async () => {
  const logs = open()
  for (const message of ['a', 'b', 'c'])
    logs.add(line(message, { data: { status: 404, auth: 'ä"\0\ud800' } }))
  await logs.flush()
  expect(await stored()).toEqual(['a', 'b', 'c'])
  const { rows } = await db.query(`select created, level, data ->> 'auth' from _logs limit 1`)
  expect(rows).toEqual([['2026-11-20 07:00:00.000Z', ERROR_LEVEL, 'ä"\ufffd']])
})

test('logs are stored without an explicit flush', async () => {
  open().add(line('alone'))
  await expect.poll(stored, { timeout: 30_000 }).toEqual(['alone'])
})

test('while the database is slow a bounded number of logs waits, and the rest is counted as dropped', async () => {
  const logs = open()
  const before = counts.logs.dropped
  let flushed: Promise<void> | undefined
  await db.transaction(async (tx) => {
    await tx.query('lock table _logs in access exclusive mode')
    logs.add(line('first'))
    flushed = logs.flush()
    await Promise.resolve() // it has taken what was there
    for (let i = 0; i < ROOM + 5; i++) logs.add(line(`more ${i}`))
    expect(counts.logs.dropped - before).toBe(5)
  })
  await flushed
  await logs.flush()
  expect((await stored()).length).toBe(ROOM + 1)
})

test('at most 61 refused requests of one client are logged at once, and others are counted', async () => {
  const logs = open()
  const before = counts.logs.dropped
  const refused = (message: string) =>
    line(message, { data: { status: 404, userIP: '192.0.2.7', url: '/x' } })
  for (let i = 0; i < 100; i++) logs.add(refused(`GET /${i}`), makeGuestHolder('192.0.2.7'))
  logs.add(refused('GET /other'), makeGuestHolder('192.0.3.8'))
  for (let i = 0; i < 100; i++) logs.add(line(`fault ${i}`, { data: { status: 500 } }))
  await logs.flush()
  const messages = await stored()
  expect(messages).toHaveLength(61 + 1 + 100)
  expect(messages).toContain('GET /60')
  expect(messages).not.toContain('GET /61')
  expect(messages).toContain('GET /other')
  expect(counts.logs.dropped - before).toBe(39)
})

test('at most 100 refused requests a second are logged over all clients, plus server errors', async () => {
  const logs = open()
  for (let i = 0; i < 1_200; i++) logs.add(line('refused'), makeGuestHolder(`${i}`))
  logs.add(line('fault', { data: { status: 500 } }))
  await logs.flush()
  const messages = await stored()
  expect(messages.filter((message) => message === 'refused')).toHaveLength(200)
  expect(messages).toContain('fault')
})

test('logs refused by the database are counted as dropped and throw no error', async () => {
  const logs = open()
  const before = counts.logs.dropped
  await db.query('alter table _logs rename to _away')
  logs.add(line('lost'))
  await logs.flush()
  await db.query('alter table _away rename to _logs')
  expect(counts.logs.dropped - before).toBe(1)
  logs.add(line('kept'))
  await logs.flush()
  expect(await stored()).toEqual(['kept'])
})

const LOGS = SETTINGS_SHAPE.fresh().logs
const ofDays = async (...days: number[]) => {
  const logs = open()
  for (const day of days) logs.add(line(`day ${day}`, { atMs: NOW - day * DAY_MS }))
  await logs.flush()
}

test.each([
  ['5 days', 5, ['day 4', 'day 0']],
  ['no day', 0, []],
  ['more days than there were', 9e15, ['day 9', 'day 5', 'day 4', 'day 0']],
])('a limit of %s keeps the logs $2', async (_, maxDays, kept) => {
  await ofDays(9, 5, 4, 0)
  await deleteOldLogs(db, { ...LOGS, maxDays }, NOW)
  expect(await stored()).toEqual(kept)
})

test('above the maximum number the oldest logs are deleted', async () => {
  await ofDays(3, 2, 1, 0)
  await deleteOldLogs(db, LOGS, NOW, 2)
  expect(await stored()).toEqual(['day 1', 'day 0'])
  await deleteAllLogs(db)
  expect(await stored()).toEqual([])
})

const CUT = { __pb_truncated__: true }
test.each([
  ['not at all if it fits', 21, { a: 'bcde', n: 'ä' }],
  ['as far as it fits', 19, { ...CUT, a: 'bcde', n: null }],
  ['without members that do not fit', 11, { ...CUT, a: 'bcde' }],
  ['at least the mark', 1, CUT],
])('log data is shortened to $1 bytes %s: $2', (_, maxDataSize, data) => {
  const { message, ...kept } = cutLogLine(
    line('x'.repeat(9_000), { data: { a: 'bcde', n: 'ä' } }),
    maxDataSize,
  )
  expect([message.length, kept.data]).toEqual([8_000, data])
})

test('logs below the configured level are deleted', async () => {
  const logs = open()
  logs.add(line('well', { level: DEBUG, atMs: Date.now() }))
  logs.add(line('failed', { atMs: Date.now() }))
  await logs.flush()
  await deleteUnwantedLogs(db, LOGS)
  expect(await stored()).toEqual(['failed'])
})
