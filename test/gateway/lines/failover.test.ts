import { sweepQueue } from '../../../src/gateway/messages/queue/sweep-queue.ts'
import { openLineFixture } from '../../support/database/line-fixture.ts'

const fixture = await openLineFixture({ DEVICE_ONLINE_SECONDS: '120' })
const { rows, send, claim, lines, at, store } = fixture

beforeEach(() => fixture.reset())

const text = (to: string, more: object = {}) => ({ recipients: [to], ...more })
const FRIDAY = '2090-01-13T18:'

/** Phones `a` and `b`, last seen at 18:00, and carrier `c`, which is online, with an account's settings. */
async function open(minutes = 10, priority = 5) {
  await at(`${FRIDAY}00:00Z`)
  await lines('a1', 'b1', 'c1')
  await rows(
    `update devices set last_seen = '2090-01-13 18:00:00.000Z' where id like 'a%' or id like 'b%'`,
  )
  await rows(`update devices set platform = 'carrier' where id like 'c%'`)
  await fixture.liveIn('Europe/Berlin')
  await rows(`update user_settings set failover_minutes = $1, failover_priority = $2`, [
    minutes,
    priority,
  ])
}
const sweepAt = async (time: string) => {
  await at(`${FRIDAY}${time}Z`)
  await sweepQueue(store, 120)
}
const statusOf = async (to: string) =>
  (await rows('select status, line from sms_messages where "to" = $1', [to])).map(
    ([status, line]) => [status, String(line).replace(/0+$/, '')],
  )[0]

test('without the setting, carriers take turns with phones', async () => {
  await open(0, 0)
  const used = await fixture.sendAll({ recipients: ['+4930001', '+4930002', '+4930003'] })
  expect(used.toSorted()).toEqual(['a1', 'b1', 'c1'])
})

test('while a phone is online, carriers get no text of any priority that does not name them', async () => {
  await open()
  for (const priority of [0, 9])
    for (let i = 0; i < 4; i++)
      expect(['a1', 'b1']).toContain(await send(text(`+4930${priority}0${i}`, { priority })))
  expect(await send(text('+4930101', fixture.named({ line_id: 'c1' })))).toBe('c1')
  expect(await send(text('+4930102', fixture.named({ device_id: 'c' })))).toBe('c1')
})

test('when phones go silent, carriers send texts of high priority at once and others after minutes', async () => {
  await open()
  await at(`${FRIDAY}05:00Z`)
  expect(await send(text('+4930001', { priority: 5 }))).toBe('c1')
  expect(await send(text('+4930002', { priority: 4 }))).toBe(null)
  await sweepAt('09:00')
  expect(await statusOf('+4930002')).toEqual(['pending', ''])
  await sweepAt('10:01')
  expect(await statusOf('+4930002')).toEqual(['assigned', 'c1'])
  expect(await send(text('+4930003'))).toBe('c1')
})

test('a text that waits for its phone goes to the carrier by its priority, then after minutes', async () => {
  await open()
  const sent = [5, 4].map((priority) => text(`+493000${priority}`, { priority }))
  for (const one of sent) expect(['a1', 'b1']).toContain(await send(one))
  // both phones count as available for ten minutes, but have not fetched the texts
  await at(`${FRIDAY}00:46Z`)
  await rows(`update sms_dispatch set wakes = 3, wake_at = now()`)
  await sweepQueue(store, 600)
  expect(await statusOf('+4930005')).toEqual(['assigned', 'c1'])
  expect(['a1', 'b1']).toContain((await statusOf('+4930004'))![1])
  await sweepAt('10:01')
  expect(await statusOf('+4930004')).toEqual(['assigned', 'c1'])
  expect((await claim('c')).map(({ to }) => to)).toEqual(['+4930005', '+4930004'])
  expect(await claim('a')).toEqual([])
  expect(await claim('b')).toEqual([])
})

test('texts that name a phone, a line or a slot never go to carriers', async () => {
  await open()
  await at(`${FRIDAY}01:00Z`)
  await send(text('+4930001', fixture.named({ device_id: 'a' })))
  await send(text('+4930002', fixture.named({ line_id: 'b1' })))
  await send(text('+4930003', { sim: 1, priority: 9 }))
  for (const time of ['03:00', '11:00', '12:10', '30:00']) await sweepAt(time)
  expect(await rows(`select count(*) from sms_messages where line like 'c1%'`)).toEqual([[0]])
  expect(await claim('c')).toEqual([])
})

test('a text that names a slot is refused while only carriers are available', async () => {
  await open()
  for (const time of ['05:00', '11:00']) {
    await at(`${FRIDAY}${time}Z`)
    expect(await send(text('+4930001', { sim: 1, priority: 9 }))).toBe('no_devices')
  }
  expect(await send(text('+4930002', { sim: 1, ...fixture.named({ device_id: 'c' }) }))).toBe('c1')
  await rows('update user_settings set failover_minutes = 0')
  expect(await send(text('+4930003', { sim: 1 }))).toBe('c1')
})

test('phones that are online again get the waiting texts', async () => {
  await open(60, 0)
  await at(`${FRIDAY}05:00Z`)
  expect(await send(text('+4930001', { priority: 9 }))).toBe(null)
  await at(`${FRIDAY}07:00Z`)
  await rows(`update devices set last_seen = '2090-01-13 18:07:00.000Z' where id like 'a%'`)
  await sweepAt('07:01')
  expect(await statusOf('+4930001')).toEqual(['assigned', 'a1'])
})

test('a phone that push wakes counts as down once it has ignored wake-ups for so long', async () => {
  await open(5)
  await rows(`update devices set push = '{"endpoint":"x"}' where id like 'a%' or id like 'b%'`)
  await at(`${FRIDAY}30:00Z`)
  expect(['a1', 'b1']).toContain(await send(text('+4930001')))
  await rows(`update sms_dispatch set wakes = 5, wake_at = now() + interval '1 minute'`)
  await sweepAt('32:30')
  expect(['a1', 'b1']).toContain((await statusOf('+4930001'))![1])
  await rows(`update sms_dispatch set wakes = 6`)
  await rows(
    `update devices set enabled = false where id not in (select device from sms_dispatch) and id not like 'c%'`,
  )
  await sweepAt('37:30')
  expect(await statusOf('+4930001')).toEqual(['assigned', 'c1'])
})

test('the named sender of a carrier sends when phones are down', async () => {
  await open()
  await rows(`update lines set number = 'Acme' where id like 'c1%'`)
  await at(`${FRIDAY}05:00Z`)
  expect(await send(text('+4930001'))).toBe(null)
  await at(`${FRIDAY}11:00Z`)
  expect(await send(text('+4930002'))).toBe('c1')
})
