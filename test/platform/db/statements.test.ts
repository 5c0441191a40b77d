import { randomUUID } from 'node:crypto'
import {
  type Holder,
  makeServerTicket as ticketFor,
} from '../../../src/platform/limits/limit-holder.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { openDb } from '../../support/database/open.ts'
import { testConfig } from '../../support/server/start.ts'

const config = await testConfig({ CLIENT_STATEMENT_SECONDS: '1' }, 'prepared')
const db = await openDb(config, createLogger(config))

// Client-shaped statements hold up nobody else.

/** Hours of work. */
const ENDLESS =
  'select count(*) from generate_series(1, 200000) a, generate_series(1, 200000) b where a + b < 0'

const makeServerTicket = (name: string) => ticketFor(name as Holder)

test('quick statements return their rows, named or not', async () => {
  const ticket = makeServerTicket(randomUUID())
  const numbers = Array.from({ length: 300 }, (_, i) => i)
  const asked = numbers.map((n) =>
    n % 2 === 0 || n > 100
      ? db.query('select $1::int', [n])
      : db.for(ticket).shaped('select $1::int', [n], 'number'),
  )
  expect((await Promise.all(asked)).map(({ rows }) => rows[0]![0])).toEqual(numbers)
})

test('holders take turns with their statements', async () => {
  const ended: string[] = []
  const pause = (holder: string) =>
    db
      .for(makeServerTicket(holder))
      .query('select pg_sleep(0.01)')
      .then(() => ended.push(holder))
  const all = Array.from({ length: 200 }, () => pause('many'))
  all.push(pause('one'))
  expect(db.use.waiting).toBeGreaterThan(150)
  await Promise.all(all)
  expect(db.use.waiting).toBe(0)
  expect(ended.indexOf('one')).toBeLessThan(100)
})

test('a statement whose client left before its turn is not run', async () => {
  const ticket = { ...makeServerTicket('gone'), isGone: () => true }
  await expect(db.for(ticket).shaped(ENDLESS)).rejects.toMatchObject({ status: 400 })
})

test('a statement inside a transaction runs in that transaction', async () => {
  await db.for(makeServerTicket('any')).transaction(async (inside) => {
    await inside.script(
      'create temporary table seen (n int) on commit drop; insert into seen values (7)',
    )
    expect((await inside.shaped('select n from seen')).rows).toEqual([[7]])
  })
})
