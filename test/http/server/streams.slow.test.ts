import type { Device } from '../../../src/gateway/base/device-record.ts'
import { streamDeviceEvents } from '../../../src/gateway/lines/device-event-stream.ts'
import { untilWaiting } from '../../support/database/locks.ts'
import {
  type Client,
  must,
  openStream,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'

const server = await startServerWithDevices({
  MAX_STREAMS: '3',
  TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8',
})
const user = await server.makeUser()

/** Opens a stream as from an address that a proxy tells of; `close` ends it. */
async function open(path: string, from: string, { token }: Client) {
  const hangUp = new AbortController()
  onTestFinished(() => hangUp.abort())
  const response = await fetch(server.url + path, {
    headers: { ...(from && { 'x-forwarded-for': from }), ...(token && { authorization: token }) },
    signal: hangUp.signal,
  })
  const [status, retryAfter] = [response.status, response.headers.get('retry-after')]
  const body = status === 200 ? undefined : await response.json()
  return { status, retryAfter, body, response, close: () => hangUp.abort() }
}

const streamsOf = (device: string) =>
  server.query('select count(*) from device_streams where device = $1', [device])

const MESSAGE = 'Your share of event streams and waiting claims is used up.'

describe('streams from one network', () => {
  test.each([
    ['guests by realtime', '/api/realtime', { data: {}, message: MESSAGE, status: 429 }],
    ['devices', '/api/devices/events', { error: 'too_many_requests', message: MESSAGE }],
    ['phones with the app', '/api/mobile/v1/events', { message: MESSAGE }],
  ])(
    'streams from one network are limited to three: the fourth of %s is refused with 429',
    async (name, path, body) => {
      const who = name === 'guests by realtime' ? server.guest : undefined
      const from = `192.0.${path.length}.7`
      const each = async () => who ?? server.pair(await server.makeUser())
      const streams = []
      for (let i = 0; i < 3; i++) streams.push(await open(path, from, await each()))
      expect(streams.map(({ status }) => status)).toEqual([200, 200, 200])
      const late = await each()
      expect(await open(path, from, late)).toMatchObject({ status: 429, retryAfter: '5', body })
      expect((await open(path, '192.1.2.200', late)).status).toBe(200)
      streams[1]!.close()
      await until('there is room again', async () => (await open(path, from, late)).status === 200)
    },
  )

  test.each(['/api/devices/events', '/api/mobile/v1/events'])(
    'streams from one network do not count if their client hung up before they began: %s',
    async (path) => {
      const from = `192.2.${path.length}.7`
      const phone = await server.pair(await server.makeUser())
      await server.server.services.store.db.transaction(async (db) => {
        // so long nobody is known
        await db.query('lock table devices')
        for (let i = 0; i < 4; i++) {
          const hangUp = new AbortController()
          const headers = { 'x-forwarded-for': from, authorization: phone.token }
          const asked = fetch(server.url + path, { headers, signal: hangUp.signal }).catch(() => {})
          await untilWaiting(server.server.services.store.db, i + 1)
          hangUp.abort()
          await asked
        }
      })
      await until('there is room', async () => (await open(path, from, phone)).status === 200)
    },
  )

  test('streams from one network are counted by network for IPv6', async () => {
    const ask = async (from: string) => (await open('/api/realtime', from, server.guest)).status
    for (const host of ['::1', '::2', 'a:b:c:d']) {
      const [four, rest] = ['2001:db8:7:7', host.startsWith('::') ? host : `:${host}`]
      expect(await ask(four + rest)).toBe(200)
    }
    expect(await ask('2001:db8:7:7::ffff')).toBe(429)
    expect(await ask('2001:db8:7:107::1')).toBe(200)
  })

  test("streams from one network are not limited for the server's own proxy without a client address", async () => {
    for (let i = 0; i < 6; i++)
      expect((await open('/api/realtime', '', server.guest)).status).toBe(200)
    for (let i = 0; i < 6; i++)
      expect((await open('/api/realtime', '10.1.2.3', server.guest)).status).toBe(200)
  })
})

test("streams of a user's devices are limited across all addresses", async () => {
  const phones = []
  for (let i = 0; i < 4; i++) phones.push(await server.pair(user))
  const open4 = []
  for (const [i, phone] of phones.entries())
    open4.push(await open('/api/devices/events', `198.51.100.${i}`, phone))
  expect(open4.map(({ status }) => status)).toEqual([200, 200, 200, 429])
  expect(open4[3]!.body).toEqual({ error: 'too_many_requests', message: MESSAGE })
})

test('waiting claims count as streams', async () => {
  const from = '192.3.2.250'
  const phone = await server.pair(await server.makeUser())
  const claim = (wait: number, signal?: AbortSignal) =>
    fetch(`${server.url}/api/devices/claim`, {
      method: 'POST',
      headers: {
        'x-forwarded-for': from,
        authorization: phone.token,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ wait }),
      ...(signal && { signal }),
    })
  const hangUp = new AbortController()
  const wait = async () => {
    // the claim that asks whether all wait may take the place of one of them
    let status = 429
    while (status === 429) ({ status } = await claim(30, hangUp.signal))
  }
  const waiting = [1, 2, 3].map(() => wait().catch(() => undefined))
  await until('all wait', async () => (await claim(1)).status === 429)
  const late = await claim(1)
  expect(late.headers.get('retry-after')).toBe('5')
  expect(await late.json()).toEqual({ error: 'too_many_requests', message: MESSAGE })
  expect((await claim(0)).status).toBe(200)
  hangUp.abort()
  await Promise.all(waiting)
  await until('there is room', async () => (await claim(1)).status === 200)
})

