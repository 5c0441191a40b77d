import type { Device } from '../../../src/gateway/base/device-record.ts'
import { sweepQueue } from '../../../src/gateway/messages/queue/sweep-queue.ts'
import { readAppRules } from '../../../src/gateway/smsgate-app/app-versions.ts'
import { noteClock } from '../../../src/gateway/smsgate-app/note-clock.ts'
import { pullMessages } from '../../../src/gateway/smsgate-app/pull-messages.ts'
import { assign } from '../../support/database/queue.ts'
import type { Client } from '../../support/server/server-with-devices.ts'
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

let user: Client
/** A phone's lease is three of the usual ones. Longer than any test: it passes when a test says so. */
const LEASE_SECONDS = 360
/** At the end of its lease a phone has that long to report, and sends no more. */
const REPORT_MS = 30_000

const fixture = await startSmsgateFixture()

const db = () => fixture.gateway.server.services.store.db

/** Time passes for a phone and for what the database knows of it. */
async function pass(phone: Phone, seconds: number): Promise<void> {
  const { id } = phone.store.registration!
  const ago = `$2::float8 * interval '1 second'`
  await db().query(
    `update sms_dispatch set lease_until = lease_until - ${ago}, due_at = due_at - ${ago}, wake_at = wake_at - ${ago}
     where device = $1`,
    [id, seconds],
  )
  await db().query(
    `update smsgate_phones set narrowed_at = narrowed_at - ${ago} where device = $1`,
    [id, seconds],
  )
  for (const message of phone.store.messages.values()) {
    const validUntil = message.validUntil - seconds * 1_000
    phone.store.write({ kind: 'message', message: { ...message, validUntil } })
  }
}

/**
 * A look of the sweeper, to which all silence counts. The server's own may be at it in this moment: then a
 * moment later.
 */
const judge = () => until(() => sweepQueue(fixture.gateway.server.services.store, 600))

/** How long the lease of what a phone has lasts from now, and when it ends. */
async function leaseOf(phone: Phone): Promise<{ leftSeconds: number; endMs: number }> {
  const { rows } = await db().query(
    `select extract(epoch from lease_until - now())::float8, extract(epoch from lease_until)::float8 * 1000
     from sms_dispatch where device = $1`,
    [phone.store.registration!.id],
  )
  return { leftSeconds: Number(rows[0]![0]), endMs: Number(rows[0]![1]) }
}

const attempts = (phone: { store: { onAir(): { id: string }[] } }) =>
  phone.store.onAir().map(({ id }) => id.split('.')[1])

async function roomOf(phone: Phone): Promise<number> {
  const { rows } = await db().query('select room from smsgate_phones where device = $1', [
    phone.store.registration!.id,
  ])
  return Number(rows[0]![0])
}

test.each([
  ['at_most_once', 'failed', 'Outcome unknown: the device went silent', []],
  ['at_least_once', 'delivered', '', ['2']],
])(
  'after a phone dies, a message with %s is not sent late and ends as %s',
  async (guarantee, status, reason, onAir) => {
    user = await fixture.gateway.makeUser()
    let phone = await joinPhone(fixture, user, { radioMs: () => 1 })
    await send(user, 1, { guarantee })
    for (const message of (await phone.call('GET', '/message')).body) await take(phone, message)
    // it stops to send before the server stops to wait
    await pass(phone, LEASE_SECONDS - REPORT_MS / 2_000)
    await judge()
    expect(await records(user, 'status = "sending"')).toHaveLength(1)
    expect(
      [...phone.store.messages.values()].map(({ validUntil }) => validUntil < phone.now()),
    ).toEqual([true])
    await pass(phone, REPORT_MS / 1_000)
    await judge()
    expect(await records(user, 'status != "sending"')).toHaveLength(1)
    phone = restart(phone)
    await until(() =>
      [...phone.store.messages.values()].some(({ error }) => error === 'TTL expired'),
    )
    await until(async () => (await records(user, `status = "${status}"`)).length === 1)
    phone.kill()
    expect((await records(user, ''))[0]).toMatchObject({ status, error_message: reason })
    expect(attempts(phone)).toEqual(onAir)
  },
)

