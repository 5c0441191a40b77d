import {
  notifyCanceled,
  subscribeToDevice,
  wakeDevices,
  wakeLocalDevices,
} from '../../../src/gateway/lines/wake-devices.ts'
import { counts } from '../../../src/platform/tools/process-counters.ts'
import { freePort } from '../../support/database/postgres.ts'
import { serve } from '../../support/server/program.ts'
import {
  type Client,
  client,
  openStream,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { startPushService } from '../../support/services/push-service.ts'

/**
 * Who is not woken looks by himself, or is woken once more, after 5 seconds: so many rounds of that are
 * longer than a test may take, and rounds of wake-ups are not.
 */
const ROUNDS = 20

const server = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })

const send = async (by: Client, more: object = {}): Promise<string> => {
  const message = { recipients: ['+4915112345678'], body: 'Hello', ...more }
  const { body } = await by.call('POST', '/api/sms/send', message)
  return body.message_ids[0]
}
/** A user with one phone. */
async function makePair(): Promise<{ owner: Client; phone: Client }> {
  const owner = await server.makeUser()
  return { owner, phone: await server.pair(owner) }
}
/** The event stream of a phone, until the test ends. */
async function listen(phone: Client) {
  const stream = await openStream(server.url, phone.token)
  onTestFinished(() => stream.close())
  return stream
}
const until = (isTrue: () => boolean | Promise<boolean>) => vi.waitUntil(isTrue, 40_000)

/** Whether a claim of this device waits: a wake-up for nothing makes it look once more. */
function isWaiting({ id }: Client): boolean {
  const before = counts.wakes.long_poll
  wakeLocalDevices([id])
  return counts.wakes.long_poll > before
}
const report = (by: Client, items: readonly { id: string; attempt: number }[]) =>
  by.call('POST', '/api/devices/report', {
    items: items.map(({ id, attempt }) => ({ id, attempt, status: 'sent' })),
  })

describe('an event stream', () => {
  test('an event stream sends "wake" to all streams of the device that is assigned a message', async () => {
    const { owner, phone } = await makePair()
    const streams = [await listen(phone), await listen(phone)]
    await send(owner)
    for (const stream of streams) expect((await stream.next('wake')).data).toBe('{}')
  })

  test('an event stream sends "wake" at once when messages are already waiting', async () => {
    const { owner, phone } = await makePair()
    await send(owner)
    const stream = await listen(phone)
    await stream.next('wake')
  })

  test("an event stream sends no event about other devices' messages", async () => {
    const { phone } = await makePair()
    const other = await makePair()
    const stream = await listen(phone)
    await send(other.owner)
    // what is said to the stream comes in order
    await notifyCanceled(server.server.services.store.db, phone.id, 'the last', 0)
    await stream.next('canceled')
    expect(stream.heard).toEqual([])
  })

  test('an event stream sends "canceled" with the id of a canceled message', async () => {
    const { owner, phone } = await makePair()
    const stream = await listen(phone)
    const id = await send(owner)
    expect((await owner.call('POST', `/api/sms/messages/${id}/cancel`)).status).toBe(200)
    expect(JSON.parse((await stream.next('canceled')).data)).toEqual({ id, attempt: 0 })
  })

  test('an event stream sends no event about a deletion that is rolled back', async () => {
    const { owner, phone } = await makePair()
    const stream = await listen(phone)
    const [kept, gone] = [await send(owner), await send(owner)]
    const path = '/api/collections/sms_messages/records'
    const requests = [kept, 'nothing00000000'].map((id) => ({
      method: 'DELETE',
      url: `${path}/${id}`,
    }))
    expect((await owner.call('POST', '/api/batch', { requests })).status).toBe(400)
    expect((await owner.call('DELETE', `${path}/${gone}`)).status).toBe(204)
    expect(JSON.parse((await stream.next('canceled')).data)).toEqual({ id: gone, attempt: 0 })
  })

  test('an event stream gets "wake" before the send is answered, each time', async () => {
    const { owner, phone } = await makePair()
    const stream = await listen(phone)
    let said = 0
    const stop = subscribeToDevice(phone.id, () => said++)
    for (let i = 0; i < ROUNDS; i++) {
      const before = said
      await send(owner)
      expect(said).toBeGreaterThan(before)
      await stream.next('wake')
    }
    stop()
  })
})

describe('a waiting claim', () => {
  test('a waiting claim is answered as soon as there is a message', async () => {
    const { owner, phone } = await makePair()
    for (let i = 0; i < ROUNDS; i++) {
      const waiting = phone.call('POST', '/api/devices/claim', { wait: 30 })
      await until(() => isWaiting(phone))
      const id = await send(owner)
      const { items } = (await waiting).body
      expect(items).toMatchObject([{ id }])
      await report(phone, items)
    }
  })

  test('a waiting claim is answered with no items after its wait time', async () => {
    const { phone } = await makePair()
    const start = performance.now()
    expect((await phone.call('POST', '/api/devices/claim', { wait: 0.5 })).body).toEqual({
      items: [],
    })
    expect(performance.now() - start).toBeGreaterThan(450)
  })

  test('a waiting claim takes no message after its client disconnected', async () => {
    const { owner, phone } = await makePair()
    const gone = new AbortController()
    const claim = fetch(`${server.url}/api/devices/claim`, {
      method: 'POST',
      headers: { authorization: phone.token },
      body: '{"wait":30}',
      signal: gone.signal,
    }).catch(() => {})
    await until(() => isWaiting(phone))
    gone.abort()
    await claim
    await until(() => !isWaiting(phone))
    const before = counts.claims.messages
    const id = await send(owner)
    expect([isWaiting(phone), counts.claims.messages]).toEqual([false, before])
    const record = await owner.call('GET', `/api/collections/sms_messages/records/${id}`)
    expect(record.body.status).toBe('assigned')
  })
})

