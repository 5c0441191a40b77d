import { randomUUID } from 'node:crypto'
import { type Holder, ticketOf as ticketFor } from '../../src/admission/holder.ts'
import { isSqlError, QUERY_CANCELED } from '../../src/db/errors.ts'
import { RetryLater } from '../../src/errors.ts'
import { createLogger } from '../../src/log.ts'
import { openDb } from '../support/database/open.ts'
import { testConfig } from '../support/server/start.ts'

// Client-shaped statements hold up nobody else.

const config = await testConfig({ CLIENT_STATEMENT_SECONDS: '1' })
const db = await openDb(config, createLogger(config))

/** Hours of work. */
const ENDLESS =
  'select count(*) from generate_series(1, 200000) a, generate_series(1, 200000) b where a + b < 0'

const ticketOf = (name: string) => ticketFor(name as Holder)

/** How endless statements of holders end: all of them must. */
const endless = (holders: readonly string[]) =>
  Promise.allSettled(holders.map((holder) => db.for(ticketOf(holder)).shaped(ENDLESS)))

test('one that is quick gives its rows, with a name and without', async () => {
  const ticket = ticketOf(randomUUID())
  const numbers = Array.from({ length: 300 }, (_, i) => i)
  const asked = numbers.map((n) =>
    n % 2 === 0 || n > 100
      ? db.query('select $1::int', [n])
      : db.for(ticket).shaped('select $1::int', [n], 'number'),
  )
  expect((await Promise.all(asked)).map(({ rows }) => rows[0]![0])).toEqual(numbers)
})

test('one that takes too long is canceled', async () => {
  const error = await db
    .for(ticketOf(randomUUID()))
    .shaped(ENDLESS)
    .catch((error: unknown) => error)
  expect(isSqlError(error, QUERY_CANCELED)).toBe(true)
})

test('many endless ones hold up neither the statements of the server nor quick ones of others', async () => {
  let isOver = false
  const hostile = ['a', 'b'].flatMap((holder) => [holder, holder, holder, holder])
  const ends = endless(hostile).finally(() => {
    isOver = true
  })
  for (let i = 0; i < 5; i++) {
    await db.transaction((inside) => inside.query('select 1'))
    const { rows } = await db.for(ticketOf('light')).shaped('select $1::int', [i])
    expect(rows).toEqual([[i]])
  }
  expect(isOver).toBe(false)
  const reasons = (await ends).map((end) => (end.status === 'rejected' ? end.reason : undefined))
  for (const reason of reasons)
    expect(isSqlError(reason, QUERY_CANCELED) || reason instanceof RetryLater).toBe(true)
  expect(db.clientUse).toEqual({ running: 0, waiting: 0 })
})

test('statements of the server take turns between holders, too', async () => {
  const ended: string[] = []
  const pause = (holder: string) =>
    db
      .for(ticketOf(holder))
      .query('select pg_sleep(0.01)')
      .then(() => ended.push(holder))
  const all = Array.from({ length: 200 }, () => pause('many'))
  all.push(pause('one'))
  expect(db.use.waiting).toBeGreaterThan(150)
  await Promise.all(all)
  expect(db.use.waiting).toBe(0)
  expect(ended.indexOf('one')).toBeLessThan(100)
})

test('one whose client is gone when its turn comes is not begun', async () => {
  const ticket = { ...ticketOf('gone'), isGone: () => true }
  await expect(db.for(ticket).shaped(ENDLESS)).rejects.toMatchObject({ status: 400 })
})

test('in a transaction it is a statement of the transaction', async () => {
  await db.for(ticketOf('any')).transaction(async (inside) => {
    await inside.script('create temporary table seen (n int) on commit drop; insert into seen values (7)')
    expect((await inside.shaped('select n from seen')).rows).toEqual([[7]])
  })
})
