import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { upsertSuperuser } from '../../../src/engine/auth/superusers.ts'
import { importFiles } from '../../../src/engine/import/import-fixtures.ts'
import { collectExtensions } from '../../../src/main/features.ts'
import { type Config, readConfig } from '../../../src/platform/config.ts'
import { createLogger, type Logger } from '../../../src/platform/log.ts'
import { watchAnswers } from '../answers/answers.ts'
import { type OpenDb, openDb, runServer, type TestServer } from '../database/open.ts'
import { createDatabase, dropDatabase } from '../database/postgres.ts'
import { temporaryFolder } from '../database/temporary-folder.ts'

export const SUPERUSER = { email: 'root@example.com', password: 'rootpass12345' } as const

/** What a new database holds: nothing, or what `prepareDatabase` makes. */
type Content = 'empty' | 'prepared'

/**
 * Settings of a test: any free port, no log, and unless `environment` names one a new database.
 */
export async function testConfig(
  environment: Record<string, string> = {},
  content: Content = 'empty',
): Promise<Config> {
  const database = 'DATABASE_URL' in environment ? {} : await newDatabase(content)
  const chosen = { PORT: '0', LOG_LEVEL: 'silent', DATABASE_POOL: '8' }
  return readConfig({ ...chosen, ...database, ...environment })
}

const made: string[] = []

async function newDatabase(content: Content): Promise<Record<string, string>> {
  const { TEST_POSTGRES_URL: server, TEST_TEMPLATE } = process.env
  const name = `test_${randomBytes(6).toString('hex')}`
  const url = await createDatabase(
    server!,
    name,
    content === 'prepared' ? TEST_TEMPLATE : undefined,
  )
  made.push(url)
  const { TEST_POOLER: port, TEST_POOL_MODE } = process.env
  if (!port) return { DATABASE_URL: url }
  const pooled = Object.assign(new URL(url), { port }).href
  return {
    DATABASE_URL: pooled,
    ...(TEST_POOL_MODE === 'transaction' && { DATABASE_LISTEN_URL: url }),
  }
}

/** Drops the databases that `testConfig` made in this process. */
export async function dropDatabases(): Promise<void> {
  for (const url of made.splice(0)) await dropDatabase(process.env.TEST_POSTGRES_URL!, url)
}

/** An empty database without migrations. Close it when done. */
export const openTestDb = (): Promise<OpenDb> => open(testConfig())

/** A database with what `prepareDatabase` makes. Close it when done. */
export const openPreparedDb = (): Promise<OpenDb> => open(testConfig({}, 'prepared'))

async function open(settings: Promise<Config>): Promise<OpenDb> {
  const config = await settings
  return openDb(config, createLogger(config))
}

/** Collections and records to import: each a file, or what is to be in one. */
interface Corpus {
  readonly schema?: unknown
  readonly fixtures?: unknown
}

const EXTENSIONS = collectExtensions({ webhookAllowPrivate: true })

export const importCorpus = (
  store: TestServer['services']['store'],
  { schema, fixtures }: Corpus,
) =>
  importFiles(store, EXTENSIONS, { schema: fileOf(schema), fixtures: fileOf(fixtures) }, () => {})

function fileOf(content: unknown): string | undefined {
  if (content === undefined || typeof content === 'string') return content
  const file = join(temporaryFolder(), 'corpus.json')
  writeFileSync(file, JSON.stringify(content))
  return file
}

/** A server on its own database, with SUPERUSER and this corpus in it. */
export async function startServer(
  options: Corpus & { env?: Record<string, string>; log?: Logger | undefined } = {},
): Promise<TestServer> {
  const config = await testConfig(options.env, 'prepared')
  const server = await watchAnswers(await runServer(config, options.log))
  await upsertSuperuser(server.services.store, SUPERUSER.email, SUPERUSER.password)
  if (options.schema || options.fixtures) await importCorpus(server.services.store, options)
  return server
}
