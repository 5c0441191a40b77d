import { afterAll, beforeAll, expect, test } from 'vitest'
import { DatabaseAway } from '../../src/db/errors.ts'
import type { Db } from '../../src/db/open.ts'
import { openTestDb } from '../support/start.ts'

// Look-ups share a connection on Postgres: each gets its own answer all the same.

let db: Db
beforeAll(async () => {
  db = await openTestDb()
  await db.script(`create table things (id text primary key, n int);
    insert into things select 'thing' || n, n from generate_series(1, 500) n`)
})
afterAll(() => db.close())

const BY_ID = 'select n from things where id = $1'
const lookUp = async (i: number, name?: string) => (await db.lookUp(BY_ID, [`thing${i}`], name)).rows[0]?.[0]
const numbers = Array.from({ length: 500 }, (_, i) => i + 1)

test.each(['thing by id', undefined])(
  '500 at once, with the name %s, get what each asked for',
  async (name) => {
    expect(await Promise.all(numbers.map((i) => lookUp(i, name)))).toEqual(numbers)
  },
)

test('one that fails ends no other, of the same name or not', async () => {
  const asked = numbers.slice(0, 60).map((i) => {
    if (i % 3 === 0)
      return db.lookUp('select 1 / (n - n) from things where id = $1', [`thing${i}`], 'wrong thing')
    if (i % 3 === 1) return lookUp(i, 'thing by id')
    return lookUp(i)
  })
  const ended = await Promise.allSettled(asked)
  expect(
    ended.map((end) => (end.status === 'fulfilled' ? end.value : (end.reason as { code: string }).code)),
  ).toEqual(numbers.slice(0, 60).map((i) => (i % 3 === 0 ? '22012' : i)))
})

test('within a transaction it sees what the transaction did, and outside nobody does', async () => {
  await db.transaction(async (inside) => {
    await inside.query('update things set n = 0 where id = $1', ['thing7'])
    expect((await inside.lookUp(BY_ID, ['thing7'])).rows).toEqual([[0]])
    if (db.kind === 'postgres') expect(await lookUp(7)).toBe(7)
    await inside.query('update things set n = 7 where id = $1', ['thing7'])
  })
})

test.runIf(process.env.TEST_BACKEND === 'postgres')('a connection that is lost is made anew', async () => {
  const own = (await db.lookUp('select pg_backend_pid()')).rows[0]![0]
  const caught = db.lookUp('select pg_sleep(30)').catch((error: unknown) => error)
  const behind = lookUp(1).catch((error: unknown) => error)
  await db.query('select pg_terminate_backend($1)', [own])
  expect(await caught).toBeInstanceOf(DatabaseAway)
  expect(await behind).toBeInstanceOf(DatabaseAway)
  expect(await lookUp(2)).toBe(2)
  expect((await db.lookUp('select pg_backend_pid()')).rows[0]![0]).not.toBe(own)
})
