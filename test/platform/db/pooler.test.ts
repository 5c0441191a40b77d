import { readConfig } from '../../../src/platform/config.ts'
import { runServer } from '../../support/database/open.ts'
import { type PoolMode, startPgBouncer } from '../../support/database/pgbouncer.ts'
import { openTestDb, testConfig } from '../../support/server/start.ts'
import { makeBreakableProxy } from '../../support/services/breakable-proxy.ts'

// What a server sees of a PgBouncer before its Postgres.

test('while Postgres behind PgBouncer is away requests get 503, and afterwards they succeed again', async () => {
  const cable = await makeBreakableProxy(process.env.TEST_POSTGRES_URL!)
  onTestFinished(() => cable.disconnect())
  await cable.connect()
  const pooler = await startPgBouncer(cable.url, process.env.TEST_POOL_MODE as PoolMode)
  onTestFinished(() => pooler.stop())
  const { databaseUrl, databaseListenUrl } = await testConfig()
  const environment = {
    PORT: '0',
    LOG_LEVEL: 'silent',
    DATABASE_URL: Object.assign(new URL(databaseUrl!), { port: pooler.port }).href,
    ...(databaseListenUrl && { DATABASE_LISTEN_URL: databaseListenUrl }),
  }
  const server = await runServer(readConfig(environment))
  onTestFinished(() => server.stop())
  const list = async () => (await fetch(`${server.url}/api/collections/users/records`)).status
  expect(await list()).toBe(200)
  await cable.disconnect()
  for (let i = 0; i < 20; i++) expect(await list()).toBe(503)
  await cable.connect()
  await expect.poll(list).toBe(200)
})

test('connections keep their time limit after a statement without one', async () => {
  const db = await openTestDb()
  onTestFinished(() => db.close())
  await db.unhurried('select 1')
  const limits = await Promise.all(
    Array.from({ length: 20 }, () => db.query('show statement_timeout')),
  )
  expect(new Set(limits.map(({ rows }) => rows[0]![0]))).toEqual(new Set(['3s']))
})

test('a server behind PgBouncer receives NOTIFY', async () => {
  const server = await runServer(await testConfig())
  onTestFinished(() => server.stop())
  const ready = async () => {
    const answer = await fetch(`${server.url}/api/ready`)
    return ((await answer.json()) as { database: unknown }).database
  }
  await expect
    .poll(ready)
    .toEqual({ reachable: true, migrated: true, writable: true, listening: true })
})
