import { createLogger } from '../../../src/platform/log.ts'
import { runServer } from '../../support/database/open.ts'
import {
  type Client,
  client,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { testConfig } from '../../support/server/start.ts'
import { makeBreakableProxy } from '../../support/services/breakable-proxy.ts'
import type { Phone } from '../../support/smsgate/smsgate-app.ts'
import {
  DAY_MS,
  joinPhone,
  makePhone,
  records,
  restart,
  send,
  startSmsgateFixture,
  until,
} from '../../support/smsgate/smsgate-fixture.ts'
import { take } from '../../support/smsgate/smsgate-sender.ts'
import { openEvents, PULL } from '../../support/smsgate/smsgate-stream.ts'

let user: Client
const fixture = await startSmsgateFixture()

const COUNT = 60
const LOSSES = 0.05
/** For a machine that does much else. */
const WITHIN_MS = 120_000

/** How often each message went on air. */
function timesOnAir(phone: Phone): number[] {
  const times = new Map<string, number>()
  for (const { id } of phone.store.onAir()) {
    const [message = ''] = id.split('.')
    times.set(message, (times.get(message) ?? 0) + 1)
  }
  return [...times.values()]
}

test('60 messages over an unreliable line are each sent once and reported as delivered', {
  timeout: 4 * WITHIN_MS,
}, async () => {
  const journeys = await Promise.all([0, DAY_MS, -DAY_MS].map(join))
  fixture.breakLine(LOSSES)
  const outcomes = await Promise.all(journeys.map(travel))
  fixture.breakLine(0)
  for (const { stored, times, faults } of outcomes) {
    expect(stored.filter(({ status }) => status !== 'delivered')).toEqual([])
    expect(times).toEqual(Array(COUNT).fill(1))
    const late = stored.filter(
      ({ sent_at, created, updated }) => sent_at < created || sent_at > updated,
    )
    expect(late).toEqual([])
    expect(faults).toEqual([])
  }
  expect(fixture.breaks()).toBeGreaterThan(10)
})

async function join(clockMs: number) {
  const user = await fixture.gateway.makeUser()
  return { user, phone: await joinPhone(fixture, user, { clockMs }) }
}

/** The messages of a phone that is started anew twice. */
async function travel({ user, phone }: Awaited<ReturnType<typeof join>>) {
  phone.start()
  await send(user, COUNT / 2)
  const pulls = setInterval(() => phone.wake(), 400)
  await until(() => phone.store.onAir().length > COUNT / 4, WITHIN_MS)
  phone = restart(phone)
  await send(user, COUNT / 2)
  await until(() => phone.store.onAir().length > (COUNT * 3) / 4, WITHIN_MS)
  phone = restart(phone)
  const isOver = async () =>
    (await records(user, 'status = "delivered" || status = "failed"')).length === COUNT
  // a report that was lost for good is asked for when the lease of its text is about to end
  await until(isOver, 2 * WITHIN_MS)
  clearInterval(pulls)
  phone.kill()
  return { stored: await records(user, ''), times: timesOnAir(phone), faults: phone.faults }
}

describe('incoming texts of a phone', () => {
  test(
    'incoming texts of a phone are stored once despite lost answers, restarts of the app and a wrong clock',
    async () => {
      user = await fixture.gateway.makeUser()
      let phone = await joinPhone(fixture, user, { clockMs: 3 * DAY_MS })
      phone.start()
      await until(() => phone.store.webhooks.length > 0 && 'webhooks' in phone.store.settings)
      fixture.breakLine(0.2)
      const at = Date.now() - 60_000
      for (let i = 0; i < 40; i++)
        phone.receive({ sender: '+4917012345', text: `Text ${i % 20}`, receivedAt: at + i })
      phone = restart(phone)
      await until(() => phone.store.hooks.size === 0, WITHIN_MS)
      fixture.breakLine(0)
      phone.kill()
      const stored = await records(user, 'message_type = "incoming"')
      expect(stored).toHaveLength(40)
      expect(new Set(stored.map(({ delivered_at }) => delivered_at)).size).toBe(40)
      expect(
        stored.every(({ from, status }) => from === '+4917012345' && status === 'received'),
      ).toBe(true)
    },
    3 * WITHIN_MS,
  )

  test('incoming texts of a phone received while the app was stopped are requested afterwards', async () => {
    user = await fixture.gateway.makeUser()
    let phone = await joinPhone(fixture, user)
    phone.start()
    await until(() => phone.store.webhooks.length > 0 && 'webhooks' in phone.store.settings)
    const at = Date.now() - 900_000
    phone.receive({ sender: '+4917012345', text: 'Heard', receivedAt: at - 1 })
    await until(() => phone.store.hooks.size === 0)
    phone.kill()
    phone.receive({ sender: '+4917012345', text: 'Not heard', receivedAt: at })
    const { db } = fixture.gateway.server.services.store
    const { id } = phone.store.registration!
    await db.query(
      `update devices set last_seen = pb_text(now() - interval '20 minutes') where id = $1`,
      [id],
    )
    phone = restart(phone)
    await until(async () => (await records(user, 'message_type = "incoming"')).length === 2)
    phone.kill()
    const bodies = (await records(user, 'message_type = "incoming"')).map(({ body }) => body)
    expect(bodies.toSorted()).toEqual(['Heard', 'Not heard'])
  })
})

test('a removed phone cannot open an event stream', async () => {
  user = await fixture.gateway.makeUser()
  const phone = await joinPhone(fixture, user)
  await user.call('DELETE', `/api/collections/devices/records/${phone.store.registration!.id}`)
  const events = await openEvents(phone)
  expect(events.type).toContain('application/json')
  await events.close()
})

// sms/wake/wake.slow tests that a wake-up passes between processes
test('a phone connected to one node receives texts accepted by another and reports to either', async () => {
  const { config } = fixture.gateway.server.services
  user = await fixture.gateway.makeUser()
  const phone = await joinPhone(fixture, user)
  const other = await runServer({ ...config, port: 0 }, createLogger({ logLevel: 'silent' }))
  try {
    const events = await openEvents(phone)
    await send(client(other.url, user.id, user.token), 21)
    await until(() => events.frames.includes(PULL))
    const pulled = (await phone.call('GET', '/message')).body
    for (const message of pulled) await take(phone, message)
    events.frames.length = 0
    const sent = { state: 'Sent', recipients: [], states: {} }
    const reports = pulled.map(({ id }: { id: string }) => ({ id, ...sent }))
    const elsewhere = `${other.url}/api/mobile/v1/message`
    const headers = { authorization: `Bearer ${phone.store.registration!.token}` }
    const answer = await phone.fetch(elsewhere, {
      method: 'PATCH',
      headers,
      body: JSON.stringify(reports),
    })
    expect(answer.status).toBe(204)
    await until(() => events.frames.includes(PULL))
    expect(await records(user, 'status = "sent"')).toHaveLength(20)
    await events.close()
  } finally {
    await other.stop()
  }
}, 60_000)

test('a stopping server ends the event stream without breaking the connection', async () => {
  const other = await startSmsgateFixture()
  const phone = await joinPhone(other, await other.gateway.makeUser())
  const events = await openEvents(phone, `${other.gateway.url}/api/mobile/v1`)
  await until(() => events.frames.includes(':keepalive'))
  await other.stop()
  expect(await events.end).toBe('ended')
})

// a 401 would make the app forget who it is, and any answer that is a success would end its tries
test('while the database is away every phone request is answered with 503', async () => {
  const { databaseUrl } = await testConfig({}, 'prepared')
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