/** A push service, until the test ends, and a user with one phone that is to be woken by it. */
async function makePushed() {
  const service = await startPushService()
  onTestFinished(() => service.stop())
  const pair = await makePair()
  const { status } = await pair.phone.call('PUT', '/api/devices/push', service.subscription())
  expect(status).toBe(204)
  return { service, ...pair }
}

describe('Web Push', () => {
  test('Web Push wakes a device without a stream and reveals no content to the push service', async () => {
    const { service, owner, phone } = await makePushed()
    const { key } = (await phone.call('GET', '/api/devices/push-key')).body
    expect(Buffer.from(key, 'base64url')).toHaveLength(65)
    await send(owner)
    await until(() => service.pushed.length > 0)
    const [{ headers, text }] = service.pushed as [(typeof service.pushed)[0]]
    expect(text).toBe('wake')
    expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', urgency: 'high' })
    expect(headers.authorization).toContain(`k=${key}`)
  })

  test('Web Push is not used while a stream is open', async () => {
    const { service, owner, phone } = await makePushed()
    const stream = await listen(phone)
    await send(owner)
    await stream.next('wake')
    expect(service.pushed).toEqual([])
  })

  test('Web Push wakes a device once or twice for a burst of 30 messages', async () => {
    const { service, owner } = await makePushed()
    const begun = performance.now()
    await Promise.all(Array.from({ length: 30 }, () => send(owner)))
    // the second is for all that came after the first, or for what nobody has claimed by then
    await until(() => service.pushed.length > 1)
    const seconds = Math.ceil((performance.now() - begun) / 1_000)
    // at once, and once a second
    expect(service.pushed.length).toBeLessThanOrEqual(seconds + 1)
  })

  test.each([404, 410])(
    'Web Push drops a subscription that the push service answers with %i',
    async (status) => {
      const { service, owner, phone } = await makePushed()
      service.answer(status)
      await send(owner)
      const { db } = server.server.services.store
      await until(async () => {
        const { rows } = await db.query('select push::text from devices where id = $1', [phone.id])
        return rows[0]![0] === null
      })
    },
  )

  test('Web Push lets an offline device be sent through only if it has a subscription', async () => {
    const { owner, phone } = await makePushed()
    const { db } = server.server.services.store
    const goOffline = () =>
      db.query(`update devices set last_seen = '2026-01-01 00:00:00.000Z' where id = $1`, [
        phone.id,
      ])
    const sendNow = () =>
      owner.call('POST', '/api/sms/send', { recipients: ['+4930100'], body: 'x' })
    await goOffline()
    expect((await sendNow()).status).toBe(200)
    await phone.call('PUT', '/api/devices/push', 'null')
    await goOffline()
    expect((await sendNow()).body.error).toBe('no_devices')
  })
})

test('streams and waiting claims on one node are woken by messages accepted on another', async () => {
  const { store, config } = server.server.services
  const env = {
    DATABASE_URL: config.databaseUrl!,
    METRICS_TOKEN: 'a-token-for-metrics',
    LOG_LEVEL: 'warn',
  }
  const other = await serve({ ...env, HOST: '127.0.0.1', PORT: String(await freePort()) })
  const heardByClaims = async () => {
    const headers = { authorization: `Bearer ${env.METRICS_TOKEN}` }
    const text = await (await fetch(`${other.url}/metrics`, { headers })).text()
    return Number(/^pocketsms_wakes_total\{way="long_poll"\} (\d+)/m.exec(text)?.[1])
  }
  const { owner, phone } = await makePair()
  const there = client(other.url, phone.id, phone.token)
  const stream = await openStream(other.url, phone.token)
  for (let i = 0; i < ROUNDS; i++) {
    const waiting = there.call('POST', '/api/devices/claim', { wait: 30 })
    const before = await heardByClaims()
    await until(async () => {
      wakeDevices(store.db, [phone.id])
      return (await heardByClaims()) > before
    })
    const id = await send(owner)
    await stream.next('wake')
    const { items } = (await waiting).body
    expect(items).toMatchObject([{ id }])
    await report(there, items)
  }
  await stream.close()
  await other.stop()
})

test('a stopping server ends its streams and waiting claims without breaking their connections', async () => {
  const short = await startServerWithDevices()
  const phone = await short.pair(await short.makeUser())
  const headers = { authorization: phone.token }
  const stream = await fetch(`${short.url}/api/devices/events`, { headers })
  const waiting = phone.call('POST', '/api/devices/claim', { wait: 30 })
  await until(() => isWaiting(phone))
  await short.stop()
  expect((await waiting).body).toEqual({ items: [] })
  // of one that is cut off the end cannot be read
  expect(await stream.text()).toContain('event: wake')
})
