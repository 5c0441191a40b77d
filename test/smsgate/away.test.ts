import { expect, onTestFinished, test } from 'vitest'
import { startServerWithDevices } from '../support/server/server-with-devices.ts'
import { testConfig } from '../support/server/start.ts'
import { makeBreakableProxy } from '../support/services/breakable-proxy.ts'
import { joinPhone, makePhone, send } from '../support/smsgate/smsgate-fixture.ts'

// a 401 would make the app forget who it is, and any answer that is a success would end its tries
test('while the database is away, whatever a phone asks is answered 503', async () => {
  const { databaseUrl } = await testConfig()
  const proxy = await makeBreakableProxy(databaseUrl!)
  await proxy.connect()
  const server = await startServerWithDevices({ DATABASE_URL: proxy.url })
  onTestFinished(async () => {
    await proxy.connect()
    await server.stop()
    await proxy.disconnect()
  })
  const site = { gateway: server, mobileUrl: `${server.url}/api/mobile/v1` }
  const user = await server.makeUser()
  const phone = await joinPhone(site, user)
  await send(user, 1)
  const [{ id }] = (await phone.call('GET', '/message')).body
  const states = [{ id, state: 'Sent', recipients: [], states: {} }]
  const { pathname } = new URL((await phone.call('GET', '/webhooks')).body[0].url)

  await proxy.disconnect()
  const asked = [
    phone.call('GET', '/message'),
    phone.call('PATCH', '/message', states),
    phone.call('PATCH', '/device', { id: phone.store.registration!.id }),
    phone.call('GET', '/events'),
    phone.call('GET', '/settings'),
    makePhone(site).call('POST', '/device', { name: 'x' }, 'Code 123456'),
    phone.fetch(server.url + pathname, { method: 'POST', body: '{}' }),
  ]
  const answers = await Promise.all(asked)
  expect(answers.map(({ status }) => status)).toEqual(asked.map(() => 503))
  expect(answers[0]!.body).toEqual({ message: expect.any(String) })
  await proxy.connect()
  await expect.poll(async () => (await phone.call('PATCH', '/message', states)).status).toBe(204)
})
