import { startPostgres, type TemporaryPostgres } from './postgres.ts'

let server: TemporaryPostgres | undefined

/**
 * Runs once before the tests on Postgres: TEST_POSTGRES_URL becomes the server on which they make databases
 * of their own, TEST_DATABASE_URL if that is set. The temporary one sorts text as English does, as servers in
 * the wild do: what forgets to say COLLATE "C" fails here.
 */
export async function setup(): Promise<void> {
  const given = process.env.TEST_DATABASE_URL
  if (!given)
    server = await startPostgres({ icuLocale: 'en-US', settings: { fsync: 'off', max_connections: '200' } })
  process.env.TEST_POSTGRES_URL = given || server?.url
}

export async function teardown(): Promise<void> {
  await server?.stop()
}
