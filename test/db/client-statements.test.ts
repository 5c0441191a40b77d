import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isSqlError, QUERY_CANCELED } from '../../src/db/errors.ts'
import { openDb } from '../../src/db/open.ts'
import { RetryLater } from '../../src/errors.ts'
import { createLogger } from '../../src/log.ts'
import { testConfig } from '../support/server/start.ts'
import { stopAfterAll } from '../support/stop-after-all.ts'

// Client-shaped statements hold up nobody else, and end with their client.

const config = await testConfig({ CLIENT_STATEMENT_SECONDS: '2' })
const db = stopAfterAll(await openDb(config, createLogger(config)))

/** The machine may be busy. */
const PATIENCE = { timeout: 20_000 }
/** Hours of work. */
const ENDLESS =
  'select count(*) from generate_series(1, 200000) a, generate_series(1, 200000) b where a + b < 0'

/** A client that can hang up. As a superuser's, its statements may run for 30 s. */
function clientOf(account: string, isSuperuser = true) {
  const client = { account, isSuperuser, gone: false, isGone: () => client.gone }
  return client
}

type Client = ReturnType<typeof clientOf>

/** Runs endless statements of clients until `work` is over, then hangs up; how each of them ended. */
async function during(clients: readonly Client[], work: () => Promise<unknown>): Promise<unknown[]> {
  const ends: unknown[] = []
  const all = clients.map((client) =>
    db.queryFor(client, ENDLESS).then(
      () => ends.push('finished'),
      (error: unknown) => ends.push(error),
    ),
  )
  try {
    await work()
  } finally {
    for (const client of clients) client.gone = true
    await Promise.all(all)
  }
  return ends
}

const many = (count: number, account: () => string) =>
  Array.from({ length: count }, () => clientOf(account()))

test('one that is quick gives its rows, with a name and without', async () => {
  const client = clientOf(randomUUID())
  const numbers = Array.from({ length: 300 }, (_, i) => i)
  const asked = numbers.map((n) =>
    n % 2 === 0 || n > 100
      ? db.query('select $1::int', [n])
      : db.queryFor(client, 'select $1::int', [n], 'number'),
  )
  expect((await Promise.all(asked)).map(({ rows }) => rows[0]![0])).toEqual(numbers)
})

test('one that takes too long is canceled', async () => {
  const began = performance.now()
  const error = await db.queryFor(clientOf(randomUUID(), false), ENDLESS).catch((error: unknown) => error)
  expect(isSqlError(error, QUERY_CANCELED)).toBe(true)
  expect(performance.now() - began).toBeGreaterThan(2000)
})

test('one that is canceled while the database still reads it ends at once', async () => {
  const long = 'x'.repeat(64 << 20)
  const client = { ...clientOf(randomUUID()), isGone: () => true }
  const error = await db
    .queryFor(client, `${ENDLESS} and $1::text is not null`, [long])
    .catch((error: unknown) => error)
  // one that could not be canceled ends with its database
  expect(isSqlError(error, QUERY_CANCELED)).toBe(true)
})

test.each([
  ['of one account', () => 'one'],
  ['of many accounts', () => randomUUID()],
])('50 endless ones %s hold up no other work', async (_, account) => {
  let held = 0
  await during(many(50, account), async () => {
    for (let i = 0; i < 5; i++) {
      await sleep(50)
      const began = performance.now()
      await db.query('select 1')
      await db.transaction(async (inside) => {
        await inside.query('select 2')
        await inside.query('select 3')
      })
      held = Math.max(held, performance.now() - began)
    }
  })
  // two waits of 0.4 s at most, on a busy machine
  expect(held).toBeLessThan(3000)
})

test('a quick one of another account passes those of heavy accounts', async () => {
  const heavy = ['a', 'b', 'c', 'd'].flatMap((account) => many(4, () => account))
  await during(heavy, async () => {
    await sleep(1000)
    for (let i = 0; i < 5; i++) {
      const { rows } = await db.queryFor(clientOf('light'), 'select $1::int', [i])
      expect(rows).toEqual([[i]])
    }
  })
})

test('what waits ends with its client, and too many are refused', async () => {
  const account = randomUUID()
  const waiting = many(110, () => account)
  const ends = await during(waiting, () =>
    expect.poll(() => db.clientUse?.waiting, PATIENCE).toBeGreaterThan(90),
  )
  const refused = ends.filter(
    (end) => end instanceof RetryLater && end.retryAfterSeconds > 0 && end.status === 429,
  )
  expect(refused.length).toBeGreaterThanOrEqual(7)
  expect(refused.length).toBeLessThan(15)
  expect(ends).not.toContain('finished')
  expect(db.clientUse).toEqual({ running: 0, waiting: 0 })
})

test('in a transaction it is a statement of the transaction', async () => {
  await db.transaction(async (inside) => {
    await inside.script('create temporary table seen (n int) on commit drop; insert into seen values (7)')
    expect((await inside.queryFor(clientOf('any'), 'select n from seen')).rows).toEqual([[7]])
  })
})

test('one whose client is gone runs no longer at the server', async () => {
  const running = async () => {
    const text = `select count(*)::int from pg_stat_activity where state = 'active' and query like '% generate_series(1, 200000) a%'
      and pid <> pg_backend_pid() and datname = current_database()`
    return (await db.query(text)).rows[0]![0]
  }
  await during(
    many(3, () => 'gone'),
    () => expect.poll(running, PATIENCE).toBe(3),
  )
  expect(await running()).toBe(0)
  expect(db.use?.busy).toBe(0)
})

test('a cancellation never hits the next statement', async () => {
  const next: Promise<unknown>[] = []
  for (let i = 0; i < 40; i++) {
    const client = clientOf(randomUUID())
    client.gone = true
    // they end at about the time of the first look
    const ended = [0.047, 0.049, 0.051].map((s) =>
      db.queryFor(client, `select pg_sleep(${s})`).catch(() => {}),
    )
    await Promise.race(ended)
    next.push(...Array.from({ length: 8 }, () => db.query('select pg_sleep(0.01)')))
    await Promise.all(ended)
  }
  expect((await Promise.allSettled(next)).filter(({ status }) => status === 'rejected')).toEqual([])
})
