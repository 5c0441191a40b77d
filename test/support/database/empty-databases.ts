import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Db, openDb } from '../../../src/db/open.ts'
import { createLogger } from '../../../src/log.ts'
import { testConfig } from '../server/start.ts'
import { createDatabase } from './postgres.ts'

/** The environment of a server on a database of its own. */
export type Environment = Record<'DATABASE_URL' | 'DATA_DIR', string>

const folders: string[] = []

/** An empty database. DATA_DIR is not there yet. */
export async function emptyDatabase(): Promise<Environment> {
  const folder = mkdtempSync(join(tmpdir(), 'pocketsms-copy-'))
  folders.push(folder)
  const DATABASE_URL = await createDatabase(process.env.TEST_POSTGRES_URL!)
  return { DATABASE_URL, DATA_DIR: join(folder, 'data') }
}

/** Opens the database of a place, runs `work` with it, closes it. */
export async function withDatabase<T>(place: Environment, work: (db: Db) => Promise<T>): Promise<T> {
  const config = await testConfig(place)
  const db = await openDb(config, createLogger(config))
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}