test('a phone slower than its lease sends each text once and gets fewer texts at a time', async () => {
  user = await fixture.gateway.makeUser()
  // seven texts a lease; what it has said is with the server by then
  const sendMs = async () => {
    await until(() => phone.store.owed.size === 0)
    await pass(phone, 48)
    await judge()
    return 0
  }
  const phone = await joinPhone(fixture, user, { sendMs, radioMs: () => 1 })
  const ids = await send(user, 12)
  phone.start()
  await until(
    async () => (await records(user, 'status = "delivered"')).length === ids.length,
    80_000,
  )
  phone.kill()
  const sent = phone.store.onAir().map(({ id }) => id.split('.')[0])
  expect(sent.toSorted()).toEqual(ids.toSorted())
  expect(attempts(phone)).toContain('2')
  expect(await roomOf(phone)).toBeLessThan(20)
})

test('a phone whose wrong clock expired its texts does not get fewer at a time', async () => {
  user = await fixture.gateway.makeUser()
  const phone = await joinPhone(fixture, user, { clockMs: DAY_MS, radioMs: () => 1 })
  await send(user, 5)
  for (const message of (await phone.call('GET', '/message')).body) await take(phone, message)
  phone.start()
  await until(async () => (await records(user, 'status = "delivered"')).length === 5)
  phone.kill()
  expect(attempts(phone)).toEqual(Array(5).fill('2'))
  expect(await roomOf(phone)).toBe(20)
})

test('a text that the phone reports as still pending keeps its lease', async () => {
  user = await fixture.gateway.makeUser()
  const phone = await joinPhone(fixture, user)
  await send(user, 1)
  const [message] = (await phone.call('GET', '/message')).body
  const held = [{ id: message.id, state: 'Processed', recipients: [], states: {} }]
  for (let i = 0; i < 5; i++) {
    await pass(phone, LEASE_SECONDS - 100)
    expect((await leaseOf(phone)).leftSeconds).toBeLessThan(100)
    expect((await phone.call('PATCH', '/messages', held)).status).toBe(204)
    expect((await leaseOf(phone)).leftSeconds).toBeGreaterThan(LEASE_SECONDS - 100)
    await judge()
  }
  expect(await records(user, 'status = "sending"')).toHaveLength(1)
  const sent = [{ id: message.id, state: 'Sent', recipients: [], states: {} }]
  await phone.call('PATCH', '/messages', sent)
  expect(await records(user, 'status = "sent"')).toHaveLength(1)
})

test.each([
  ['ahead', DAY_MS],
  ['behind', -DAY_MS],
])('validUntil is given in the clock of a phone that is %s', async (_, clockMs) => {
  user = await fixture.gateway.makeUser()
  const phone = await joinPhone(fixture, user, { clockMs })
  phone.start()
  await until(() => 'webhooks' in phone.store.settings)
  await until(async () => {
    const { rows } = await db().query('select clock_ms from smsgate_phones where device = $1', [
      phone.store.registration!.id,
    ])
    return Math.abs(Number(rows[0]![0]) - clockMs) < 5_000
  })
  phone.kill()
  await send(user, 1)
  const other = makePhone(fixture)
  other.store.write({ kind: 'registered', registration: phone.store.registration })
  const [message] = (await other.call('GET', '/message')).body
  const { endMs } = await leaseOf(other)
  expect(Math.abs(Date.parse(message.validUntil) - clockMs - (endMs - REPORT_MS))).toBeLessThan(
    10_000,
  )
})

// the clock of the embedded database is our own
test.each([
  ['ahead', DAY_MS],
  ['behind', -DAY_MS],
])(
  "validUntil equals the end of the lease although the server's clock is %s",
  async (_, clockMs) => {
    user = await fixture.gateway.makeUser()
    const phone = await joinPhone(fixture, user)
    const { store } = fixture.gateway.server.services
    await phone.call('GET', '/message')
    const real = Date.now
    Date.now = () => real() + clockMs
    try {
      const device = { id: phone.store.registration!.id, user: user.id, enabled: true } as Device
      // as it finds it in what the phone signs
      await noteClock(store, device, real() - Date.now())
      await assign(store, device, 1)
      const [message] = await pullMessages(
        store,
        { ...device, isLimited: false },
        { leaseSeconds: 120, deviceOnlineSeconds: 600 },
        readAppRules('me.capcom.smsgateway/1.68.0'),
      )
      const { rows } = await store.db.query(
        `select extract(epoch from lease_until)::float8 * 1000 from sms_dispatch where device = $1`,
        [device.id],
      )
      const beforeEndMs =
        Number(rows[0]![0]) - Date.parse((message as { validUntil: string }).validUntil)
      expect(beforeEndMs).toBeGreaterThan(25_000)
      expect(beforeEndMs).toBeLessThan(60_000)
    } finally {
      Date.now = real
    }
  },
)
