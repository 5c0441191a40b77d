import { openAttemptJournal } from '../../../src/gateway/carriers/carrier-attempt-journal.ts'
import { makeDeviceLink } from '../../../src/gateway/carriers/carrier-device-link.ts'
import { leaseCarriers, makeLeaserName } from '../../../src/gateway/carriers/run-carriers.ts'
import { makeHttpDriver } from '../../../src/programs/agent/drivers/http/driver.ts'
import { runDriver } from '../../../src/programs/agent/run-driver.ts'
import { settingsOf } from '../../programs/agent/drivers/http/carrier-fixture.ts'
import { waitPastMidnight } from '../../support/database/midnight.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { startReceiver } from '../../support/services/receiver.ts'
import { until } from '../../support/until.ts'

await waitPastMidnight({ isMonth: true })
const gateway = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const PATH = '/api/devices/carriers'
const TEXT = { recipients: ['+4915112345678'], body: 'Hello' }

const recordsOf = async (user: Client, collection: string, filter: string) =>
  (
    await must(
      user,
      'GET',
      `/api/collections/${collection}/records?filter=${encodeURIComponent(filter)}`,
    )
  ).items
const faultOf = async (user: Client) => (await must(user, 'GET', PATH)).items[0].fault

test('a failed receipt that arrives before the answer costs the price: the carrier took the text', async () => {
  const user = await gateway.makeUser()
  const carrier = await startReceiver()
  const custom = {
    send: { path: '/?ref={{ref}}' },
    receipt: { ref: 'ref', status: 'status', delivered: ['ok'], failed: ['bad'] },
  }
  const account = { preset: 'custom', url: carrier.url, custom }
  const { device, callback } = await must(user, 'POST', PATH, { account, ready: true })
  carrier.behave(async ({ path }, res) => {
    await fetch(`${gateway.url}${new URL(callback).pathname}${path.slice(1)}&status=bad`)
    res.end('{}')
  })
  const [line] = await recordsOf(user, 'lines', `device = "${device}"`)
  await must(user, 'PATCH', `/api/collections/lines/records/${line.id}`, {
    prices: { default: '0.09' },
  })
  await must(user, 'POST', '/api/sms/send', TEXT)
  const failed = 'status = "failed"'
  await until(
    'the text failed',
    async () => (await recordsOf(user, 'sms_messages', failed)).length === 1,
  )
  expect((await must(user, 'GET', '/api/sms/usage/lines')).items).toMatchObject([
    { texts: 1, cost: '0.09' },
  ])
  await must(user, 'PATCH', `/api/collections/devices/records/${device}`, { enabled: false })
})

test('the first text that is sent ends a fault that an earlier run of the carrier noted', async () => {
  const user = await gateway.makeUser()
  const carrier = await startReceiver()
  carrier.answer(401, '{}')
  const account = { preset: 'pocketsms', url: carrier.url }
  const { device } = await must(user, 'POST', PATH, { account, ready: true, secret: 'psk_1' })
  await must(user, 'POST', '/api/sms/send', TEXT)
  await until('the fault is shown', () => faultOf(user))
  carrier.answer(200, '{"message_ids":["m1"]}')
  // another run, as after a restart or on another server
  await gateway.query('update device_carriers set version = version + 1 where device = $1', [
    device,
  ])
  await until('the fault is over', async () => (await faultOf(user)) === '')
  await must(user, 'PATCH', `/api/collections/devices/records/${device}`, { enabled: false })
})

test('a stop of the server does not make a line fail whose texts still wait', async () => {
  const user = await gateway.makeUser()
  const device = (await gateway.pair(user, {})).id
  for (let i = 0; i < 6; i++)
    await must(user, 'POST', '/api/sms/send', { ...TEXT, device_id: device })
  const busy = await startReceiver()
  busy.answer(429, '{}')
  const settings = {
    preset: 'pocketsms',
    url: busy.url,
    secret: 'psk_1',
    allow_private: true,
    rate: 0.1,
  }
  const { services } = gateway.server
  const journal = await openAttemptJournal(services.store.forUser(user.id).db, device)
  const link = makeDeviceLink(services, { device, user: user.id })
  const ended = new AbortController()
  const running = runDriver(
    link,
    makeHttpDriver(settingsOf(settings).carrier),
    journal,
    () => {},
    ended.signal,
  )
  const count = async (status: string) =>
    (await recordsOf(user, 'sms_messages', `status = "${status}"`)).length
  await until('all texts are claimed', async () => (await count('sending')) === 6)
  await until('the carrier was asked', () => busy.told.length > 0)
  ended.abort()
  await running
  expect(await count('assigned')).toBe(6)
  expect(await recordsOf(user, 'lines', `device = "${device}"`)).toMatchObject([
    { failing_since: '' },
  ])
})

