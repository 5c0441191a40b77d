import type { TestProject } from 'vitest/node'
import { databaseFolder } from './database-folder.ts'
import { type PoolMode, setPooledRole, startPgBouncer } from './pgbouncer.ts'
import { createDatabase, dropDatabase, startPostgres, type TemporaryPostgres } from './postgres.ts'
import { prepareDatabase } from './prepare.ts'

let server: TemporaryPostgres | undefined
let template: string | undefined
let pooler: Awaited<ReturnType<typeof startPgBouncer>> | undefined

/**
 * Runs once before the tests of a project on an installed Postgres. With its TEST_SERVER as NAME: NAME_URL
 * becomes the server on which they make databases of their own, NAME_TEMPLATE a prepared one to copy.
 * TEST_DATABASE_URL names a server to use, else a temporary one sorts text as English does, as servers in the
 * wild do. With TEST_POOL_MODE NAME_POOLER becomes the port of a PgBouncer before it.
 */
export async function setup({ config: { env } }: TestProject): Promise<void> {
  const { TEST_SERVER: name, TEST_POOL_MODE: mode } = env
  const given = mode ? undefined : process.env.TEST_DATABASE_URL
  if (!given)
    server = await startPostgres({
      parent: databaseFolder(),
      icuLocale: 'en-US',
      settings: { fsync: 'off', max_connections: mode ? '500' : '200' },
    })
  const url = given || server!.url
  template = await createDatabase(url)
  await prepareDatabase({ DATABASE_URL: template, DATA_DIR: '' })
  if (mode) {
    await setPooledRole(url)
    pooler = await startPgBouncer(url, mode as PoolMode)
    process.env[`${name}_POOLER`] = String(pooler.port)
  }
  process.env[`${name}_URL`] = url
  process.env[`${name}_TEMPLATE`] = new URL(template).pathname.slice(1)
}

export async function teardown(): Promise<void> {
  await pooler?.stop()
  if (server) return server.stop()
  if (template) await dropDatabase(process.env.TEST_DATABASE_URL!, template)
}
