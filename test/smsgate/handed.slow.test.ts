import type { Client } from '../support/server/server-with-devices.ts'
import type { Phone } from '../support/smsgate/smsgate-app.ts'
import { joinPhone, records, send, startSmsgateFixture, until } from '../support/smsgate/smsgate-fixture.ts'
import { openEvents, PULL } from '../support/smsgate/smsgate-stream.ts'

// A phone whose stream is open is told to pull when that brings it something, and is handed nothing that it
// could be handed at a bad time.

let user: Client
let phone: Phone
let events: Awaited<ReturnType<typeof openEvents>>

const fixture = await startSmsgateFixture()

beforeEach(async () => {
  user = await fixture.gateway.makeUser()
  phone = await joinPhone(fixture, user)
  events = await openEvents(phone)
  await until(() => events.frames.includes(':keepalive'))
  return () => events.close()
})

const wakes = () => events.frames.filter((frame) => frame === PULL).length
const pull = async (): Promise<string[]> =>
  (await phone.call('GET', '/message')).body.map(({ id }: { id: string }) => id)
const report = async (ids: readonly string[], state: string) => {
  const body = ids.map((id) => ({ id, state, recipients: [], states: {} }))
  expect((await phone.call('PATCH', '/message', body)).status).toBe(204)
}
/** Time passes for what the server knows of the phone. */
const pass = async (seconds: number) => {
  const { db } = fixture.gateway.server.services.store
  const { id } = phone.store.registration!
  const ago = `$2::float8 * interval '1 second'`
  await db.query(
    `update smsgate_phones set handed_at = handed_at - ${ago}, woken_at = woken_at - ${ago} where device = $1`,
    [id, seconds],
  )
  await db.query(`update smsgate_texts set listed_at = listed_at - ${ago} where device = $1`, [id, seconds])
}
/** Sends texts and pulls, as by itself. */
const handOver = async (count: number): Promise<string[]> => {
  await send(user, count)
  return pull()
}
/** Sends texts and pulls when the phone is told to. */
const handOut = async (count: number): Promise<string[]> => {
  await send(user, count)
  const before = wakes()
  await until(() => wakes() > before)
  return pull()
}

describe('texts that were handed out', () => {
  test('are not handed out again, and no others, until the phone has handed them to Android', async () => {
    const ids = await handOut(25)
    expect(ids).toHaveLength(20)
    expect(await pull()).toEqual([])
    events.frames.length = 0
    await report(ids.slice(0, 19), 'Sent')
    expect(await pull()).toEqual([])
    expect(wakes()).toBe(0)
    await report(ids.slice(19), 'Processed')
    await until(() => wakes() > 0)
    expect(await pull()).toHaveLength(5)
  })

  test('are handed out again within seconds if their answer was lost', async () => {
    const ids = await handOut(3)
    const lostAt = Date.now()
    events.frames.length = 0
    await until(() => wakes() > 0)
    expect(Date.now() - lostAt).toBeLessThan(8_000)
    expect(await pull()).toEqual(ids)
  })

  test('are not, if the phone has said anything of them', async () => {
    const ids = await handOver(3)
    await report(ids, 'Pending')
    await pass(4)
    expect(await pull()).toEqual([])
  })

  test('are, near the end of their lease', async () => {
    const ids = await handOver(3)
    await report(ids, 'Processed')
    const { db } = fixture.gateway.server.services.store
    await db.query(`update sms_dispatch set lease_until = now() + interval '100 seconds' where device = $1`, [
      phone.store.registration!.id,
    ])
    await pass(4)
    expect(await pull()).toEqual(ids)
  })

  test.each([
    ['a slow phone that has half of them yet', 10, 6, 5],
    ['a quick phone that has half of them yet', 10, 2, 0],
    ['a slow phone that has few of them yet', 3, 6, 0],
    ['a phone that has not come to the rest for a minute', 3, 61, 5],
    ['a slow phone that has most of them yet', 12, 61, 0],
  ])('leave place for others: %s', async (_, left, seconds, more) => {
    const ids = await handOver(25)
    await report(ids, 'Pending')
    await report(ids.slice(left), 'Sent')
    await pass(seconds)
    expect(await pull()).toHaveLength(more)
  })
})

describe('a phone is told to pull', () => {
  test('once, however many texts wait for it', async () => {
    await until(async () => {
      await send(user, 1)
      return wakes() > 0
    })
    for (let i = 0; i < 10; i++) await send(user, 1)
    expect(wakes()).toBe(1)
    expect((await pull()).length).toBeGreaterThan(10)
  })

  test('again, if it did not', async () => {
    await send(user, 1)
    await until(() => wakes() === 1)
    await until(() => wakes() === 2, 10_000)
  })

  test('not while it pulls by itself, since its stream was just opened', async () => {
    await events.close()
    await send(user, 1)
    events = await openEvents(phone)
    await until(() => events.frames.includes(':keepalive'))
    expect(await pull()).toHaveLength(1)
    expect(wakes()).toBe(0)
    await until(async () => {
      await send(user, 1)
      return wakes() > 0
    })
    expect(wakes()).toBe(1)
  })
})

test('a phone is told to pull before a short lease ends', async () => {
  const short = await startSmsgateFixture({ LEASE_SECONDS: '4' })
  try {
    user = await short.gateway.makeUser()
    phone = await joinPhone(short, user)
    await events.close()
    events = await openEvents(phone)
    await report(await handOut(1), 'Processed')
    events.frames.length = 0
    await until(() => wakes() > 0)
    expect(await records(user, 'status = "sending"')).toHaveLength(1)
    expect(await pull()).toHaveLength(1)
  } finally {
    await events.close()
    await short.stop()
  }
})

test('two pulls at once get each text once', async () => {
  await handOver(1).then((ids) => report(ids, 'Sent'))
  await send(user, 15)
  const answers = await Promise.all([pull(), pull(), pull(), pull()])
  expect(answers.map(({ length }) => length).toSorted((a, b) => b - a)).toEqual([15, 0, 0, 0])
})
