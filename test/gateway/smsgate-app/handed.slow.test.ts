import {
  joinPhone,
  records,
  send,
  startSmsgateFixture,
  until,
} from '../../support/smsgate/smsgate-fixture.ts'
import { openEvents, PULL } from '../../support/smsgate/smsgate-stream.ts'
import { stopLater } from '../../support/stops.ts'

// A phone whose stream is open is told to pull when that brings it something, and is handed nothing that it
// could be handed at a bad time.

const fixture = await startSmsgateFixture()

/** A phone of a user of its own, whose stream is open. */
async function listen(site = fixture) {
  const user = await site.gateway.makeUser()
  const phone = await joinPhone(site, user)
  const events = await openEvents(phone)
  stopLater(events.close)
  await until(() => events.frames.includes(':keepalive'))
  const { id } = phone.store.registration!
  const { db } = site.gateway.server.services.store
  const wakes = () => events.frames.filter((frame) => frame === PULL).length
  const pull = async (): Promise<string[]> =>
    (await phone.call('GET', '/message')).body.map(({ id }: { id: string }) => id)
  return {
    user,
    phone,
    events,
    wakes,
    pull,
    async report(ids: readonly string[], state: string) {
      const body = ids.map((id) => ({ id, state, recipients: [], states: {} }))
      expect((await phone.call('PATCH', '/message', body)).status).toBe(204)
    },
    /** Time passes for what the server knows of the phone. */
    async pass(seconds: number) {
      const ago = `$2::float8 * interval '1 second'`
      await db.query(
        `update smsgate_phones set handed_at = handed_at - ${ago}, woken_at = woken_at - ${ago} where device = $1`,
        [id, seconds],
      )
      await db.query(`update smsgate_texts set listed_at = listed_at - ${ago} where device = $1`, [
        id,
        seconds,
      ])
    },
    /** Sends texts and pulls, as by itself. */
    async handOver(count: number) {
      await send(user, count)
      return pull()
    },
    /** Sends texts and pulls when the phone is told to. */
    async handOut(count: number) {
      await send(user, count)
      const before = wakes()
      await until(() => wakes() > before)
      return pull()
    },
  }
}

describe('pulled texts', () => {
  test('pulled texts block further texts until the phone has passed them to Android', async () => {
    const { events, wakes, pull, report, handOut } = await listen()
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

  test('pulled texts are not returned again after the phone has reported any state of them', async () => {
    const { pull, report, pass, handOver } = await listen()
    const ids = await handOver(3)
    await report(ids, 'Pending')
    await pass(4)
    expect(await pull()).toEqual([])
  })

  test('pulled texts are returned again near the end of their lease', async () => {
    const { phone, pull, report, pass, handOver } = await listen()
    const ids = await handOver(3)
    await report(ids, 'Processed')
    const { db } = fixture.gateway.server.services.store
    await db.query(
      `update sms_dispatch set lease_until = now() + interval '100 seconds' where device = $1`,
      [phone.store.registration!.id],
    )
    await pass(4)
    expect(await pull()).toEqual(ids)
  })

  test.each([
    ['a slow phone with half of them left', 10, 6, 5],
    ['a quick phone with half of them left', 10, 2, 0],
    ['a slow phone with few of them left', 3, 6, 0],
    ['a phone that has not reported on the rest for a minute', 3, 61, 5],
    ['a slow phone with most of them left', 12, 61, 0],
  ])('pulled texts leave room for $3 more texts on %s', async (_, left, seconds, more) => {
    const { pull, report, pass, handOver } = await listen()
    const ids = await handOver(25)
    await report(ids, 'Pending')
    await report(ids.slice(left), 'Sent')
    await pass(seconds)
    expect(await pull()).toHaveLength(more)
  })
})

// most of the time these wait for what the server does by itself
describe.concurrent('a phone is asked to pull', () => {
  test('a phone is asked to pull within seconds after the answer to its pull was lost, and gets the same texts', async () => {
    const { events, wakes, pull, handOut } = await listen()
    const ids = await handOut(3)
    const lostAt = Date.now()
    events.frames.length = 0
    await until(() => wakes() > 0)
    expect(Date.now() - lostAt).toBeLessThan(8_000)
    expect(await pull()).toEqual(ids)
  })

  test('a phone is asked to pull before a short lease ends', async () => {
    const { user, events, wakes, pull, report, handOut } = await listen(
      await startSmsgateFixture({ LEASE_SECONDS: '4' }),
    )
    await report(await handOut(1), 'Processed')
    events.frames.length = 0
    await until(() => wakes() > 0)
    expect(await records(user, 'status = "sending"')).toHaveLength(1)
    expect(await pull()).toHaveLength(1)
  })

  test('a phone is asked to pull once for any number of waiting texts', async () => {
    const { user, wakes, pull } = await listen()
    await until(async () => {
      await send(user, 1)
      return wakes() > 0
    })
    for (let i = 0; i < 10; i++) await send(user, 1)
    expect(wakes()).toBe(1)
    expect((await pull()).length).toBeGreaterThan(10)
  })

  test('a phone is asked to pull again if it did not pull', async () => {
    const { user, wakes } = await listen()
    await send(user, 1)
    await until(() => wakes() === 1)
    await until(() => wakes() === 2, 10_000)
  })

  test('a phone is asked to pull only after it had time to pull on its own, when its stream was just opened', async () => {
    const { user, phone, events: before, pull } = await listen()
    await before.close()
    await send(user, 1)
    const events = await openEvents(phone)
    stopLater(events.close)
    const wakes = () => events.frames.filter((frame) => frame === PULL).length
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

test('two pulls at once get each text once', async () => {
  const { user, pull, report, handOver } = await listen()
  await handOver(1).then((ids) => report(ids, 'Sent'))
  await send(user, 15)
  const answers = await Promise.all([pull(), pull(), pull(), pull()])
  expect(answers.map(({ length }) => length).toSorted((a, b) => b - a)).toEqual([15, 0, 0, 0])
})
