import { makeSid } from '../../src/protocols/twilio/sids.ts'
import { basic, request } from '../support/server/request.ts'
import { must } from '../support/server/server-with-devices.ts'
import { makeKey, startTwilioFixture } from '../support/twilio/twilio-fixture.ts'

// Whom the doors of other products show texts that another key, or a person, has sent.

const { gateway } = await startTwilioFixture()
const { url } = gateway
const shop = await gateway.makeUser()
const phone = await gateway.pair(shop)
await gateway.hear(phone, [['+4915112345699', 'From a customer']])
const received = String(
  (await gateway.query(`select id from sms_messages where message_type = 'incoming'`))[0]![0],
)

const KEYS = {
  'the key that has sent them': {},
  'another key': {},
  'a key with messages:list': { twilio: false, scopes: ['messages:read', 'messages:list'] },
  'a key with all:any': { scopes: ['all:any'] },
}
type Who = keyof typeof KEYS
const keys = Object.fromEntries(
  await Promise.all(
    Object.entries(KEYS).map(async ([who, values]) => [who, await makeKey(shop, values)]),
  ),
) as Record<Who, Awaited<ReturnType<typeof makeKey>>>
const secretOf = ({ key, auth_token: token }: { key?: string; auth_token?: string }) =>
  key ?? `psk_${token!.slice(3)}`

const author = { 'x-api-key': secretOf(keys['the key that has sent them']) }
const send = async (recipients: readonly string[]) =>
  (await request(url, 'POST', '/api/sms/send', { recipients, body: 'Of a key' }, author)).body
const [one] = (await send(['+4915112345678'])).message_ids
const { batch_id: batch } = await send(['+4915112345678', '+4915112345679'])
const clientsSend = { id: 'by-smsgate', textMessage: { text: 'Of a key' } }
await request(
  url,
  'POST',
  '/3rdparty/v1/messages',
  { ...clientsSend, phoneNumbers: ['+4915112345678'] },
  basic(shop.id, author['x-api-key']),
)
const [ofPerson] = (
  await must(shop, 'POST', '/api/sms/send', { recipients: ['+4915112345678'], body: 'Of Ann' })
).message_ids

const ask = (who: Who, path: string, headers = basic(shop.id, secretOf(keys[who]))) =>
  request(url, 'GET', path, undefined, headers)
const askByKey = (who: Who, path: string) =>
  request(url, 'GET', path, undefined, { 'x-api-key': secretOf(keys[who]) })
const sidOf = (id: string) => makeSid('SM', id)
const account = `/2010-04-01/Accounts/${makeSid('AC', shop.id)}`
const askTwilio = (who: Who, path: string) => {
  const { account_sid: sid, auth_token: token } = keys[who]
  return request(url, 'GET', `${account}/${path}.json`, undefined, basic(sid, token))
}
async function askMcp(who: Who, id: string) {
  const call = { name: 'get_message', arguments: { id } }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }
  const accept = 'application/json, text/event-stream'
  const headers = { 'x-api-key': secretOf(keys[who]), accept }
  const { text } = await request(url, 'POST', '/mcp', body, headers)
  return { status: text.includes('Of a key') ? 200 : 404 }
}

type Read = (who: Who) => Promise<{ readonly status: number }>
const DOORS: Readonly<Record<string, Read>> = {
  "SMSGate's API, a text": (who) => ask(who, `/3rdparty/v1/messages/${one}`),
  "SMSGate's API, a batch": (who) => ask(who, `/3rdparty/v1/messages/${batch}`),
  "SMSGate's API, a send of its own": (who) => ask(who, '/3rdparty/v1/messages/by-smsgate'),
  "Vendel's API, a text": (who) => askByKey(who, `/vendel/api/sms/status/${one}`),
  "Vendel's API, a batch": (who) => askByKey(who, `/vendel/api/sms/batch/${batch}`),
  'MCP, a text': (who) => askMcp(who, one),
}

describe.each(Object.entries(DOORS))('%s', (_, read) => {
  test.each<[Who, number]>([
    ['the key that has sent them', 200],
    ['another key', 404],
    ['a key with messages:list', 200],
    ['a key with all:any', 200],
  ])('is shown to %s: %i', async (who, status) => {
    expect((await read(who)).status).toBe(status)
  })
})

test.each<[Who, own: number, ofOthers: number, listed: number]>([
  ['the key that has sent them', 200, 404, 5],
  ['another key', 404, 404, 1],
  ['a key with all:any', 200, 200, 6],
])(
  "Twilio's API shows %s received texts, and of sent ones only those of the key unless it has all:any",
  async (who, own, ofOthers, listed) => {
    const statusOf = async (id: string) => (await askTwilio(who, `Messages/${sidOf(id)}`)).status
    expect(await statusOf(received)).toBe(200)
    expect([await statusOf(one), await statusOf(ofPerson)]).toEqual([own, ofOthers])
    expect((await askTwilio(who, `Messages/${sidOf(one)}/Media`)).status).toBe(own)
    expect((await askTwilio(who, 'Messages')).body.messages).toHaveLength(listed)
  },
)

test("a key neither cancels nor deletes another key's texts by the doors of other products", async () => {
  const other = keys['another key']
  const login = basic(other.account_sid, other.auth_token)
  const path = `${account}/Messages/${sidOf(one)}.json`
  const cancel = new URLSearchParams({ Status: 'canceled' })
  expect((await request(url, 'POST', path, cancel, login)).status).toBe(404)
  expect((await request(url, 'DELETE', path, undefined, login)).status).toBe(404)
  const ofClients = `/3rdparty/v1/messages/${one}`
  const byClient = basic(shop.id, secretOf(other))
  expect((await request(url, 'DELETE', ofClients, undefined, byClient)).status).toBe(404)
  expect(await gateway.query('select status from sms_messages where id = $1', [one])).toEqual([
    ['assigned'],
  ])
})

test('a batch is counted by /api/sms for the key that has sent it alone', async () => {
  const statusFor = async (who: Who) => (await askByKey(who, `/api/sms/batches/${batch}`)).status
  expect(await statusFor('the key that has sent them')).toBe(200)
  expect(await statusFor('another key')).toBe(404)
})
