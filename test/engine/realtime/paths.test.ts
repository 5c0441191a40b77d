import { type Client, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { importCorpus } from '../../support/server/start.ts'
import { FIXTURES } from './realtime-server.ts'
import { TestListener, withOptions } from './test-listener.ts'

// Records change on many ways besides the record API; a subscriber need not know which it was.

const server = await startServerWithDevices()
let user: Client
let device: Client
let ear: TestListener

beforeEach(async () => {
  user = await server.makeUser()
  device = await server.pair(user)
  ear = await TestListener.on(
    server.url,
    user.token,
    'sms_messages',
    'sms_events/*',
    'sms_usage',
    'contacts',
  )
})

/** What came of messages: `action status`. */
async function messages(count: number): Promise<string[]> {
  const events = await ear.next(count, { quietMs: 200 })
  return events
    .filter(({ event }) => event === 'sms_messages')
    .map(({ data }) => `${data.action} ${data.record.status}`)
}

test('subscribers get an event at each step of a message from acceptance to delivery', async () => {
  const sent = await user.call('POST', '/api/sms/send', { recipients: ['+4915112345'], body: 'Hi' })
  expect(sent.status).toBeLessThan(300)
  const { items } = (await device.call('POST', '/api/devices/claim', { limit: 1 })).body
  const { id, attempt } = items[0]
  for (const status of ['sent', 'delivered']) {
    const report = { id, attempt, status, at: new Date().toISOString() }
    const { body } = await device.call('POST', '/api/devices/report', { items: [report] })
    expect(body.items[0].result).toBe('applied')
  }
  expect(await messages(8)).toEqual([
    'create assigned',
    'update sending',
    'update sent',
    'update delivered',
  ])
})

test('subscribers get events of a canceled message', async () => {
  const { body } = await user.call('POST', '/api/sms/send', {
    recipients: ['+4915112345'],
    body: 'Hi',
  })
  await user.call('POST', `/api/sms/messages/${body.message_ids[0]}/cancel`)
  expect(await messages(5)).toEqual(['create assigned', 'update failed'])
})

test('subscribers get the event of a received message', async () => {
  const item = { from: '+4915112345', body: 'Yes', received_at: new Date().toISOString() }
  const { status } = await device.call('POST', '/api/devices/incoming', { items: [item] })
  expect(status).toBe(200)
  expect(await messages(1)).toEqual(['create received'])
})

test('importing new records sends create events, known ones update events', async () => {
  const { store } = server.server.services
  const other = await TestListener.on(server.url, server.superuser.token, 'users/*')
  for (const action of ['create', 'update']) {
    await importCorpus(store, { fixtures: FIXTURES })
    const events = await other.next(2)
    expect(events.map(({ data }) => `${data.action} ${data.record.name}`)).toEqual([
      `${action} Ann`,
      `${action} Ben`,
    ])
  }
})

const root = server.superuser

/** Names that stand for something else in the statements which write and read a record. */
const NAMES = [...'tsmbcdr', 'written', 'noted', 'target', 'changed', 'row', 'image', 'order']

test('records with fields of unusual names are stored and sent as events', async () => {
  const fields = NAMES.map((name) => ({ name, type: 'text' }))
  const made = await root.call('POST', '/api/collections', { name: 'odd', type: 'base', fields })
  expect(made.status).toBe(200)
  const all = (text: string) => Object.fromEntries(NAMES.map((name) => [name, text]))
  const records = '/api/collections/odd/records'
  const ear = await TestListener.on(server.url, root.token, 'odd/*')
  const { id } = (await root.call('POST', records, all('one'))).body
  expect((await root.call('PATCH', `${records}/${id}`, all('two'))).status).toBe(200)
  expect((await root.call('DELETE', `${records}/${id}`)).status).toBe(204)
  const heard = (await ear.next(3)).map(({ data }) => [data.action, data.record])
  expect(heard).toMatchObject([
    ['create', all('one')],
    ['update', all('two')],
    ['delete', all('two')],
  ])
})

test('built-in collections with added fields are stored and sent as events', async () => {
  const user = await server.makeUser()
  const phone = await server.pair(user)
  for (const collection of ['devices', 'sms_messages', 'webhook_deliveries']) {
    const { fields } = (await root.call('GET', `/api/collections/${collection}`)).body
    const more = ['s', 't', 'm', 'written'].map((name) => ({ name, type: 'text' }))
    const changed = await root.call('PATCH', `/api/collections/${collection}`, {
      fields: [...fields, ...more],
    })
    expect(changed.status).toBe(200)
  }
  const ear = await TestListener.on(server.url, root.token, 'devices/*', 'sms_messages/*')
  expect(
    (await phone.call('POST', '/api/devices/heartbeat', { sims: [{ carrier: 'x' }] })).status,
  ).toBe(200)
  const sent = await user.call('POST', '/api/sms/send', {
    recipients: ['+4915112345678'],
    body: 'a',
  })
  expect(sent.status).toBe(200)
  const heard = (await ear.next(2)).map(({ event, data }) => `${event} ${data.action}`)
  expect(heard).toEqual(expect.arrayContaining(['devices/* update', 'sms_messages/* create']))
})

const owner = await server.makeUser()
const phone = await server.pair(owner)

/** What JSON can say and a database cannot hold as text. */
test.each([
  ['NUL', [{ carrier: 'a\0b' }]],
  ['half a picture', [{ carrier: 'a\ud83d' }]],
  ['the other half of a surrogate pair', [{ '\udc00': 1 }]],
  ['both, inside of it', [{ 'a\udfff\0': { b: ['\0'] } }]],
  ['a key of objects', JSON.parse('[{"__proto__":{"x":1}}]')],
])("%s in a device's report ends no stream", async (_, sims) => {
  const filter = 'sims ~ "a" || id != ""'
  const topics = ['devices/*', withOptions('devices/*', { query: { filter } })]
  const ear = await TestListener.on(server.url, server.superuser.token, ...topics)
  const theirs = await TestListener.on(server.url, owner.token, ...topics)
  expect((await phone.call('POST', '/api/devices/heartbeat', { sims })).status).toBe(200)
  const path = `/api/collections/devices/records/${phone.id}`
  const name = `renamed ${Math.random()}`
  expect((await owner.call('PATCH', path, { name })).status).toBe(200)
  for (const one of [ear, theirs]) {
    const heard = await one.next(4)
    expect(heard.filter(({ data }) => data.record.name === name)).toHaveLength(2)
  }
  expect((await owner.call('GET', path)).status).toBe(200)
})
