import { type Client, startServerWithDevices } from '../support/server/server-with-devices.ts'
import { importCorpus } from '../support/server/start.ts'
import { FIXTURES } from './realtime-server.ts'
import { TestListener } from './test-listener.ts'

// Records change on many ways besides the record API; a subscriber need not know which it was.

const server = await startServerWithDevices()
let user: Client
let device: Client
let ear: TestListener

beforeEach(async () => {
  user = await server.makeUser()
  device = await server.pair(user)
  ear = await TestListener.on(server.url, user.token, 'sms_messages', 'sms_events/*', 'sms_usage', 'contacts')
})

/** What came of messages: `action status`. */
async function messages(count: number): Promise<string[]> {
  const events = await ear.next(count, { quietMs: 200 })
  return events
    .filter(({ event }) => event === 'sms_messages')
    .map(({ data }) => `${data.action} ${data.record.status}`)
}

test('a message from acceptance to delivery, each step as it was', async () => {
  const sent = await user.call('POST', '/api/sms/send', { recipients: ['+4915112345'], body: 'Hi' })
  expect(sent.status).toBeLessThan(300)
  const { items } = (await device.call('POST', '/api/devices/claim', { limit: 1 })).body
  const { id, attempt } = items[0]
  for (const status of ['sent', 'delivered']) {
    const report = { id, attempt, status, at: new Date().toISOString() }
    const { body } = await device.call('POST', '/api/devices/report', { items: [report] })
    expect(body.items[0].result).toBe('applied')
  }
  expect(await messages(8)).toEqual(['create assigned', 'update sending', 'update sent', 'update delivered'])
})

test('a canceled one', async () => {
  const { body } = await user.call('POST', '/api/sms/send', { recipients: ['+4915112345'], body: 'Hi' })
  await user.call('POST', `/api/sms/messages/${body.message_ids[0]}/cancel`)
  expect(await messages(5)).toEqual(['create assigned', 'update failed'])
})

test('a received one', async () => {
  const item = { from: '+4915112345', body: 'Yes', received_at: new Date().toISOString() }
  const { status } = await device.call('POST', '/api/devices/incoming', { items: [item] })
  expect(status).toBe(200)
  expect(await messages(1)).toEqual(['create received'])
})

test('imported records: new ones are created, known ones updated', async () => {
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
