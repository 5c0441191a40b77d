import { createDatabase, dropDatabase, startPostgres, type TemporaryPostgres } from './postgres.ts'
import { prepareDatabase } from './prepare.ts'

let server: TemporaryPostgres | undefined
let template: string | undefined

/**
 * Runs once before the tests on an installed Postgres, or that of TEST_DATABASE_URL: POSTGRES15_URL becomes
 * the server on which they make databases of their own, POSTGRES15_TEMPLATE a prepared one to copy. The
 * temporary server sorts text as English does, as servers in the wild do.
 */
export async function setup(): Promise<void> {
  const given = process.env.TEST_DATABASE_URL
  if (!given)
    server = await startPostgres({ icuLocale: 'en-US', settings: { fsync: 'off', max_connections: '200' } })
  const url = given || server!.url
  template = await createDatabase(url)
  await prepareDatabase({ DATABASE_URL: template, DATA_DIR: '' })
  process.env.POSTGRES15_URL = url
  process.env.POSTGRES15_TEMPLATE = new URL(template).pathname.slice(1)
}

export async function teardown(): Promise<void> {
  if (template && process.env.TEST_DATABASE_URL) await dropDatabase(process.env.TEST_DATABASE_URL, template)
  await server?.stop()
}
