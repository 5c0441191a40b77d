import { upsertSuperuser } from '../../../src/engine/auth/superusers.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { openDb, runServer } from '../../support/database/open.ts'
import { freePort } from '../../support/database/postgres.ts'
import { serve } from '../../support/server/program.ts'
import { client, must, withDevices } from '../../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../../support/server/start.ts'
import { until } from '../../support/until.ts'

const NUMBER = '+4915112345678'

test('an erasure continues within a minute after its server was killed', {
  timeout: 300_000,
}, async () => {
  const env = { HOST: '127.0.0.1', PORT: String(await freePort()) }
  const config = await testConfig(env, 'prepared')
  const first = await runServer(config, createLogger(config))
  await upsertSuperuser(first.services.store, SUPERUSER.email, SUPERUSER.password)
  const { id, token } = await (await withDevices(first)).makeUser()
  await first.stop()
  const db = await openDb(config, createLogger(config))
  onTestFinished(() => db.close())
  await db.query(
    `insert into sms_messages (id, "user", "to", message_type, status, body, created)
    select pb_new_id(), $1, $2, 'outgoing', 'sent', 'Text ' || n, pb_text(now()) from generate_series(1, 30000) n`,
    [id, NUMBER],
  )
  const left = async () =>
    Number(
      (await db.query('select count(*) from sms_messages where "to" = $1', [NUMBER])).rows[0]![0],
    )
  const startServer = () => serve({ ...env, DATABASE_URL: config.databaseUrl!, LOG_LEVEL: 'error' })

  const killed = await startServer()
  const asked = await must(client(killed.url, id, token), 'POST', '/api/person/erase', {
    number: NUMBER,
    reason: 'Asked',
  })
  await until('the first portions', async () => (await left()) < 30_000)
  process.kill(killed.pid, 'SIGKILL')
  await killed.stop()
  const atKill = await left()
  expect(atKill).toBeGreaterThan(0)

  // the lease of the killed server ends within a minute: here at once
  const { rows } = await db.query(
    `update _jobs set due_at = now()
    where key = $1 and due_at between now() and now() + interval '1 minute' returning 1`,
    [asked.id],
  )
  expect(rows).toHaveLength(1)

  const { url } = await startServer()
  const read = () =>
    must(client(url, id, token), 'GET', `/api/collections/person_requests/records/${asked.id}`)
  await until('further portions', async () => (await left()) < atKill, 60_000)
  await until('the end of the erasure', async () => (await read()).state === 'done', 100_000)
  expect(await left()).toBe(0)
})
