import { saveCollection } from '../../../src/engine/collections/save-collection.ts'
import { buildIndexes } from '../../../src/gateway/messages/history-indexes.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { migrateDatabase } from '../../../src/platform/db/schema/migrate.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { openCatalogStore, openDb, type TestStore } from './open.ts'

/** The least that bcrypt knows. */
const MIN_COST = 4

/**
 * Makes in an empty database what a server makes when it first starts: all tables and the built-in
 * collections; and the indexes of a large history, so that tests use them. It takes a second, so a test run
 * does it once and copies the result. Passwords are hashed in 1 ms instead of 57.
 */
export async function prepareDatabase(
  place: Record<'DATABASE_URL' | 'DATA_DIR', string>,
): Promise<void> {
  const config = readConfig({ LOG_LEVEL: 'silent', ...place })
  const log = createLogger(config)
  const db = await openDb(config, log)
  try {
    await migrateDatabase(db)
    const store = await openCatalogStore(db)
    await makePasswordsCheap(store)
    await store.close()
    await buildIndexes(db, log, 0)
  } finally {
    await db.close()
  }
}

async function makePasswordsCheap(store: TestStore): Promise<void> {
  for (const collection of store.catalog.all) {
    if (collection.type !== 'auth') continue
    const fields = collection.fields.map((one) =>
      one.type === 'password' ? { ...one, cost: MIN_COST } : one,
    )
    await store.change((draft) => saveCollection(draft, { ...collection, fields }))
  }
}