test.each([
  ['it answers nothing of use', 500],
  ['it is restarting', 503],
])(
  'a stop does not wait to repeat a request to a carrier that recognizes it: %s',
  async (_, status) => {
    const user = await gateway.makeUser()
    const device = (await gateway.pair(user, {})).id
    await must(user, 'POST', '/api/sms/send', { ...TEXT, device_id: device })
    const dead = await startReceiver()
    dead.answer(status, '{}')
    const settings = { preset: 'pocketsms', url: dead.url, secret: 'psk_1', allow_private: true }
    const { services } = gateway.server
    const journal = await openAttemptJournal(services.store.forUser(user.id).db, device)
    const link = makeDeviceLink(services, { device, user: user.id })
    const ended = new AbortController()
    const driver = makeHttpDriver(settingsOf(settings).carrier)
    const running = runDriver(link, driver, journal, () => {}, ended.signal)
    // the next requests would follow after 4, 8, 16 s
    await dead.heard(3)
    const startMs = performance.now()
    ended.abort()
    await running
    expect(performance.now() - startMs).toBeLessThan(3_000)
    expect(dead.told).toHaveLength(3)
    // the carrier may have accepted it
    expect(await recordsOf(user, 'sms_messages', `status = "sending"`)).toHaveLength(1)
  },
)

test('carriers begin at the same time', async () => {
  const user = await gateway.makeUser()
  const account = { preset: 'pocketsms', url: gateway.url }
  const add = async () => (await must(user, 'POST', PATH, { account, secret: 'psk_1' })).device
  const devices = [await add(), await add(), await add()]
  const running = async () =>
    (await must(user, 'GET', PATH)).items.every((item: { running: boolean }) => item.running)
  await until('all carriers run', running)
  await gateway.server.services.store.forEverybody('test').db.transaction(async (db) => {
    await db.query('lock table carrier_attempts')
    await gateway.query('update device_carriers set version = version + 1 where device = any($1)', [
      devices,
    ])
    const held = `select count(*) from pg_locks where relation = 'carrier_attempts'::regclass and not granted`
    await until('several journals wait', async () => Number((await gateway.query(held))[0]![0]) > 1)
  })
  await gateway.query('update devices set enabled = false where "user" = $1', [user.id])
})

test('a server on an embedded Postgres continues its own leases after it was killed, but not while it is replaced', async () => {
  const user = await gateway.makeUser()
  const device = (await gateway.pair(user, {})).id
  const { db } = gateway.server.services.store.forEverybody('test')
  const own = { databaseUrl: undefined, host: '0.0.0.0', port: 8090 }
  const second = { worker: 2, isReplacing: false }
  await gateway.query(
    `insert into device_carriers (device, "user", account, sealed, address_hash, node, leased_until)
    values ($1, $2, '{}', '', $1, $3, now() + interval '1 hour')`,
    [device, user.id, makeLeaserName(own, second)],
  )
  const leased = async (name: string) =>
    (await leaseCarriers(db, name, 500)).some((row) => row.device === device)
  expect(await leased(makeLeaserName(own))).toBe(false)
  const others = [
    { ...own, databaseUrl: 'postgres://shared' },
    // shares the data folder
    { ...own, port: 8091 },
    // the system chooses the port
    { ...own, port: 0 },
  ]
  for (const other of others) expect(await leased(makeLeaserName(other, second))).toBe(false)
  expect(await leased(makeLeaserName(own, { ...second, isReplacing: true }))).toBe(false)
  expect(await leased(makeLeaserName(own, second))).toBe(true)
  await gateway.query('delete from device_carriers where device = $1', [device])
})

test('a carrier gets only texts that name it, until one of them is delivered', async () => {
  const user = await gateway.makeUser()
  const phone = await gateway.pair(user, {})
  const carrier = await startReceiver()
  const sent: string[] = []
  carrier.behave(({ body, path }, res) => {
    if (path === '/send') sent.push(JSON.parse(String(body)).ref)
    res.end('{}')
  })
  const custom = {
    send: {
      path: '/send',
      headers: { 'content-type': 'application/json' },
      body: { ref: '{{ref}}' },
    },
    receipt: { ref: 'ref', status: 'status', delivered: ['ok'], failed: ['bad'] },
  }
  const account = { preset: 'custom', url: carrier.url, custom }
  const { device, callback } = await must(user, 'POST', PATH, { account })
  const states = async () => (await must(user, 'GET', '/api/devices/states')).items
  await until('the carrier runs', async () => (await must(user, 'GET', PATH)).items[0].running)
  await must(user, 'PATCH', `/api/collections/devices/records/${phone.id}`, { daily_limit: 1 })
  await must(user, 'POST', '/api/sms/send', TEXT)
  await must(phone, 'POST', '/api/devices/claim', { limit: 1 })
  // without room on phones, too, a text waits rather than leave by it
  await must(user, 'POST', '/api/sms/send', TEXT)
  expect(await recordsOf(user, 'sms_messages', 'waiting_for = "room"')).toHaveLength(1)
  await must(user, 'POST', '/api/sms/send', { ...TEXT, device_id: device })
  await until('the text that names it is sent', () => sent.length === 1)
  expect(await states()).toContainEqual(
    expect.objectContaining({ device, carrier: expect.objectContaining({ ready: false }) }),
  )
  const report = (ref: string, status: string) =>
    fetch(`${gateway.url}${new URL(callback).pathname}?ref=${ref}&status=${status}`)
  await report('m00000000000000.1', 'ok')
  expect((await must(user, 'GET', PATH)).items[0].ready).toBe(false)
  await report(sent[0]!, 'ok')
  expect((await must(user, 'GET', PATH)).items[0].ready).toBe(true)
  await until('the text that waited is sent', () => sent.length === 2)
  await must(user, 'PATCH', `/api/collections/devices/records/${device}`, { enabled: false })
})

