import { sql } from 'kysely'
import { createTransport } from 'nodemailer'
import { releaseDueMessages } from '../../../src/gateway/messages/queue/overdue-messages.ts'
import { reassignMessages } from '../../../src/gateway/messages/queue/reassign-messages.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { runServer } from '../../support/database/open.ts'
import { freePort } from '../../support/database/postgres.ts'
import { basic, request } from '../../support/server/request.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'

// Two servers on one Postgres: what changes a key at the first is right at the second at once.

const SMTP_PORT = await freePort()
const env = { SMTP_PORT: String(SMTP_PORT), TRUSTED_PROXIES: '127.0.0.1' }
const fixture = await startServerWithDevices(env)
const { config } = fixture.server.services
const other = await runServer({ ...config, smtpPort: 0 }, createLogger({ logLevel: 'silent' }))
const NODES = [fixture.url, other.url]
const { query } = fixture
const TO = '+4915112345678'
const SMSGATE = '/api/3rdparty/v1'
const KEYS = '/api/collections/api_keys/records'

let user: Client
let phones: Client[]
let lines: string[]
let account: string
beforeAll(async () => {
  user = await fixture.makeUser()
  phones = [await fixture.pair(user), await fixture.pair(user)]
  account = (await make()).account_sid
  lines = await Promise.all(phones.map(({ id }) => lineOf(id)))
})
const lineOf = async (device: string) =>
  String((await query('select id from lines where device = $1', [device]))[0]![0])
const make = (values: object = {}) =>
  must(user, 'POST', KEYS, { user: user.id, name: 'shop', twilio: true, ...values })
const change = (id: string, values: object) => must(user, 'PATCH', `${KEYS}/${id}`, values)
const rotate = (id: string, values: object = {}) => change(id, { prefix: '', ...values })
const later = (ms: number) => new Date(Date.now() + ms).toISOString()

const post = (url: string, path: string, body: unknown, headers: Record<string, string>) =>
  request(url, 'POST', path, body, { 'x-forwarded-for': '203.0.113.9', ...headers })
const MCP = { accept: 'application/json, text/event-stream' }
const call = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'send_message', arguments: { body: 'Hi', recipients: [TO] } },
}
/** Each way to send by a key; the answer is its status. */
const DOORS = {
  send: (url, key) =>
    post(url, '/api/sms/send', { body: 'Hi', recipients: [TO] }, { 'x-api-key': key }),
  SMSGate: (url, key) =>
    post(
      url,
      `${SMSGATE}/messages`,
      { textMessage: { text: 'Hi' }, phoneNumbers: [TO] },
      basic(user.id, key),
    ),
  Twilio: (url, key) => {
    const form = new URLSearchParams({ To: TO, Body: 'Hi' })
    return post(
      url,
      `/2010-04-01/Accounts/${account}/Messages.json`,
      form,
      basic(account, key.replace('_', '')),
    )
  },
  Kannel: (url, key) => {
    const asked = new URLSearchParams({ username: user.id, password: key, to: TO, text: 'Hi' })
    return request(url, 'GET', `/cgi-bin/sendsms?${asked}`)
  },
  MCP: (url, key) => post(url, '/mcp', call, { ...MCP, authorization: `Bearer ${key}` }),
  SMTP: (_, key) => {
    const auth = { user: user.id, pass: key }
    const transport = createTransport({ host: '127.0.0.1', port: SMTP_PORT, ignoreTLS: true, auth })
    const sent = transport.sendMail({
      from: 'a@example.com',
      to: `${TO}@x`,
      text: `Hi ${Math.random()}`,
    })
    return sent.then(
      () => ({ status: 200 }),
      ({ responseCode: status }) => ({ status }),
    )
  },
} satisfies Readonly<
  Record<string, (url: string, key: string) => Promise<{ status: number; text?: string }>>
>
type Door = keyof typeof DOORS

