import { startServerWithDevices } from '../support/server/server-with-devices.ts'
import { TestListener, withOptions } from './test-listener.ts'

const server = await startServerWithDevices()
const user = await server.makeUser()
const phone = await server.pair(user)

/** What JSON can say and a database cannot hold as text. */
test.each([
  ['NUL', [{ carrier: 'a\0b' }]],
  ['half a picture', [{ carrier: 'a\ud83d' }]],
  ['the other half', [{ '\udc00': 1 }]],
  ['a key of objects', JSON.parse('[{"__proto__":{"x":1}}]')],
])('%s in what a device says of itself ends no stream', async (_, sims) => {
  const filter = 'sims ~ "a" || id != ""'
  const topics = ['devices/*', withOptions('devices/*', { query: { filter } })]
  const ear = await TestListener.on(server.url, server.superuser.token, ...topics)
  const theirs = await TestListener.on(server.url, user.token, ...topics)
  expect((await phone.call('POST', '/api/devices/heartbeat', { sims })).status).toBe(200)
  const path = `/api/collections/devices/records/${phone.id}`
  const name = `renamed ${Math.random()}`
  expect((await user.call('PATCH', path, { name })).status).toBe(200)
  for (const one of [ear, theirs]) {
    const heard = await one.next(4)
    expect(heard.filter(({ data }) => data.record.name === name)).toHaveLength(2)
  }
  expect((await user.call('GET', path)).status).toBe(200)
})
