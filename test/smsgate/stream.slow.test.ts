import { freePort } from '../support/database/postgres.ts'
import { serve } from '../support/server/program.ts'
import { type Client, client, startServerWithDevices } from '../support/server/server-with-devices.ts'
import { testConfig } from '../support/server/start.ts'
import { makeBreakableProxy } from '../support/services/breakable-proxy.ts'
import {
  joinPhone,
  makePhone,
  records,
  send,
  startSmsgateFixture,
  until,
} from '../support/smsgate/smsgate-fixture.ts'
import { take } from '../support/smsgate/smsgate-sender.ts'
import { openEvents, PULL } from '../support/smsgate/smsgate-stream.ts'

let user: Client
const fixture = await startSmsgateFixture()

test('it ends for a phone that was removed', async () => {
  user = await fixture.gateway.makeUser()
  const phone = await joinPhone(fixture, user)
  await user.call('DELETE', `/api/collections/devices/records/${phone.store.registration!.id}`)
  const events = await openEvents(phone)
  expect(events.type).toContain('application/json')
  await events.close()
})

test('a phone that listens at one node hears of what another accepts, and reports to either', async () => {
  const { databaseUrl } = fixture.gateway.server.services.config
  user = await fixture.gateway.makeUser()
  const phone = await joinPhone(fixture, user)
  const port = String(await freePort())
  const other = await serve({ DATABASE_URL: databaseUrl!, HOST: '127.0.0.1', PORT: port, LOG_LEVEL: 'warn' })
  try {
    const events = await openEvents(phone)
    await send(client(other.url, user.id, user.token), 21)
    await until(() => events.frames.includes(PULL))
    const pulled = (await phone.call('GET', '/message')).body
    for (const message of pulled) await take(phone, message)
    events.frames.length = 0
    const reports = pulled.map(({ id }: { id: string }) => ({
      id,
      state: 'Sent',
      recipients: [],
      states: {},
    }))
    const elsewhere = `${other.url}/api/mobile/v1/message`
    const headers = { authorization: `Bearer ${phone.store.registration!.token}` }
    const answer = await phone.fetch(elsewhere, { method: 'PATCH', headers, body: JSON.stringify(reports) })
    expect(answer.status).toBe(204)
    await until(() => events.frames.includes(PULL))
    expect(await records(user, 'status = "sent"')).toHaveLength(20)
    await events.close()
  } finally {
    await other.stop()
  }
}, 60_000)

test('a server that stops ends it, and does not cut it off', async () => {
  const other = await startSmsgateFixture()
  const phone = await joinPhone(other, await other.gateway.makeUser())
  const events = await openEvents(phone, `${other.gateway.url}/api/mobile/v1`)
  await until(() => events.frames.includes(':keepalive'))
  await other.stop()
  expect(await events.end).toBe('ended')
})

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
