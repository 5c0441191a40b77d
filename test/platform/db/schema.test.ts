import { buildIndexes } from '../../../src/gateway/messages/history-indexes.ts'
import { countMessages } from '../../../src/gateway/messages/message-totals.ts'
import { migrateDatabase } from '../../../src/platform/db/schema/migrate.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { dumpCollections } from '../../console/dump-collections.ts'
import { openCatalogStore } from '../../support/database/open.ts'
import { openTestDb } from '../../support/server/start.ts'
import { dumpFunctions } from './dump-functions.ts'
import { dumpRows } from './dump-rows.ts'
import { dumpSchema } from './dump-schema.ts'
import { dumpTables } from './dump-tables.ts'

const db = await openTestDb()
await migrateDatabase(db)
const store = await openCatalogStore(db)
await store.close()
await buildIndexes(db, createLogger({ logLevel: 'silent' }), 0)
await countMessages(db)

test('schema.sql matches the migrated schema (`npm run schema` rewrites it)', async () => {
  await expect(await dumpSchema(db)).toMatchFileSnapshot('./schema.sql')
})

test('tables.ts matches the tables and names no collection twice', async () => {
  await expect(await dumpTables({ db, catalog: store.catalog })).toMatchFileSnapshot(
    '../../../src/platform/db/tables.ts',
  )
})

test('functions.ts matches the functions', async () => {
  await expect(await dumpFunctions(db)).toMatchFileSnapshot('../../../src/platform/db/functions.ts')
})

test('rows.ts matches the composite types', async () => {
  await expect(await dumpRows(db)).toMatchFileSnapshot('../../../src/platform/db/rows.ts')
})

test("the console's collections.ts matches the built-in collections", async () => {
  await expect(dumpCollections()).toMatchFileSnapshot('../../../console/src/data/collections.ts')
})
