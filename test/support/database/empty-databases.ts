import { join } from 'node:path'
import type { Db } from '../../../src/platform/db/open.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { testConfig } from '../server/start.ts'
import { openDb } from './open.ts'
import { createDatabase } from './postgres.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** The environment of a server on a database of its own. */
export type Environment = Record<'DATABASE_URL' | 'DATA_DIR', string>

/** An empty database. DATA_DIR is not there yet. */
export async function emptyDatabase(): Promise<Environment> {
  const DATABASE_URL = await createDatabase(process.env.TEST_POSTGRES_URL!)
  return { DATABASE_URL, DATA_DIR: join(temporaryFolder(), 'data') }
}

/** Opens the database of a place, runs `work` with it, closes it. */
export async function withDatabase<T>(
  place: Environment,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const config = await testConfig(place)
  const db = await openDb(config, createLogger(config))
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}
