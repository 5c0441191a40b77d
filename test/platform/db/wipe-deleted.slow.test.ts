import { rewriteTables } from '../../../src/platform/db/wipe-deleted.ts'
import { untilWaiting } from '../../support/database/locks.ts'
import { testStore } from '../../support/database/queue.ts'

test('a rewrite of all tables passes over a table that is deleted meanwhile', async () => {
  const { db } = await testStore()
  await db.query('create table _0_deleted (a int)')
  const said: string[] = []
  const { rewriting } = await db.transaction(async (inside) => {
    await inside.query('drop table _0_deleted')
    const rewriting = rewriteTables(db, (line) => said.push(line))
    await untilWaiting(db, 1)
    return { rewriting }
  })
  await rewriting
  expect(said[0]).toMatch(/^_0_deleted,/)
  expect(said.length).toBeGreaterThan(50)
})
