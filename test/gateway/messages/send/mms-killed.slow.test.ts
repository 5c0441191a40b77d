import { setTimeout as sleep } from 'node:timers/promises'
import { upsertSuperuser } from '../../../../src/engine/auth/superusers.ts'
import { createLogger } from '../../../../src/platform/log.ts'
import { openDb, runServer } from '../../../support/database/open.ts'
import { freePort } from '../../../support/database/postgres.ts'
import { serve } from '../../../support/server/program.ts'
import { withDevices } from '../../../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../../../support/server/start.ts'
import { openMmsServer, SMALL } from './mms-fixture.ts'

const ROUNDS = 4

test('a server that is killed while it stores MMS leaves no message without its files', {
  timeout: 120_000,
}, async () => {
  const env = { HOST: '127.0.0.1', PORT: String(await freePort()) }
  const config = await testConfig(env, 'prepared')
  const first = await runServer(config, createLogger(config))
  await upsertSuperuser(first.services.store, SUPERUSER.email, SUPERUSER.password)
  const fixture = await withDevices(first)
  const { user } = await openMmsServer(fixture).makeShop()
  await first.stop()
  const db = await openDb(config, createLogger(config))
  onTestFinished(() => db.close())
  const count = async (sql: string) => Number((await db.query(sql, [])).rows[0]![0])
  const numbers = Array.from({ length: 20 }, (_, i) => `+49151123456${10 + i}`)
  let killed = 0
  for (let round = 0; round < ROUNDS; round++) {
    const program = await serve({ ...env, DATABASE_URL: config.databaseUrl!, LOG_LEVEL: 'error' })
    onTestFinished(program.stop)
    const { sendForm } = openMmsServer({ ...fixture, url: program.url })
    const sends = Array.from({ length: 6 }, () =>
      sendForm(user, { recipients: numbers, body: 'x' }, [SMALL, SMALL]).catch(() => {
        killed++
      }),
    )
    await sleep(150 + 150 * round)
    process.kill(program.pid, 'SIGKILL')
    await Promise.all(sends)
    await program.stop()
  }
  expect(killed).toBeGreaterThan(0)
  await vi.waitFor(async () =>
    expect(
      await count(`select count(*) from pg_stat_activity where datname = current_database()
        and state <> 'idle' and pid <> pg_backend_pid()`),
    ).toBe(0),
  )
  const named = await count('select coalesce(sum(cardinality(attachments)), 0) from sms_messages')
  const stored = await count(`select count(*) from _files f join sms_messages m on m.id = f.record
    where f.name = any (m.attachments) and f.size = (
      select sum(length(c.bytes)) from _file_chunks c where c.content = f.content)`)
  expect(stored).toBe(named)
  expect(await count('select count(*) from _files')).toBe(named)
})