test('an owner may use a carrier without a test; a change of its settings leaves that, one of its credentials does not', async () => {
  const user = await gateway.makeUser()
  const carrier = await startReceiver()
  const account = { preset: 'custom', url: carrier.url, custom: { send: { path: '/send' } } }
  const { device } = await must(user, 'POST', PATH, { account })
  const ready = async () => (await must(user, 'GET', PATH)).items[0].ready
  expect((await user.call('POST', '/api/sms/send', TEXT)).body).toEqual({
    error: 'no_devices',
    message: 'No devices available to send messages',
    hint: `custom has not sent a test yet: send a text with "device_id":"${device}". Once it is delivered, your other texts leave by custom, too.`,
  })
  await must(user, 'PUT', `${PATH}/${device}`, { account: { ...account, rate: 5 } })
  expect(await ready()).toBe(false)
  await must(user, 'PUT', `${PATH}/${device}`, { account, ready: true })
  expect(await ready()).toBe(true)
  await must(user, 'PUT', `${PATH}/${device}`, { account: { ...account, rate: 5 } })
  expect(await ready()).toBe(true)
  const secret = 'psk_1'
  for (const changed of [account, { ...account, user: 'kiosk' }]) {
    await must(user, 'PUT', `${PATH}/${device}`, { account: changed, secret })
    expect(await ready()).toBe(false)
    await must(user, 'PUT', `${PATH}/${device}`, { account: changed, secret, ready: true })
    await must(user, 'PUT', `${PATH}/${device}`, { account: changed, secret })
    expect(await ready()).toBe(true)
  }
  await must(user, 'PATCH', `/api/collections/devices/records/${device}`, { enabled: false })
})

test('a carrier that is added with wrong credentials shows its fault at once', async () => {
  const user = await gateway.makeUser()
  const carrier = await startReceiver()
  carrier.answer(401, '{"error":"unauthorized"}')
  const made = await must(user, 'POST', PATH, {
    account: { preset: 'pocketsms', url: carrier.url },
    secret: 'psk_1',
  })
  expect(made).toMatchObject({
    accepted: false,
    refusal: 'The carrier refused it: 401, unauthorized',
  })
  expect((await must(user, 'GET', PATH)).items).toMatchObject([
    { fault: made.refusal, ready: false },
  ])
  await must(user, 'PATCH', `/api/collections/devices/records/${made.device}`, { enabled: false })
})

test('texts that a refused carrier gives back have the reason of the refusal', async () => {
  const carrier = await startReceiver()
  carrier.answer(401, '{"message":"Unknown key"}')
  const settings = { preset: 'pocketsms', url: carrier.url, secret: 'psk_1', allow_private: true }
  const driver = makeHttpDriver(settingsOf(settings).carrier)
  await driver.start({ roomGrew() {}, delivered: async () => {}, received: async () => {} })
  const text = { id: 'a1b8n5m2c0x9v3k', attempt: 1, to: '+4915112345678', body: 'Hello', sim: 1 }
  await driver.send(text, performance.now() + 1_000)
  expect(await driver.ready!(performance.now() + 1_000, new AbortController().signal)).toBe(false)
  expect(driver.waitsFor).toBe('The carrier refused it: 401 Unknown key')
  await driver.stop()
})

test('a device that has not sent its claimed texts for a minute is stuck', async () => {
  const user = await gateway.makeUser()
  const phone = await gateway.pair(user, {})
  const isStuck = async () => (await must(user, 'GET', '/api/devices/states')).items[0].stuck
  await must(user, 'POST', '/api/sms/send', TEXT)
  await must(user, 'POST', '/api/sms/send', TEXT)
  const { items } = await must(phone, 'POST', '/api/devices/claim', { limit: 2 })
  expect(await isStuck()).toBe(false)
  await gateway.query(
    `update sms_dispatch set lease_until = lease_until - interval '61 seconds' where "user" = $1`,
    [user.id],
  )
  expect(await isStuck()).toBe(true)
  const [{ id, attempt }] = items
  await must(phone, 'POST', '/api/devices/report', { items: [{ id, attempt, status: 'sent' }] })
  expect(await isStuck()).toBe(false)
})
