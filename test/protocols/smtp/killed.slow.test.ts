import { createTransport } from 'nodemailer'
import { upsertSuperuser } from '../../../src/engine/auth/superusers.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { openDb, runServer } from '../../support/database/open.ts'
import { freePort } from '../../support/database/postgres.ts'
import { serve } from '../../support/server/program.ts'
import { withDevices } from '../../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../../support/server/start.ts'

const [MAILS, KILL_AFTER, CONNECTIONS, LIMIT] = [200, 80, 10, 60]

test("of 200 mails the hook's limit is sent; without a limit kill -9 loses no accepted mail and repeats no mail", {
  timeout: 300_000,
}, async () => {
  const smtpPort = await freePort()
  const env = { HOST: '127.0.0.1', PORT: String(await freePort()), SMTP_PORT: String(smtpPort) }
  const config = await testConfig(env, 'prepared')
  const first = await runServer(config, createLogger(config))
  await upsertSuperuser(first.services.store, SUPERUSER.email, SUPERUSER.password)
  const fixture = await withDevices(first)
  const user = await fixture.makeUser()
  await fixture.pair(user)
  const made = async (collection: string, values: object) =>
    (
      await user.call('POST', `/api/collections/${collection}/records`, {
        user: user.id,
        ...values,
      })
    ).body
  const { key } = await made('api_keys', { name: 'mail' })
  const hook = await made('hooks', {
    name: 'Mail',
    preset: 'text',
    recipients: ['+4911111'],
    rate: 1_000,
  })
  const transport = () =>
    createTransport({
      host: '127.0.0.1',
      port: smtpPort,
      pool: true,
      maxConnections: CONNECTIONS,
      maxMessages: 1_000,
      auth: { user: user.id, pass: key },
    })
  const limit = (rateLimits: object) =>
    fixture.superuser.call('PATCH', '/api/settings', { rateLimits })
  const rule = { label: '/api/sms/send', maxRequests: LIMIT, duration: 3_600 }
  await limit({ enabled: true, rules: [rule] })
  const flood = transport()
  const flooded = await Promise.allSettled(
    Array.from({ length: MAILS }, (_, i) =>
      flood.sendMail({ from: 'a@example.com', to: '+4915112345678@x', text: `limited ${i}` }),
    ),
  )
  flood.close()
  const refused = flooded.flatMap((one) =>
    one.status === 'rejected' ? [String(one.reason.message)] : [],
  )
  expect(refused.filter((reason) => !/451 .*[a-z]{3}/.test(reason))).toEqual([])
  expect(refused).toHaveLength(MAILS - LIMIT)
  expect(await fixture.query('delete from sms_messages returning 1')).toHaveLength(LIMIT)
  await limit({ enabled: false })
  await first.stop()
  const db = await openDb(config, createLogger(config))
  onTestFinished(() => db.close())
  const program = () => serve({ ...env, DATABASE_URL: config.databaseUrl!, LOG_LEVEL: 'error' })
  const dying = await program()
  onTestFinished(dying.stop)

  /** Every other mail is for the hook. */
  const mail = (i: number) => ({
    from: 'a@example.com',
    to: i % 2 === 0 ? `+4915112345678@x` : `${hook.secret}@x`,
    text: `mail ${i}`,
    messageId: `<${i}@example.com>`,
  })
  const accepted = new Set<number>()
  const sendAll = async (then: () => void = () => {}) => {
    const open = transport()
    const left = Array.from({ length: MAILS }, (_, i) => i).filter((i) => !accepted.has(i))
    const send = async (i: number) => {
      await open.sendMail(mail(i))
      accepted.add(i)
      if (accepted.size === KILL_AFTER) then()
    }
    await Promise.allSettled(left.map(send))
    open.close()
  }
  await sendAll(() => process.kill(dying.pid, 'SIGKILL'))
  expect(dying.hasEnded()).toBe(true)
  expect(accepted.size).toBeGreaterThanOrEqual(KILL_AFTER)
  expect(accepted.size).toBeLessThan(MAILS)
  const stored = async () =>
    (await db.query(`select body from sms_messages where message_type = 'outgoing'`)).rows.map(
      ([body]) => String(body),
    )
  const before = new Set(await stored())
  expect([...accepted].filter((i) => !before.has(`mail ${i}`))).toEqual([])

  const second = await program()
  onTestFinished(second.stop)
  await sendAll()
  expect(accepted.size).toBe(MAILS)
  expect((await stored()).sort()).toEqual(
    Array.from({ length: MAILS }, (_, i) => `mail ${i}`).sort(),
  )
})
