import type { Client } from '../support/server/server-with-devices.ts'
import type { Phone } from '../support/smsgate/smsgate-app.ts'
import {
  DAY_MS,
  joinPhone,
  records,
  restart,
  send,
  startSmsgateFixture,
  until,
} from '../support/smsgate/smsgate-fixture.ts'

let user: Client
const fixture = await startSmsgateFixture()

const COUNT = 200
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

test('200 messages over a line that breaks: none is lost, none goes out twice, each is known to be delivered', {
  timeout: 4 * WITHIN_MS,
}, async () => {
  const journeys = await Promise.all([0, DAY_MS, -DAY_MS].map(join))
  fixture.breakLine(LOSSES)
  const outcomes = await Promise.all(journeys.map(travel))
  fixture.breakLine(0)
  for (const { stored, times, faults } of outcomes) {
    expect(stored.filter(({ status }) => status !== 'delivered')).toEqual([])
    expect(times).toEqual(Array(COUNT).fill(1))
    const late = stored.filter(({ sent_at, created, updated }) => sent_at < created || sent_at > updated)
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

describe('what comes in', () => {
  test(
    'arrives once, though answers are lost, the app starts anew and its clock is wrong',
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
      expect(stored.every(({ from, status }) => from === '+4917012345' && status === 'received')).toBe(true)
    },
    3 * WITHIN_MS,
  )

  test('while the app was not there, is asked for', async () => {
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
    await db.query(`update devices set last_seen = pb_text(now() - interval '20 minutes') where id = $1`, [
      id,
    ])
    phone = restart(phone)
    await until(async () => (await records(user, 'message_type = "incoming"')).length === 2)
    phone.kill()
    const bodies = (await records(user, 'message_type = "incoming"')).map(({ body }) => body)
    expect(bodies.toSorted()).toEqual(['Heard', 'Not heard'])
  })
})
