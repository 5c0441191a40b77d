import type { Db } from '../../../src/platform/db/open.ts'
import { openTestDb } from '../../support/server/start.ts'

test('statements of one name may run concurrently, also in a transaction', async () => {
  const db = await openTestDb()
  const ask = (inside: Db, n: number) => inside.query('select $1::int', [n], 'test at once')
  const answers = await db.transaction((inside) =>
    Promise.all([ask(inside, 1), ask(inside, 2), ask(inside, 3)]),
  )
  expect(answers.flatMap(({ rows }) => rows)).toEqual([[1], [2], [3]])
})

test('statements queued when a transaction fails are not sent', async () => {
  const db = await openTestDb()
  await db.query('create table late (n int)')
  const asked: Promise<unknown>[] = []
  const failed = db.transaction(async (inside) => {
    for (const text of ['select pg_sleep(0.1)', 'insert into late values (1)'])
      asked.push(inside.query(text))
    void Promise.allSettled(asked)
    throw new Error('given up')
  })
  await expect(failed).rejects.toThrow('given up')
  await Promise.allSettled(asked)
  expect((await db.query('select n from late')).rows).toEqual([])
})

const db = await openTestDb()
await db.script(
  'create table counters (id int primary key, n int); insert into counters values (1, 0), (2, 0)',
)

const ADD = 'update counters set n = n + 1 where id = $1'
const counts = async () => (await db.query('select n from counters order by id')).rows.flat()

test('a transaction ended by a deadlock is retried once', async () => {
  let tries = 0
  const arrived: (() => void)[] = []
  const both = new Promise<void>((resolve) => {
    arrived.push(() => {}, resolve)
  })
  const inOrder = (first: number, second: number) =>
    db.transaction(async (inside) => {
      tries++
      await inside.query(ADD, [first])
      arrived.shift()?.()
      await both
      await inside.query(ADD, [second])
    })
  await Promise.all([inOrder(1, 2), inOrder(2, 1)])
  expect(tries).toBe(3)
  expect(await counts()).toEqual([2, 2])
})

test('other errors are thrown at once and roll everything back', async () => {
  const before = await counts()
  let tries = 0
  const failing = db.transaction(async (inside) => {
    tries++
    await inside.query(ADD, [1])
    await inside.query('insert into counters values (1, 0)')
  })
  await expect(failing).rejects.toMatchObject({ code: '23505' })
  expect([tries, await counts()]).toEqual([1, before])
})
