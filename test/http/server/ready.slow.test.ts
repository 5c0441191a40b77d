import pg from 'pg'
import { readConfig } from '../../../src/platform/config.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { runServer } from '../../support/database/open.ts'
import { watchStatements } from '../../support/database/watch-statements.ts'
import { client, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { testConfig } from '../../support/server/start.ts'
import { makeBreakableProxy } from '../../support/services/breakable-proxy.ts'

const ready = () => fixture.guest.call('GET', '/api/ready')

const fixture = await startServerWithDevices()

describe('GET /api/ready', () => {
  test('GET /api/ready reports a healthy server to anybody', async () => {
    await expect.poll(ready).toEqual({
      status: 200,
      body: {
        ready: true,
        serving: true,
        database: { reachable: true, migrated: true, writable: true, listening: true },
        queue: { due: 0, oldest_seconds: 0 },
      },
    })
  })

  test('GET /api/ready queries the database at most once a second for 50 probes', async () => {
    const begun = performance.now()
    const asked = await watchStatements(['query'], () =>
      Promise.all(Array.from({ length: 50 }, ready)),
    )
    const seconds = Math.ceil((performance.now() - begun) / 1_000)
    const looks = asked.filter(({ text }) => text.includes('_migrations')).length
    expect(looks).toBeLessThanOrEqual(seconds)
  })

  test('GET /api/ready reports the number of messages due for devices', async () => {
    const user = await fixture.makeUser()
    await fixture.pair(user)
    const body = { recipients: ['+4915112345678'], body: 'Hello' }
    await user.call('POST', '/api/sms/send', body)
    const later = new Date(Date.now() + 3_600_000).toISOString()
    await user.call('POST', '/api/sms/send', { ...body, scheduled_at: later })
    await expect.poll(async () => (await ready()).body.queue.due).toBe(1)
    await expect.poll(async () => (await ready()).body.queue.oldest_seconds).toBeGreaterThan(1)
  })

  test('GET /api/ready answers 503 while the database is not migrated', async () => {
    const { db } = fixture.server.services.store
    await db.query(`update _migrations set file = 'x' || file where file like '0001%'`)
    await expect.poll(async () => (await ready()).status).toBe(503)
    const database = { reachable: true, migrated: false }
    expect((await ready()).body).toMatchObject({ ready: false, database })
    await db.query(`update _migrations set file = substr(file, 2) where file like 'x%'`)
    await expect.poll(async () => (await ready()).status).toBe(200)
  })

  test.each([
    ['its disk is full', '53100', 'could not extend file'],
    ['its files are lost', '58P01', 'could not open shared memory segment'],
  ])('GET /api/ready answers 503 while the database fails as %s', async (_, code, message) => {
    const user = await fixture.makeUser()
    const { databaseUrl } = fixture.server.services.config
    const pathname = new URL(databaseUrl!).pathname
    // only a superuser of Postgres can refuse new tables
    const db = new pg.Client(
      Object.assign(new URL(process.env.TEST_POSTGRES_URL!), { pathname }).href,
    )
    await db.connect()
    await fixture.pair(user)
    // what Postgres says then, of a text and of new blocks
    const fail = `begin raise exception '${message}' using errcode = '${code}'; end`
    await db.query(`create function fail() returns trigger language plpgsql as $$${fail}$$;
      create trigger fail before insert on sms_messages for each row execute function fail();
      create function fail_event() returns event_trigger language plpgsql as $$${fail}$$;
      create event trigger fail on ddl_command_start when tag in ('CREATE TABLE AS')
        execute function fail_event()`)
    const send = () =>
      user.call('POST', '/api/sms/send', { recipients: ['+4915112345678'], body: 'Hello' })
    expect((await send()).status).toBe(503)
    const database = { reachable: true, writable: false }
    await expect.poll(async () => (await ready()).body).toMatchObject({ ready: false, database })
    await db.query('drop event trigger fail; drop function fail, fail_event cascade')
    await expect.poll(async () => (await ready()).status).toBe(200)
    expect((await send()).status).toBe(200)
    await db.end()
  })
})

test('the readiness probe answers 503 while the database is unreachable', async () => {
  const { databaseUrl } = await testConfig()
  const proxy = await makeBreakableProxy(databaseUrl!)
  await proxy.connect()
  const config = readConfig({ PORT: '0', DATABASE_URL: proxy.url })
  const server = await runServer(config, createLogger({ logLevel: 'silent' }))
  const ask = () => client(server.url, '', '').call('GET', '/api/ready')
  await expect.poll(async () => (await ask()).status).toBe(200)
  await proxy.disconnect()
  await expect.poll(async () => (await ask()).status).toBe(503)
  expect((await ask()).body).toEqual({
    ready: false,
    serving: true,
    database: { reachable: false, migrated: false, writable: false, listening: false },
    queue: null,
  })
  await proxy.connect()
  await expect.poll(async () => (await ask()).status).toBe(200)
  await server.stop()
  await proxy.disconnect()
})
