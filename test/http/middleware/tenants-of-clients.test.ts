import { basic, request } from '../../support/server/request.ts'
import { type Client, startServerWithDevices } from '../../support/server/server-with-devices.ts'

// Alice's key opens the APIs of SMSGate and Twilio. Nothing there shows or touches what is Bob's.

const NUMBER = '+4915550000002'

const records = (name: string) => `/api/collections/${name}/records`
const sidOf = (letters: string, id: string) => `${letters}${Buffer.from(id).toString('hex')}00`

async function make(who: Client, name: string, values: object) {
  const { status, body } = await who.call('POST', records(name), { user: who.id, ...values })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

/** All that could be changed of Bob's. */
async function snapshot(): Promise<string> {
  const names = ['sms_messages', 'devices', 'webhooks', 'api_keys', 'conversations']
  const lists = names.map((name) => bob.call('GET', `${records(name)}?sort=id`))
  return JSON.stringify(
    (await Promise.all(lists)).map(({ body }) => body.items),
    (field, value) =>
      ['last_seen', 'last_used_at', 'updated'].includes(field) ? undefined : value,
  )
}

const server = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const alice = await server.makeUser()
const bob = await server.makeUser()
await server.pair(alice)
const phone = await server.pair(bob, { name: 'SECRET phone', phone: NUMBER })
const all = { name: 'all', scopes: ['all:any'], twilio: true }
const key = await make(alice, 'api_keys', all)
await server.hear(phone, [['+491700000001', 'SECRET reply']])
const text = {
  recipients: ['+491700000001', '+491700000002'],
  body: 'SECRET',
  scheduled_at: '2099-01-01',
}
const sent = (await bob.call('POST', '/api/sms/send', text)).body
const hook = await make(bob, 'webhooks', {
  url: 'https://secret.example.com',
  smsgate_event: 'sms:sent',
  smsgate_id: 'bobs-hook',
  events: ['message.sent'],
})
const { key_sid: keySid } = await make(bob, 'api_keys', all)
const [message, batch, device] = [sent.message_ids[0], sent.batch_id, phone.id]
const before = await snapshot()

const smsgate = (method: string, path: string, body?: object) =>
  request(server.url, method, `/api/3rdparty/v1${path}`, body, basic(alice.id, key.key))
const twilio = (method: string, path: string, form?: Record<string, string>) =>
  request(
    server.url,
    method,
    `/2010-04-01/Accounts/${path}`,
    form && new URLSearchParams(form),
    basic(key.account_sid, key.auth_token),
  )

test.each<[method: string, path: string, status: number | undefined]>([
  ['GET', `/messages/${message}`, 404],
  ['GET', `/messages/${batch}`, 404],
  ['DELETE', `/messages/${message}`, 404],
  ['DELETE', `/messages/${batch}`, 404],
  ['DELETE', `/devices/${device}`, 404],
  ['DELETE', `/webhooks/${hook.smsgate_id}`, 204],
  ['GET', '/messages?includeContent=true&limit=100', 200],
  ['GET', `/messages?deviceId=${device}`, 200],
  ['GET', '/inbox', 200],
  ['GET', `/inbox?deviceId=${device}`, undefined],
  ['GET', '/devices', 200],
  ['GET', '/webhooks', 200],
])(
  "SMSGate's API shows and changes nothing of another user: %s %s",
  async (method, path, status) => {
    const answer = await smsgate(method, path)
    if (status !== undefined) expect(answer.status, answer.text).toBe(status)
    expect(answer.text).not.toMatch(/SECRET|\+49170000000|bobs-hook/)
    expect(await snapshot()).toBe(before)
  },
)

test("SMSGate's API refuses another user's device", async () => {
  const text = { phoneNumbers: ['+491700000003'], textMessage: { text: 'x' }, deviceId: device }
  expect((await smsgate('POST', '/messages', text)).status).toBe(400)
  const hook = { url: 'https://alice.example.com', event: 'sms:sent', deviceId: device }
  expect((await smsgate('POST', '/webhooks', hook)).status).toBe(400)
  const period = { since: '2026-11-20T00:00:00Z', until: '2026-11-21T00:00:00Z', deviceId: device }
  expect((await smsgate('POST', '/inbox/refresh', period)).status).toBe(400)
  expect(await snapshot()).toBe(before)
})

const mine = key.account_sid
const theirs = sidOf('AC', bob.id)
const bobsText = `${mine}/Messages/${sidOf('SM', message)}`
const number = `${mine}/IncomingPhoneNumbers/${sidOf('PN', device)}.json`

test.each<[method: string, path: string, form?: Record<string, string>]>([
  ['GET', `${theirs}.json`],
  ['GET', `${theirs}/Messages.json`],
  ['GET', `${theirs}/Messages/${sidOf('SM', message)}.json`],
  ['POST', `${theirs}/Messages.json`, { To: '+491700000003', Body: 'x' }],
  ['GET', `${bobsText}.json`],
  ['POST', `${bobsText}.json`, { Status: 'canceled' }],
  ['POST', `${bobsText}.json`, { Body: '' }],
  ['DELETE', `${bobsText}.json`],
  ['GET', `${bobsText}/Media.json`],
  ['GET', number],
  ['POST', number, { SmsUrl: 'https://alice.example.com' }],
])(
  "Twilio's API answers 404 for another user's account and messages: %s %s",
  async (method, path, form) => {
    const answer = await twilio(method, path, form)
    expect(answer.status, answer.text).toBe(404)
    expect(JSON.parse(answer.text)).toMatchObject({ code: 20404 })
    expect(answer.text).not.toContain('SECRET')
    expect(await snapshot()).toBe(before)
  },
)

test("Twilio's API neither lists another user's messages nor sends by their number", async () => {
  for (const list of ['Messages', 'IncomingPhoneNumbers'])
    expect((await twilio('GET', `${mine}/${list}.json`)).text).not.toMatch(
      /SECRET|\+49170000000|\+491555/,
    )
  const send = (form: Record<string, string>) =>
    twilio('POST', `${mine}/Messages.json`, { To: '+491700000003', Body: 'x', ...form })
  expect(JSON.parse((await send({ From: NUMBER })).text)).toMatchObject({ code: 21606 })
  const service = { MessagingServiceSid: sidOf('MG', bob.id) }
  expect(JSON.parse((await send(service)).text)).toMatchObject({ code: 21701 })
  const path = `/2010-04-01/Accounts/${mine}/Messages.json`
  const login = basic(keySid, key.auth_token)
  expect((await request(server.url, 'GET', path, undefined, login)).status).toBe(401)
  expect(await snapshot()).toBe(before)
})
