import { sql } from 'kysely'
import { LOCKS } from '../../../src/platform/db/advisory-locks.ts'
import {
  acquireLock,
  matchAny,
  matchAnyFound,
  queries,
  tryAcquireLock,
} from '../../../src/platform/db/queries.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { openDb } from '../../support/database/open.ts'
import { testConfig } from '../../support/server/start.ts'

const config = await testConfig({ DATABASE_POOL: '3' }, 'prepared')
const db = (await openDb(config, createLogger(config))).forEverybody('server')

test('a query returns its rows as objects', async () => {
  await queries(db).insertInto('_params').values({ key: 'a', value: '1' }).execute()
  const rows = await queries(db)
    .selectFrom('_params')
    .select(['key', 'value'])
    .where('key', '=', 'a')
    .execute()
  expect(rows).toEqual([{ key: 'a', value: '1' }])
})

test('an update returns the number of changed rows', async () => {
  await queries(db).insertInto('_params').values({ key: 'b', value: '1' }).execute()
  const { numUpdatedRows } = await queries(db)
    .updateTable('_params')
    .set({ value: '2' })
    .where('key', '=', 'b')
    .executeTakeFirst()
  expect(numUpdatedRows).toBe(1n)
})

test('a query in a transaction is rolled back with it', async () => {
  const failing = db.transaction(async (tx) => {
    await queries(tx).insertInto('_params').values({ key: 'c', value: '1' }).execute()
    throw new Error('undo')
  })
  await expect(failing).rejects.toThrow('undo')
  expect(
    await queries(db).selectFrom('_params').select('key').where('key', '=', 'c').execute(),
  ).toEqual([])
})

test('a connection prepares a query once, for all values', async () => {
  await db.transaction(async (tx) => {
    const read = (key: string) =>
      queries(tx)
        .selectFrom('_params')
        .select('value')
        .where('key', '=', sql<string>`any(${[key]}::text[])`)
        .execute()
    for (const key of ['a', 'b', 'c']) await read(key)
    const { rows } = await tx.query(
      `select count(*) from pg_prepared_statements where statement like '%from "_params" where "key" = any(%'`,
    )
    expect(rows).toEqual([[1]])
  })
})

test('SQL with names that are values runs in its transaction, unprepared', async () => {
  const table = sql.id(`a."b' c`)
  await db.transaction(async (tx) => {
    await sql`create temporary table ${table} (size int) on commit drop`.execute(tx)
    await sql`insert into ${table} select unnest(${[1, 2, 3]}::int[])`.execute(tx)
    const { rows } = await sql<{
      size: number
    }>`select size from ${table} where size > ${2}`.execute(tx)
    expect(rows).toEqual([{ size: 3 }])
    const prepared = await tx.query(
      `select from pg_prepared_statements where statement like '%a.""b%'`,
    )
    expect(prepared.rows).toEqual([])
  })
})

test('a lookup runs on the connection for lookups', async () => {
  const { plan } = await queries(db, 'lookUp')
    .selectNoFrom(sql<string>`current_setting('plan_cache_mode')`.as('plan'))
    .executeTakeFirstOrThrow()
  expect(plan).toBe('force_generic_plan')
})

test('a list is one parameter, and a query finds any of it', async () => {
  await queries(db).insertInto('_params').values({ key: 'd', value: '1' }).execute()
  const found = await queries(db)
    .selectFrom('_params')
    .select('key')
    .where('key', '=', matchAny(['d', 'x']))
    .execute()
  expect(found).toEqual([{ key: 'd' }])
  const written = await queries(db)
    .updateTable('_params')
    .set({ value: '2' })
    .where('key', '=', ({ selectFrom }) =>
      matchAnyFound(selectFrom('_params').select('key').where('key', '=', 'd').forUpdate()),
    )
    .returning('value')
    .execute()
  expect(written).toEqual([{ value: '2' }])
})

test('an advisory lock is free again after its transaction', async () => {
  await db.transaction(async (tx) => {
    await acquireLock(tx, LOCKS.sweep)
    expect(await db.transaction((other) => tryAcquireLock(other, LOCKS.sweep))).toBe(false)
  })
  expect(await db.transaction((other) => tryAcquireLock(other, LOCKS.sweep))).toBe(true)
})

// what tsc finds: each line below an expectation is an error
test('tsc rejects wrong columns, options and values', () => {
  const params = queries(db)
  // @ts-expect-error a misspelt column
  params.selectFrom('_params').select('kei')
  // @ts-expect-error a number for a text
  params.selectFrom('_params').where('key', '=', 1)
  // @ts-expect-error an insert without one of its values
  params.insertInto('_params').values({ key: 'k' })
  // @ts-expect-error an option that the field does not have
  params.updateTable('campaigns').set({ status: 'ended' })
  // @ts-expect-error a condition on an option that the field does not have
  params.selectFrom('sms_messages').where('status', '=', 'canceled')
})
