import { randomBytes } from 'node:crypto'
import { upsertSuperuser } from '../../../src/auth/superusers/superusers.ts'
import { type Config, readConfig } from '../../../src/config.ts'
import { type Db, openDb } from '../../../src/db/open.ts'
import { importFiles } from '../../../src/import/fixtures.ts'
import { createLogger } from '../../../src/log.ts'
import { type RunningServer, start } from '../../../src/server.ts'
import { watchAnswers } from '../answers/answers.ts'
import { dataFolder } from '../database/pglite.ts'
import { createDatabase } from '../database/postgres.ts'

export const SUPERUSER = { email: 'root@example.com', password: 'rootpass12345' } as const

/** Settings of a test: a database of its own on the backend that this run is for, any free port, no log. */
export async function testConfig(environment: Record<string, string> = {}): Promise<Config> {
  const adminUrl = process.env.TEST_POSTGRES_URL
  const onPostgres = process.env.TEST_BACKEND === 'postgres' && adminUrl
  const database = onPostgres
    ? { DATABASE_URL: await createDatabase(adminUrl, `test_${randomBytes(6).toString('hex')}`) }
    : { DATA_DIR: environment.DATA_DIR ?? (await dataFolder()) }
  return readConfig({ PORT: '0', LOG_LEVEL: 'silent', DATABASE_POOL: '8', ...database, ...environment })
}

/** An empty database without migrations. Close it when done. */
export async function openTestDb(): Promise<Db> {
  const config = await testConfig()
  return openDb(config, createLogger(config))
}

/**
 * A server on its own database, with SUPERUSER in it; the corpus of `schema` and `fixtures` files if given.
 */
export async function startServer(
  options: { env?: Record<string, string>; schema?: string; fixtures?: string } = {},
): Promise<RunningServer> {
  const server = await watchAnswers(await start(await testConfig(options.env)))
  await upsertSuperuser(server.services.store, SUPERUSER.email, SUPERUSER.password)
  const { schema, fixtures } = options
  if (schema || fixtures) await importFiles(server.services.store, { schema, fixtures }, () => {})
  return server
}
