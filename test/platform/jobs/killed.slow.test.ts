import { setTimeout as sleep } from 'node:timers/promises'
import { upsertSuperuser } from '../../../src/engine/auth/superusers.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { openDb, runServer } from '../../support/database/open.ts'
import { freePort } from '../../support/database/postgres.ts'
import { serve } from '../../support/server/program.ts'
import { client, withDevices } from '../../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../../support/server/start.ts'
import { startMailServer } from '../../support/services/mail-server.ts'
import { startPushService } from '../../support/services/push-service.ts'

const ROUNDS = 4
const ACCOUNTS = 4
const RECIPIENTS = 600

test('repeated kills of a server lose no job and repeat no job that must run once', {
  timeout: 400_000,
}, async () => {
  const env = { HOST: '127.0.0.1', PORT: String(await freePort()), WEBHOOK_ALLOW_PRIVATE: 'true' }
  const config = await testConfig(env, 'prepared')
  const [mail, browser] = await Promise.all([startMailServer(), startPushService(50)])
  const first = await runServer(config, createLogger(config))
  await upsertSuperuser(first.services.store, SUPERUSER.email, SUPERUSER.password)
  await first.services.settings.save({
    smtp: { enabled: true, host: '127.0.0.1', port: mail.port },
  })
  const fixture = await withDevices(first)
  const accounts = await Promise.all(
    Array.from({ length: ACCOUNTS }, async (_, i) => {
      const user = await fixture.makeUser()
      const answer = { user: user.id, enabled: true, match: 'any', body: 'We are closed' }
      await user.call('POST', '/api/collections/auto_answers/records', answer)
      await user.call('PUT', '/api/account/push', browser.subscription(`/${i}`))
      return { user, phone: await fixture.pair(user) }
    }),
  )
  await first.stop()
  const db = await openDb(config, createLogger(config))
  onTestFinished(async () => {
    await Promise.all([db.close(), mail.stop(), browser.stop()])
  })
  const rows = async (sql: string, params: unknown[] = []) => (await db.query(sql, params)).rows
  const count = async (sql: string) => Number((await rows(`select count(*) from ${sql}`))[0]![0])
  await rows('update users set verified = true')
  const startServer = async () => {
    const program = await serve({ ...env, DATABASE_URL: config.databaseUrl!, LOG_LEVEL: 'error' })
    onTestFinished(program.stop)
    return program
  }

  /** Jobs that were running at a kill, by what they are about: only these may be done twice. */
  const interrupted: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const { url, pid, stop } = await startServer()
    const call = async ({ id, token }: { id: string; token: string }, path: string, body: object) =>
      expect((await client(url, id, token).call('POST', path, body)).status).toBe(200)
    const recipients = Array.from(
      { length: RECIPIENTS },
      (_, i) => `+4977${1_000_000 + round * 1_000 + i}`,
    )
    await Promise.all([
      ...accounts.map(({ phone }, i) => {
        const from = `+4917${1_000_000 + round * 1_000 + i}`
        return fixture.hear(client(url, phone.id, phone.token), [[from, 'Are you open?']])
      }),
      call(accounts[round % ACCOUNTS]!.user, '/api/campaigns', {
        body: 'Sale',
        recipients,
        hold_seconds: 0,
      }),
      rows(
        `insert into _jobs (kind, holder, key, payload) select 'alarm_mail', id, gen_random_uuid(), $1
         from users`,
        [
          JSON.stringify([
            { name: 'Phone', silentSince: '', backSince: '2026-11-20 07:00:00.000Z' },
          ]),
        ],
      ),
    ])
    // a job is reached at another point each time
    await sleep(round * 50)
    process.kill(pid, 'SIGKILL')
    await stop()
    // a push that has begun keeps its key when a new text resets its attempts
    const running = await rows(
      `select kind, key, payload::text from _jobs where (attempts > 0 or key like 'run:%') and due_at > now()`,
    )
    interrupted.push(...running.map((job) => job.join(' ')))
    // as after the end of the leases and pauses
    await rows('update _jobs set due_at = least(due_at, now())')
    await rows('update push_hours set ends = now(), next_at = now()')
  }
  await startServer()
  await expect
    .poll(
      async () => {
        // mails that wait for an older one; what the last kill has left becomes due by itself
        await rows(`update _jobs set due_at = now() where kind = 'alarm_mail' and attempts = 0`)
        return count(`_jobs where kind <> 'campaign'`)
      },
      { timeout: 120_000, interval: 500 },
    )
    .toBe(0)
  const stored = 'sms_messages m join campaigns c on c.batch_id = m.batch_id'
  await expect.poll(() => count(stored), { timeout: 120_000 }).toBe(ROUNDS * RECIPIENTS)
  expect(await count(`(select distinct m."to" from ${stored}) t`)).toBe(ROUNDS * RECIPIENTS)
  await rows('delete from sms_dispatch')
  await rows(`update sms_messages set status = 'sent' where message_type = 'outgoing'`)
  await expect
    .poll(() => count(`campaigns where status <> 'done'`), { timeout: 120_000, interval: 500 })
    .toBe(0)
  await expect.poll(() => count('_jobs'), { timeout: 60_000 }).toBe(0)

  const answers = `sms_messages where client_ref like 'auto:%'`
  expect(await count(answers)).toBe(ROUNDS * ACCOUNTS)
  expect(await count(`(select distinct "to" from ${answers}) t`)).toBe(ROUNDS * ACCOUNTS)
  const mails = mail.mails.map(({ raw }) => /^Message-ID: <(.*)@/im.exec(raw)![1]!)
  const notices = browser.pushed.map(({ text }) => JSON.parse(text))
  const pushes = notices.flatMap(({ conversation }) => conversation ?? [])
  // texts of several rounds may have become one notice
  const joined = notices.reduce((sum, { conversations = 0 }) => sum + conversations, 0)
  expect(new Set(mails).size).toBe(ROUNDS * ACCOUNTS)
  expect(new Set(pushes).size + joined).toBeGreaterThanOrEqual(ROUNDS * ACCOUNTS)
  const isRepeated = (all: readonly string[]) => all.filter((one, i) => all.indexOf(one) !== i)
  const repeated = [...isRepeated(mails), ...isRepeated(pushes)]
  expect(repeated.filter((one) => !interrupted.some((job) => job.includes(one)))).toEqual([])
  // the kills hit jobs of several kinds
  expect(new Set(interrupted.map((job) => job.split(' ')[0])).size).toBeGreaterThan(1)
})