/** What the doors answer to a key at both servers: `yes`, `no` for a key that is none, or a status. */
async function asked(key: string, doors = Object.keys(DOORS) as Door[]): Promise<string[]> {
  const answers = new Set<string>()
  for (const name of doors)
    for (const url of NODES) {
      const { status, text = '' } = (await DOORS[name](url, key)) as {
        status: number
        text?: string
      }
      const isRefused = status === 401 || (name === 'Kannel' && status === 403) || status === 535
      answers.add(
        isRefused ? 'no' : status < 300 && !text.includes('isError') ? 'yes' : `${name} ${status}`,
      )
    }
  return [...answers]
}
const sends = (key: string) => asked(key, ['send'])
const rowOf = async (columns: string, id: string) =>
  (await query(`select ${columns} from api_keys where id = $1`, [id]))[0]!.map(String)

test('after a rotation both secrets work for all APIs on both servers until the old one ends, and count as one key', async () => {
  const { id, key } = await make()
  const { key: next, auth_token, previous_prefix, previous_until } = await rotate(id)
  expect([auth_token, previous_prefix]).toEqual([next.replace('_', ''), key.slice(0, 10)])
  expect(Math.abs(Date.parse(previous_until) - Date.now() - 86_400_000)).toBeLessThan(60_000)
  for (const one of [key, next]) {
    expect(await asked(one)).toEqual(['yes'])
    const used = () => rowOf('last_used_prefix, last_used_ip', id)
    await expect.poll(used).toEqual([one.slice(0, 10), '203.0.113.9'])
  }
  expect(await query('select count(distinct sent_by), min(sent_by) from sms_messages')).toEqual([
    [1, id],
  ])
  await change(id, { previous_until: '' })
  expect([await asked(key), await asked(next)]).toEqual([['no'], ['yes']])
  await change(id, { previous_until: later(60_000) })
  expect(await sends(key)).toEqual(['no'])
})

test.each([
  ['refuses sends if it ends at once', '', 'no'],
  ['refuses sends a second later if it ends then', later(1_000), 'no'],
  ['still sends if it ends in an hour', later(3_600_000), 'yes'],
])('the old secret %s, and the new secret sends', async (_, previous_until, is) => {
  const { id, key } = await make()
  const { key: next } = await rotate(id, { previous_until })
  await expect.poll(() => sends(key), { timeout: 5_000 }).toEqual([is])
  expect(await sends(next)).toEqual(['yes'])
})

test('after repeated or concurrent rotations only the used secret and the newest are valid', async () => {
  const { id, key } = await make()
  const use = async (one: string) => {
    expect(await sends(one)).toEqual(['yes'])
    await expect.poll(() => rowOf('last_used_prefix', id)).toEqual([one.slice(0, 10)])
  }
  await use(key)
  const made = [(await rotate(id)).key, (await rotate(id)).key]
  made.push(...(await Promise.all(Array.from({ length: 20 }, async () => (await rotate(id)).key))))
  const answers = await Promise.all(made.map(sends))
  const newest = made[answers.findIndex(([is]) => is === 'yes')]!
  expect([answers.filter(([is]) => is === 'yes').length, await sends(key)]).toEqual([1, ['yes']])
  await use(newest)
  const { key: last } = await rotate(id)
  expect([await sends(key), await sends(newest), await sends(last)]).toEqual([
    ['no'],
    ['yes'],
    ['yes'],
  ])
})

test('a disabled key is refused by all APIs on both servers, and works again when enabled', async () => {
  const { id, key } = await make()
  for (const disabled of [true, false, true]) {
    await change(id, { disabled })
    expect([disabled, await asked(key)]).toEqual([disabled, [disabled ? 'no' : 'yes']])
  }
})

test('a key disabled while it sends has sent exactly the messages that were answered with 200', async () => {
  const { id, key } = await make()
  const under = Array.from({ length: 60 }, (_, i) => DOORS.send(NODES[i % 2]!, key))
  await change(id, { disabled: true })
  expect(await sends(key)).toEqual(['no'])
  const statuses = (await Promise.all(under)).map(({ status }) => status)
  const accepted = statuses.filter((status) => status === 200).length
  expect(await query('select count(*) from sms_messages where sent_by = $1', [id])).toEqual([
    [accepted],
  ])
  expect(new Set([...statuses, 200, 401])).toEqual(new Set([200, 401]))
})