test('a waiting claim gets its text although streams have taken all places', async () => {
  const from = '192.3.3.250'
  const owner = await server.makeUser()
  const phone = await server.pair(owner)
  for (let i = 0; i < 3; i++) await open('/api/realtime', from, server.guest)
  const { message_ids } = await must(owner, 'POST', '/api/sms/send', {
    recipients: ['+4917012345678'],
    body: 'Your parcel arrives today.',
  })
  const answer = await fetch(`${server.url}/api/devices/claim`, {
    method: 'POST',
    headers: {
      'x-forwarded-for': from,
      authorization: phone.token,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ wait: 5 }),
  })
  const { items } = (await answer.json()) as { items: { id: string }[] }
  expect(items.map(({ id }) => id)).toEqual(message_ids)
})

test('a HEAD request opens no stream', async () => {
  const phone = await server.pair(await server.makeUser())
  const asked = { method: 'HEAD', headers: { authorization: phone.token } }
  for (let i = 0; i < 6; i++)
    expect((await fetch(`${server.url}/api/devices/events`, asked)).status).toBe(200)
  expect(await streamsOf(phone.id)).toEqual([[0]])
})

test("the end of a stream keeps the device's stream on another server", async () => {
  const { store } = server.server.services
  const { id } = await server.pair(user)
  const device = { id, user: user.id, lastSeen: '' } as Device
  const stream = streamDeviceEvents(
    store,
    device,
    90,
    async () => device,
    new AbortController().signal,
  )
  await stream.next()
  await store.db.query(
    `update device_streams set until = until + interval '1 s' where device = $1`,
    [id],
  )
  await stream.return(undefined)
  expect(await streamsOf(id)).toEqual([[1]])
})

test('a sixth stream of a device ends its oldest, and the device stays online', async () => {
  const wide = await startServerWithDevices()
  const phone = await wide.pair(await wide.makeUser())
  const streams = []
  for (let i = 0; i < 6; i++) streams.push(await openStream(wide.url, phone.token))
  await streams[0]!.ended
  const left = () => wide.query('select count(*) from device_streams')
  expect(await left()).toEqual([[1]])
  for (const stream of streams) await stream.close()
  await expect.poll(left).toEqual([[0]])
})
