import { openStore } from '../../../src/collections/catalog/catalog-store.ts'
import { readConfig } from '../../../src/config.ts'
import { openDb } from '../../../src/db/open.ts'
import { migrate } from '../../../src/db/schema/migrate.ts'
import { createLogger } from '../../../src/log.ts'
import { buildIndexes } from '../../../src/sms/large-history.ts'

/**
 * Makes in an empty database what a server makes when it first starts: all tables and the built-in
 * collections; and the indexes of a large history, so that tests use them. It takes a second, so a test run
 * does it once and copies the result.
 */
export async function prepareDatabase(place: Record<'DATABASE_URL' | 'DATA_DIR', string>): Promise<void> {
  const config = readConfig({ LOG_LEVEL: 'silent', ...place })
  const log = createLogger(config)
  const db = await openDb(config, log)
  try {
    await migrate(db)
    await (await openStore(db)).close()
    await buildIndexes(db, log, 0)
  } finally {
    await db.close()
  }
}