test('SMSGate tokens end with the secret that issued them', async () => {
  const { id, key } = await make({ twilio: false, scopes: ['all:any'] })
  const issue = async (by: string) =>
    (
      await post(
        fixture.url,
        `${SMSGATE}/auth/token`,
        { scopes: ['devices:list'] },
        basic(user.id, by),
      )
    ).body
  const { key: next } = await rotate(id)
  const tokens = [await issue(key), await issue(next)].flatMap((made) => [
    made.access_token,
    made.refresh_token,
  ])
  const ask = async (token: string) =>
    (
      await request(other.url, 'GET', `${SMSGATE}/devices`, undefined, {
        authorization: `Bearer ${token}`,
      })
    ).status
  expect(await Promise.all(tokens.map(ask))).toEqual([200, 403, 200, 403])
  await change(id, { previous_until: '' })
  expect(await Promise.all(tokens.map(ask))).toEqual([401, 401, 200, 403])
})

test('a key limited to a line sends only by it through every API, also later and when its phone is silent', async () => {
  const { id, key } = await make({ lines: [lines[0]] })
  expect(await asked(key)).toEqual(['yes'])
  const named = async (values: object) => {
    const body = { body: 'Hi', recipients: [TO], ...values }
    const answer = await post(fixture.url, '/api/sms/send', body, { 'x-api-key': key })
    return [answer.status, answer.body.error]
  }
  const scheduled_at = later(3_600_000)
  for (const values of [{ line_id: lines[0] }, { device_id: phones[0]!.id }, { scheduled_at }])
    expect([values, ...(await named(values))]).toEqual([values, 200, undefined])
  const refused = [403, 'line_not_allowed']
  expect(await named({ line_id: lines[1] })).toEqual(refused)
  expect(await named({ device_id: phones[1]!.id, scheduled_at })).toEqual(refused)
  const { db } = fixture.server.services.store
  await query(`update sms_dispatch set due_at = now() where state = 'pending'`)
  await releaseDueMessages(db, 60)
  await reassignMessages(db, sql`select id from sms_messages where sent_by = ${id}`, 'late', 60)
  const used = await query(`select distinct line, status from sms_messages where sent_by = $1`, [
    id,
  ])
  expect(used).toEqual([[lines[0], 'assigned']])
  await must(user, 'DELETE', `/api/collections/devices/records/${phones[0]!.id}`)
  expect(await named({})).toEqual([503, 'no_devices'])
})

test('an API key cannot read or change keys, and lines of others or another owner are refused', async () => {
  const { id, key } = await make({ twilio: false, scopes: ['all:any'], destinations: '+49' })
  const bearer = { authorization: `Bearer ${key}` }
  const ways: Record<string, string>[] = [
    { 'x-api-key': key },
    { authorization: key },
    bearer,
    basic(user.id, key),
  ]
  for (const by of ways) {
    const answers = [
      await request(fixture.url, 'GET', `${KEYS}/${id}`, undefined, by),
      await request(fixture.url, 'POST', KEYS, { user: user.id, name: 'wider' }, by),
      await request(fixture.url, 'PATCH', `${KEYS}/${id}`, { destinations: '', prefix: '' }, by),
      await request(fixture.url, 'DELETE', `${KEYS}/${id}`, undefined, by),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 400, 404, 404])
  }
  const stranger = await fixture.makeUser()
  const theirs = await lineOf((await fixture.pair(stranger)).id)
  const answers = [
    await user.call('POST', KEYS, { user: user.id, name: 'x', lines: [theirs] }),
    await user.call('PATCH', `${KEYS}/${id}`, { 'lines+': theirs }),
    await user.call('PATCH', `${KEYS}/${id}`, { user: stranger.id }),
    await stranger.call('PATCH', `${KEYS}/${id}`, { prefix: '' }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 404, 404])
})
