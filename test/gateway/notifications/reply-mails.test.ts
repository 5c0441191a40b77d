import { SETTINGS_SHAPE } from '../../../src/engine/settings/settings-shape.ts'
import { addReplyMails } from '../../../src/gateway/notifications/reply-mails.ts'
import { type Client, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { startMailServer } from '../../support/services/mail-server.ts'

// Nothing is mailed by itself: time passes and mails go out when a test says so.

let user: Client
let phone: Client

const mail = await startMailServer()
const server = await startServerWithDevices({ PUBLIC_URL: 'https://sms.example.com' })
const post = server.server.services
await server.server.services.settings.save({
  smtp: { enabled: true, host: '127.0.0.1', port: mail.port },
})

beforeEach(async () => {
  for (const table of ['conversations', 'reply_mails', 'user_settings', '_jobs'])
    await query(`delete from ${table}`)
  mail.mails.length = 0
  user = await server.makeUser()
  phone = await server.pair(user)
  await query('update users set verified = true where id = $1', [user.id])
})

const query = (sql: string, params?: unknown[]) => server.query(sql, params)
const SETTINGS_PATH = '/api/collections/user_settings/records'
const choose = (reply_mail_minutes: number, more: object = {}) =>
  user.call('POST', SETTINGS_PATH, { user: user.id, reply_mail_minutes, ...more })
async function run(with_: Parameters<typeof addReplyMails>[1] = post) {
  const { db } = server.server.services.store
  await addReplyMails(db, with_)
  // the server's worker sends them
  const open = `select from _jobs where error = '' or due_at <= now()`
  await expect.poll(() => query(open)).toEqual([])
}
const subjects = () => mail.mails.map(({ subject }) => subject)

const hear = (...numbers: string[]) => {
  const texts = numbers.map((from) => [from, 'Secret'] as const)
  return server.hear(phone, texts)
}
/** All that the database knows of time is longer ago. */
async function pass(minutes: number) {
  await query(
    `update conversations set last_at = pb_text(last_at::timestamptz - $1 * interval '1 minute')`,
    [minutes],
  )
  await query(
    `update reply_mails set told_until = case when told_until = '' then '' else pb_text(told_until::timestamptz - $1 * interval '1 minute') end,
      next_at = next_at - $1 * interval '1 minute'`,
    [minutes],
  )
}
const ZOE = '+4915112345678'

test("an unanswered text is mailed about once after the user's chosen minutes", async () => {
  expect((await choose(30, { time_zone: 'America/New_York' })).status).toBe(200)
  await hear(ZOE)
  await pass(29)
  await run()
  expect(mail.mails).toEqual([])
  await pass(1)
  await run()
  expect(mail.mails).toHaveLength(1)
  const [{ subject, text, raw }] = mail.mails as [(typeof mail.mails)[0]]
  expect(subject).toBe(`${ZOE} waits for an answer`)
  expect(text).toContain('America/New_York')
  const link = `https://sms.example.com/#/conversations/${encodeURIComponent(ZOE)}`
  expect(raw.replace(/=\n/g, '')).toContain(link)
  expect(raw).not.toContain('Secret')
  await pass(60)
  await run()
  expect(mail.mails).toHaveLength(1)
  await hear(ZOE)
  await pass(30)
  await run()
  expect(mail.mails).toHaveLength(2)
})

test('a mail about unanswered texts is in the language of the user', async () => {
  await choose(30, { time_zone: 'America/Sao_Paulo' })
  await user.call('PATCH', `/api/collections/users/records/${user.id}`, { language: 'pt' })
  await hear(ZOE)
  await pass(30)
  await run()
  const [{ subject, text, raw }] = mail.mails as [(typeof mail.mails)[0]]
  expect(subject).toBe(`${ZOE} espera uma resposta`)
  expect(raw).toContain('<html lang=3D"pt">')
  expect(text).toMatch(/Um SMS espera sua resposta \(America\/Sao_Paulo\):\n/)
  expect(text).toMatch(/, desde \d+ de \S+ de \d{4}, \d\d:\d\d \S+\n/)
})

test.each([
  ['the user chose no mail', 'update user_settings set reply_mail_minutes = 0'],
  ['the address is not confirmed', 'update users set verified = false'],
  ['the user is disabled', 'update user_settings set disabled = true'],
  ['it was answered', 'update conversations set unanswered = false'],
  ['it is archived', 'update conversations set archived = true'],
  [
    'it waited for a day longer',
    `update conversations set last_at = pb_text(now() - interval '25 hours')`,
  ],
])('no mail is sent when %s', async (_, change) => {
  await choose(5)
  await hear(ZOE)
  await pass(10)
  await query(change)
  await run()
  expect(mail.mails).toEqual([])
})

test('no mail is sent without a mail server', async () => {
  await choose(5)
  await hear(ZOE)
  await pass(10)
  await run({ ...post, settings: { current: SETTINGS_SHAPE.fresh() } })
  expect(await query('select from reply_mails')).toEqual([])
  await run()
  expect(mail.mails).toHaveLength(1)
})

test('many waiting conversations share one mail of 20, and the next mail comes 5 minutes later', async () => {
  await choose(5)
  await hear(...Array.from({ length: 25 }, (_, i) => `+4915100000${i + 100}`))
  await pass(5)
  await run()
  expect(subjects()).toEqual(['25 conversations wait for an answer'])
  expect(mail.mails[0]!.text.match(/, since /g)).toHaveLength(20)
  expect(mail.mails[0]!.text).toContain('And 5 more.')
  await pass(3)
  await hear(ZOE)
  await query(
    `update conversations set last_at = pb_text(now() - interval '5 minutes') where number = $1`,
    [ZOE],
  )
  await run()
  expect(mail.mails).toHaveLength(1)
  await query('update reply_mails set next_at = now()')
  await run()
  expect(subjects()[1]).toContain(ZOE)
})

test("a contact's name is escaped in the mail and stays on one line", async () => {
  await choose(5)
  const contact = { user: user.id, name: '<b>Büro</b>', phone: ZOE }
  expect((await user.call('POST', '/api/collections/contacts/records', contact)).status).toBe(200)
  await hear(ZOE)
  await query('update conversations set name = $1', ['<b>Zoe</b>\nBcc: x'])
  await pass(5)
  await run()
  expect(subjects()).toEqual(['<b>Zoe</b> Bcc: x waits for an answer'])
  expect(mail.mails[0]!.raw.replace(/=\n/g, '')).toContain('&lt;b&gt;Zoe&lt;/b&gt; Bcc: x')
})

test.each([-1, 1.5, 10_081])('%s minutes are refused', async (minutes) => {
  expect((await choose(minutes)).status).toBe(400)
})
