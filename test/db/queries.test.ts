import { sql } from 'kysely'
import { queries } from '../../src/db/queries.ts'
import { createLogger } from '../../src/log.ts'
import { openDb } from '../support/database/open.ts'
import { testConfig } from '../support/server/start.ts'

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
  expect(await queries(db).selectFrom('_params').select('key').where('key', '=', 'c').execute()).toEqual([])
})

test('a connection prepares a query once, whatever its values', async () => {
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

test('a lookup runs on the connection for lookups', async () => {
  const { plan } = await queries(db, 'lookUp')
    .selectNoFrom(sql<string>`current_setting('plan_cache_mode')`.as('plan'))
    .executeTakeFirstOrThrow()
  expect(plan).toBe('force_generic_plan')
})
