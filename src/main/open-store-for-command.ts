import type { Store } from '../engine/collections/catalog.ts'
import { type CatalogStore, openCatalogStore } from '../engine/collections/catalog-store.ts'
import { type Config, readConfig } from '../platform/config.ts'
import { openDb } from '../platform/db/connect-database.ts'
import { migrateDatabase } from '../platform/db/schema/migrate.ts'
import { createLogger, type Logger } from '../platform/log.ts'
import { BUILT_IN } from './collection-definitions.ts'

/** The settings and the log of a command, which prints warnings only. */
export function readCommandSetting(): { config: Config; log: Logger } {
  const config = readConfig({ LOG_LEVEL: 'warn', ...process.env })
  return { config, log: createLogger(config) }
}

/** Opens the database, brings it up to date, calls `work` and closes it. */
export async function withCatalogStore(
  work: (store: CatalogStore) => Promise<void>,
): Promise<void> {
  const { config, log } = readCommandSetting()
  const database = await openDb(config, log)
  try {
    await migrateDatabase(database.forEverybody('command'))
    const store = await openCatalogStore(database, BUILT_IN)
    // the store must be closed before the database
    await work(store).finally(() => store.close())
  } finally {
    await database.close()
  }
}

export const withStore = (work: (store: Store) => Promise<void>) =>
  withCatalogStore((store) => work(store.forEverybody('command')))
