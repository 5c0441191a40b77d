import { expect, onTestFinished, test } from 'vitest'
import { upsertSuperuser } from '../../src/auth/superusers/superusers.ts'
import { openDb } from '../../src/db/open.ts'
import { createLogger } from '../../src/log.ts'
import { start } from '../../src/server.ts'
import { freePort } from '../support/database/postgres.ts'
import { serve } from '../support/server/program.ts'
import { client, withDevices } from '../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../support/server/start.ts'

const ROUNDS = 6
const TEXTS = 40

test('a server that is killed while it answers texts loses none and sends none twice', {
  timeout: 240_000,
}, async () => {
  const config = await testConfig({ PORT: String(await freePort()), HOST: '127.0.0.1' }, 'prepared')
  const first = await start(config, createLogger(config))
  await upsertSuperuser(first.services.store, SUPERUSER.email, SUPERUSER.password)
  const fixture = await withDevices(first)
  const user = await fixture.makeUser()
  const phone = await fixture.pair(user)
  const answer = { user: user.id, enabled: true, match: 'any', body: 'We are closed' }
  expect((await user.call('POST', '/api/collections/auto_answers/records', answer)).status).toBe(200)
  await first.stop()

  const db = await openDb(config, createLogger(config))
  onTestFinished(() => db.close())
  const count = async (sql: string) => Number((await db.query(`select count(*) from ${sql}`)).rows[0]![0])
  const env = {
    PORT: String(config.port),
    HOST: config.host,
    DATABASE_URL: config.databaseUrl ?? '',
    LOG_LEVEL: 'error',
  }
  let leftBehind = 0
  for (let round = 0; round < ROUNDS; round++) {
    const program = await serve(env)
    onTestFinished(program.stop)
    const items = Array.from({ length: TEXTS }, (_, i) => ({
      from: `+4917${1_000_000 + round * 1_000 + i}`,
      body: 'Are you open?',
      received_at: new Date().toISOString(),
    }))
    const { status } = await client(program.url, phone.id, phone.token).call(
      'POST',
      '/api/devices/incoming',
      { items },
    )
    expect(status).toBe(200)
    process.kill(program.pid, 'SIGKILL')
    await program.stop()
    leftBehind += await count('_jobs where runs > 0')
    // as after the end of the leases
    await db.query('update _jobs set due_at = now()')
  }
  // the rounds are worth something: jobs were under way
  expect(leftBehind).toBeGreaterThan(0)
  const last = await serve(env)
  onTestFinished(last.stop)
  await expect.poll(() => count('_jobs'), { timeout: 60_000, interval: 500 }).toBe(0)
  expect(await count(`sms_messages where message_type = 'outgoing'`)).toBe(ROUNDS * TEXTS)
  expect(await count(`(select distinct "to" from sms_messages where message_type = 'outgoing') t`)).toBe(
    ROUNDS * TEXTS,
  )
})
