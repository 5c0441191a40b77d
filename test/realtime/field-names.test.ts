import { startServerWithDevices } from '../support/server/server-with-devices.ts'
import { TestListener } from './test-listener.ts'

const server = await startServerWithDevices()
const root = server.superuser

/** Names that stand for something else in the statements which write and read a record. */
const NAMES = [...'tsmbcdr', 'written', 'noted', 'target', 'changed', 'row', 'image', 'order']

test('records with fields of any name are written and heard of', async () => {
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

test('so are those of the gateway, which it writes itself', async () => {
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
  expect((await phone.call('POST', '/api/devices/heartbeat', { sims: [{ carrier: 'x' }] })).status).toBe(200)
  const sent = await user.call('POST', '/api/sms/send', { recipients: ['+4915112345678'], body: 'a' })
  expect(sent.status).toBe(200)
  const heard = (await ear.next(2)).map(({ event, data }) => `${event} ${data.action}`)
  expect(heard).toEqual(expect.arrayContaining(['devices/* update', 'sms_messages/* create']))
})
