import { openStore } from '../../../src/collections/catalog/catalog-store.ts'
import { readConfig } from '../../../src/config.ts'
import { openDb } from '../../../src/db/open.ts'
import { migrate } from '../../../src/db/schema/migrate.ts'
import { createLogger } from '../../../src/log.ts'

/**
 * Makes in an empty database what a server makes when it first starts: all tables and the built-in
 * collections. It takes a second, so a test run does it once and copies the result.
 */
export async function prepareDatabase(place: Record<'DATABASE_URL' | 'DATA_DIR', string>): Promise<void> {
  const config = readConfig({ LOG_LEVEL: 'silent', ...place })
  const db = await openDb(config, createLogger(config))
  try {
    await migrate(db)
    await (await openStore(db)).close()
  } finally {
    await db.close()
  }
}
