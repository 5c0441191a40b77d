import { expect, test } from 'vitest'
import { isInternal } from '../../src/collections/catalog.ts'
import { textsOf } from '../../src/db/rows.ts'
import { migrate } from '../../src/db/schema/migrate.ts'
import { createLogger } from '../../src/log.ts'
import { buildIndexes } from '../../src/sms/large-history.ts'
import { countMessages } from '../../src/sms/usage/totals.ts'
import { dumpCollections } from '../console/dump-collections.ts'
import { openStore } from '../support/database/open.ts'
import { openTestDb } from '../support/server/start.ts'
import { stopAfterAll } from '../support/stop-after-all.ts'
import { dumpSchema } from './dump-schema.ts'
import { dumpTables } from './dump-tables.ts'

const db = stopAfterAll(await openTestDb())
await migrate(db)
const store = await openStore(db)
await store.close()
await buildIndexes(db, createLogger({ logLevel: 'silent' }), 0)
await countMessages(db)

test('schema.sql shows the present schema; `npm run schema` writes it anew', async () => {
  await expect(await dumpSchema(db)).toMatchFileSnapshot('./schema.sql')
})

test('tables.ts has the types of its tables', async () => {
  await expect(await dumpTables(db)).toMatchFileSnapshot('../../src/db/statements/tables.ts')
})

test("the console's collections.ts has the fields of the built-in collections", async () => {
  await expect(dumpCollections()).toMatchFileSnapshot('../../console/src/data/collections.ts')
})

/** Taken in PocketBase, too. */
const TAKEN = ['_collections', '_migrations', '_params']

test('names.ts has each table and type that is no collection', async () => {
  const sql = `select relname from pg_class where relkind in ('r', 'c') and relnamespace = current_schema()::regnamespace
    union select typname from pg_type where typtype = 'd' and typnamespace = current_schema()::regnamespace`
  const names = textsOf(await db.query(sql)).filter((name) => !TAKEN.includes(name))
  expect(names.filter((name) => isInternal(name) === Boolean(store.catalog.find(name)))).toEqual([])
})
