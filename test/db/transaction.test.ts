import { expect, test } from 'vitest'
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
