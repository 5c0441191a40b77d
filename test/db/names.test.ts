import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Db } from '../../src/db/open.ts'
import { openTestDb } from '../support/server/start.ts'

// Prepared statements of the embedded database, which knows them by their names. (The driver of a server does
// this by itself.)

describe.runIf(process.env.TEST_BACKEND !== 'postgres')('a name', () => {
  let db: Db
  beforeAll(async () => {
    db = await openTestDb()
    await db.script('create table things (a int); insert into things values (7)')
  })
  afterAll(() => db.close())
  const ask = async (text: string, name = 'things', on = db) => (await on.query(text, [], name)).rows
  const codeOf = (asked: Promise<unknown>) =>
    asked.then(
      () => 'none',
      (error: { code: string }) => error.code,
    )

  test('that is used for another text stands for that', async () => {
    expect(await ask('select 1')).toEqual([[1]])
    expect(await ask(`select 'two'`)).toEqual([['two']])
    expect(await ask('select 1')).toEqual([[1]])
  })

  test('of a statement that is none stands for nothing', async () => {
    expect(await codeOf(ask('select nothing', 'none'))).toBe('42703')
    expect(await ask('select 1', 'none')).toEqual([[1]])
    expect(await codeOf(ask('select 1 / (a - a) from things', 'wrong'))).toBe('22012')
    expect(await codeOf(ask('select 1 / (a - a) from things', 'wrong'))).toBe('22012')
  })

  test('that was first used in a transaction that is rolled back', async () => {
    const inside = db.transaction(async (db) => {
      expect(await ask('select 1', 'inside', db)).toEqual([[1]])
      await db.query('select 1 / 0')
    })
    expect(await codeOf(inside)).toBe('22012')
    expect(await ask('select 2', 'inside')).toEqual([[2]])
    expect(await ask('select 1', 'inside')).toEqual([[1]])
  })

  test('that was first used after a transaction had failed', async () => {
    const inside = db.transaction(async (db) => {
      await db.query('select 1 / 0').catch(() => {})
      expect(await codeOf(ask('select 1', 'after', db))).toBe('25P02')
      return 'went on'
    })
    expect(await inside).toBe('went on')
    expect(await ask('select 1', 'after')).toEqual([[1]])
  })

  test('whose table has other columns is wrong once at most', async () => {
    expect(await ask('select * from things', 'all')).toEqual([[7]])
    await db.script('alter table things add b text')
    expect(await codeOf(ask('select * from things', 'all'))).toBe('0A000')
    expect(await ask('select * from things', 'all')).toEqual([[7, null]])
  })

  test('is dropped for newer ones, and made anew', async () => {
    for (let n = 0; n < 1_100; n++) expect(await ask(`select ${n}`, `number ${n}`)).toEqual([[n]])
    expect(await ask('select 3', 'number 3')).toEqual([[3]])
    const { rows } = await db.query('select count(*)::int from pg_prepared_statements')
    expect(rows).toEqual([[500]])
  })
})
