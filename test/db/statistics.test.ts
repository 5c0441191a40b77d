import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/db/open.ts'
import { analyzeChangedTables } from '../../src/db/statistics.ts'
import { openTestDb } from '../support/server/start.ts'

let db: Db
beforeAll(async () => {
  db = await openTestDb()
})
afterAll(() => db.close())

/** What Postgres believes to be in a table. */
const counted = async (table: string) =>
  Number((await db.query('select reltuples from pg_class where relname = $1', [table])).rows[0]![0])

const fill = async (table: string, rows: number) => {
  await db.query(`insert into "${table}" select i from generate_series(1, ${rows}) i`)
  await db.query('select pg_stat_force_next_flush()')
}

test('tables of which a tenth has changed are counted, others not', async () => {
  for (const table of ['Changed much', 'changed little']) {
    await db.query(`create table "${table}" (i int) with (autovacuum_enabled = off)`)
    await fill(table, 10_000)
  }
  await expect
    .poll(async () => {
      await analyzeChangedTables(db)
      return [await counted('Changed much'), await counted('changed little')]
    })
    .toEqual([10_000, 10_000])
  await fill('changed little', 300)
  await fill('Changed much', 3_000)
  await expect
    .poll(async () => {
      await analyzeChangedTables(db)
      return counted('Changed much')
    })
    .toBe(13_000)
  expect(await counted('changed little')).toBe(10_000)
})
