import { makeSid } from '../../src/protocols/twilio/sids.ts'
import { basic, request } from '../support/server/request.ts'
import { must } from '../support/server/server-with-devices.ts'
import { makeKey, startTwilioFixture } from '../support/twilio/twilio-fixture.ts'

// To whom each API shows texts that another key, or a person, has sent, and who may change them.

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
  'a key with messages:list': {
    twilio: false,
    scopes: ['messages:send', 'messages:read', 'messages:list', 'messages:cancel'],
  },
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
async function callTool(who: Who, name: string, id: string) {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: { id } } }
  const accept = 'application/json, text/event-stream'
  const headers = { 'x-api-key': secretOf(keys[who]), accept }
  const { text } = await request(url, 'POST', '/mcp', body, headers)
  return { status: text.includes('"isError":true') ? 404 : 200 }
}
const askMcp = (who: Who, id: string) => callTool(who, 'get_message', id)

type Read = (who: Who) => Promise<{ readonly status: number }>
const DOORS: Readonly<Record<string, Read>> = {
  "SMSGate's API, a text": (who) => ask(who, `/3rdparty/v1/messages/${one}`),
  "SMSGate's API, a batch": (who) => ask(who, `/3rdparty/v1/messages/${batch}`),
  "SMSGate's API, a send of its own": (who) => ask(who, '/3rdparty/v1/messages/by-smsgate'),
  "Vendel's API, a text": (who) => askByKey(who, `/vendel/api/sms/status/${one}`),
  "Vendel's API, a batch": (who) => askByKey(who, `/vendel/api/sms/batch/${batch}`),
  'MCP, a text': (who) => askMcp(who, one),
  '/api/sms, a text': (who) => askByKey(who, `/api/sms/messages/${one}`),
  '/api/sms, a batch': (who) => askByKey(who, `/api/sms/batches/${batch}`),
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

test('a list of texts by /api/sms has texts of other keys only for a key that may list them', async () => {
  const countFor = async (who: Who) =>
    (await askByKey(who, `/api/sms/messages?batch=${batch}`)).body.totalItems
  expect(await Promise.all((Object.keys(KEYS) as Who[]).map(countFor))).toEqual([2, 0, 2, 2])
})

const template = await must(shop, 'POST', '/api/collections/sms_templates/records', {
  user: shop.id,
  name: 'Of a key',
  body: 'Of a template',
})
const AT = { scheduled_at: '2090-01-01 00:00:00.000Z' }
const TWO = { recipients: ['+4915112345678', '+4915112345679'] }
/** Two scheduled texts that the first key has sent, by a text or a template. */
async function schedule(path = 'send', text: object = { body: 'Of a key' }) {
  const sent = await request(url, 'POST', `/api/sms/${path}`, { ...TWO, ...AT, ...text }, author)
  return { id: sent.body.message_ids[0] as string, batch: sent.body.batch_id as string }
}
const scheduleTemplate = () => schedule('send-template', { template_id: template.id })
/** Two failed texts that the first key has sent. */
async function scheduleFailed() {
  const sent = await schedule()
  const cancel = `/api/sms/batches/${sent.batch}/cancel`
  expect((await request(url, 'POST', cancel, undefined, author)).status).toBe(200)
  return sent
}
const later = { scheduled_at: '2091-01-01 00:00:00.000Z' }
const again = { include: ['canceled'] }
const ACTS: readonly [string, typeof scheduleTemplate, string, string, object?][] = [
  ['cancel a text', schedule, 'POST', 'messages/ID/cancel'],
  ['cancel a text of a template', scheduleTemplate, 'POST', 'messages/ID/cancel'],
  ['change the time of a text', schedule, 'PATCH', 'messages/ID', later],
  ['change the words of a text', scheduleTemplate, 'PATCH', 'messages/ID', { body: 'Others' }],
  ['send a text again', scheduleFailed, 'POST', 'messages/ID/retry'],
  ['cancel a batch', schedule, 'POST', 'batches/BATCH/cancel'],
  ['cancel a batch of a template', scheduleTemplate, 'POST', 'batches/BATCH/cancel'],
  ['change the time of a batch', schedule, 'POST', 'batches/BATCH/reschedule', later],
  ['send a batch again', scheduleFailed, 'POST', 'batches/BATCH/retry', again],
]
const stateOf = (sent: string) =>
  gateway.query(
    `select id, status, scheduled_at, body from sms_messages where batch_id = $1 order by id`,
    [sent],
  )
const countTexts = () => gateway.query('select count(*) from sms_messages')

describe.each(ACTS)('by /api/sms, to %s', (_, send, method, path, body) => {
  const act = (who: Who, sent: { id: string; batch: string }) => {
    const named = path.replace('ID', sent.id).replace('BATCH', sent.batch)
    return request(url, method, `/api/sms/${named}`, body, { 'x-api-key': secretOf(keys[who]) })
  }

  test('another key gets 404 for it, and the text stays unchanged', async () => {
    const sent = await send()
    const before = [await stateOf(sent.batch), await countTexts()]
    const error = path.startsWith('batches') ? 'batch_not_found' : 'message_not_found'
    expect(await act('another key', sent)).toMatchObject({ status: 404, body: { error } })
    expect([await stateOf(sent.batch), await countTexts()]).toEqual(before)
  })

  test.each<Who>(['the key that has sent them', 'a key with messages:list'])(
    '%s is allowed',
    async (who) => {
      expect((await act(who, await send())).status).toBe(200)
    },
  )
})

test('by MCP a key cancels a text of another key only if it may list it', async () => {
  const { id, batch: sent } = await schedule()
  const statuses = async () =>
    (await gateway.query('select status from sms_messages where id = $1', [id])).flat()
  const cancel = (who: Who) => callTool(who, 'cancel_message', id)
  expect((await cancel('another key')).status).toBe(404)
  expect(await statuses()).toEqual(['pending'])
  expect((await cancel('a key with messages:list')).status).toBe(200)
  expect(await statuses()).toEqual(['failed'])
  expect(await stateOf(sent)).toHaveLength(2)
})

test('the texts of a campaign are not found for a key that may not list them, else owned by the campaign', async () => {
  const campaign = await must(shop, 'POST', '/api/campaigns', {
    ...TWO,
    ...AT,
    name: 'Sale',
    body: 'Sale',
  })
  const ofCampaign = () =>
    gateway.query(`select id, batch_id from sms_messages where sent_by = $1`, [campaign.id])
  await expect.poll(ofCampaign).toHaveLength(2)
  const [id, sent] = (await ofCampaign())[0] as [string, string]
  const ask = async (who: Who) => {
    const headers = { 'x-api-key': secretOf(keys[who]) }
    const paths = [`messages/${id}/cancel`, `batches/${sent}/cancel`]
    const answers = paths.map((path) =>
      request(url, 'POST', `/api/sms/${path}`, undefined, headers),
    )
    return (await Promise.all(answers)).map(({ body }) => [body.error, body.campaign])
  }
  expect(await ask('another key')).toEqual([
    ['message_not_found', undefined],
    ['batch_not_found', undefined],
  ])
  const owned = ['owned_by_campaign', campaign.id]
  expect(await ask('a key with messages:list')).toEqual([owned, owned])
})
