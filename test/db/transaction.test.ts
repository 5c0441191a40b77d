import type { Db } from '../../src/db/open.ts'
import { openTestDb } from '../support/server/start.ts'

test('statements of one name may be asked for at once, inside a transaction too', async () => {
  const db = await openTestDb()
  const ask = (inside: Db, n: number) => inside.query('select $1::int', [n], 'test at once')
  const answers = await db.transaction((inside) =>
    Promise.all([ask(inside, 1), ask(inside, 2), ask(inside, 3)]),
  )
  expect(answers.flatMap(({ rows }) => rows)).toEqual([[1], [2], [3]])
})

test('what waits when a transaction fails is not sent after it', async () => {
  const db = await openTestDb()
  await db.query('create table late (n int)')
  const asked: Promise<unknown>[] = []
  const failed = db.transaction(async (inside) => {
    for (const text of ['select pg_sleep(0.1)', 'insert into late values (1)']) asked.push(inside.query(text))
    void Promise.allSettled(asked)
    throw new Error('given up')
  })
  await expect(failed).rejects.toThrow('given up')
  await Promise.allSettled(asked)
  expect((await db.query('select n from late')).rows).toEqual([])
})
