import { afterAll, beforeAll, expect, test } from 'vitest'
import { Ear } from '../realtime/ear.ts'
import { at, stored } from '../support/hours.ts'
import { ANN, as, BEN, openShop, type Shop } from '../support/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.stop())

const numbers = (count: number) => Array.from({ length: count }, (_, i) => `+4977${i + 10_000}`)
const schedule = async (count: number, options = {}) =>
  (await shop.send({ recipients: numbers(count), scheduled_at: at(5), ...options })).body as {
    batch_id: string
    message_ids: string[]
  }
const reschedule = (id: string, body?: unknown, headers?: Record<string, string>) =>
  shop.ask('POST', `batches/${id}/reschedule`, body, headers)
const timesOf = async (ids: readonly string[]) => {
  const rows = await shop.rows(
    `select m.scheduled_at, m.expires_at, pb_text(d.due_at), coalesce(pb_text(d.expires_at), '')
    from sms_messages m join sms_dispatch d on d.message = m.id where m.id = any($1)`,
    [ids],
  )
  for (const [scheduled, expires, due, ends] of rows) expect([due, ends]).toEqual([scheduled, expires])
  return rows.map(([scheduled, expires]) => [scheduled, expires])
}
const ALL = { assigned: 0, sending: 0, sent: 0, delivered: 0, failed: 0 }

test.each([
  ['a time', {}, { scheduled_at: at(9) }, [stored(9), '']],
  ['an earlier time, whose end stays', { ttl: 3600 }, { scheduled_at: at(2) }, [stored(2), stored(6)]],
  [
    'a time and how long it is good for',
    { ttl: 60 },
    { scheduled_at: at(9), ttl: 7200 },
    [stored(9), stored(11)],
  ],
  ['a time and an end', {}, { scheduled_at: at(9), expires_at: at(10) }, [stored(9), stored(10)]],
  ['a time without an end', { ttl: 60 }, { scheduled_at: at(9), expires_at: '' }, [stored(9), '']],
])('a scheduled batch gets %s, once', async (_, options, body, times) => {
  const { batch_id, message_ids } = await schedule(3, options)
  const now = { batch_id, recipients_count: 3, counts: { pending: 3, ...ALL } }
  const answer = await reschedule(batch_id, body)
  expect([answer.status, answer.body]).toEqual([200, { ...now, rescheduled: 3 }])
  expect((await reschedule(batch_id, body)).body).toEqual({ ...now, rescheduled: 0 })
  expect(await timesOf(message_ids)).toEqual(Array(3).fill(times))
  const events = await shop.rows('select count(*) from sms_events where message = any($1)', [message_ids])
  expect(events).toEqual([[3]])
})

test('what is under way or over stays, and another batch', async () => {
  const { batch_id, message_ids } = await schedule(4)
  const other = await schedule(2)
  const [going, gone, ...left] = message_ids
  await shop.rows(`update sms_dispatch set state = 'assigned' where message = $1`, [going])
  await shop.rows(`update sms_messages set status = 'assigned' where id = $1`, [going])
  await shop.ask('POST', `messages/${gone}/cancel`)
  const { body } = await reschedule(batch_id, { scheduled_at: at(7) })
  expect(body).toMatchObject({ rescheduled: 2, counts: { pending: 2, assigned: 1, failed: 1 } })
  expect(await timesOf(left)).toEqual(Array(2).fill([stored(7), '']))
  expect(await timesOf([going!, ...other.message_ids])).toEqual(Array(3).fill([stored(5), '']))
  for (const id of left) await shop.ask('POST', `messages/${id}/cancel`)
  expect((await reschedule(batch_id, { scheduled_at: at(8) })).body).toMatchObject({ rescheduled: 0 })
})

test('a time that is past means now', async () => {
  const { batch_id, message_ids } = await schedule(3)
  expect((await reschedule(batch_id, { scheduled_at: '2020-01-01' })).body).toMatchObject({ rescheduled: 3 })
  await expect
    .poll(async () => (await shop.ask('GET', `batches/${batch_id}`)).body.counts.assigned, {
      timeout: 30_000,
    })
    .toBe(3)
  expect((await reschedule(batch_id, { scheduled_at: '2020-01-01' })).body).toMatchObject({ rescheduled: 0 })
  await shop.rows('delete from sms_dispatch where message = any($1)', [message_ids])
})

const WHEN = 'expires_at must lie in the future, after scheduled_at'
test.each([
  ['nothing', {}, 'scheduled_at is required'],
  ['no time', { ttl: 60 }, 'scheduled_at is required'],
  ['null for a time', { scheduled_at: null }, 'scheduled_at must be a date'],
  ['no date', { scheduled_at: 'x' }, 'scheduled_at must be a date, for example 2026-11-20T07:00:00Z'],
  ['a text', { scheduled_at: at(6), body: 'Hi' }, 'body is not a field of this request'],
  ['two ends', { scheduled_at: at(6), ttl: 9, expires_at: at(8) }, 'ttl and expires_at exclude each other'],
  ['an end before the time', { scheduled_at: at(6), expires_at: at(6) }, WHEN],
  ['a time after the end that one of them has', { scheduled_at: at(7) }, WHEN],
])('%s is refused, and changes nothing', async (_, body, message) => {
  const { batch_id, message_ids } = await schedule(3, { ttl: 36_000 })
  const [last] = message_ids.toSorted().slice(-1)
  await shop.ask('PATCH', `messages/${last}`, { ttl: 3600 })
  const answer = await reschedule(batch_id, body)
  expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_request', message }])
  expect((await timesOf(message_ids)).map(([time]) => time)).toEqual(Array(3).fill(stored(5)))
})

test("an unknown batch, none, and another user's are not found", async () => {
  const { batch_id, message_ids } = await schedule(2)
  const body = { scheduled_at: at(9) }
  const expected = { error: 'batch_not_found', message: 'Batch not found' }
  const ben = await shop.signedIn('users', BEN.id)
  for (const answer of [
    await reschedule('nosuchbatch0000', body),
    await reschedule('%20', body),
    await reschedule(batch_id, body, as(BEN)),
    await reschedule(batch_id, body, ben),
  ])
    expect([answer.status, answer.body]).toEqual([404, expected])
  expect(await timesOf(message_ids)).toEqual(Array(2).fill([stored(5), '']))
  expect((await reschedule(batch_id, body, {})).status).toBe(401)
  expect((await reschedule(batch_id, body, await shop.signedIn('users', ANN.id))).status).toBe(200)
})

test('more than a statement takes, and ten at once: each message is changed once', async () => {
  const sends = await Promise.all([1, 2, 3].map(() => schedule(900)))
  const ids = sends.map(({ batch_id }) => batch_id)
  const all = sends.flatMap(({ message_ids }) => message_ids)
  await shop.rows('update sms_messages set batch_id = $1 where batch_id = any($2)', [ids[0], ids])
  const body = { scheduled_at: at(9), ttl: 3600 }
  const answers = await Promise.all(Array.from({ length: 10 }, () => reschedule(ids[0]!, body)))
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect(answers.reduce((sum, answer) => sum + answer.body.rescheduled, 0)).toBe(2700)
  expect(await timesOf(all)).toEqual(Array(2700).fill([stored(9), stored(10)]))
})

test('subscribers hear of each', async () => {
  const { batch_id, message_ids } = await schedule(3)
  const { authorization } = await shop.signedIn('users', ANN.id)
  const ear = await Ear.on(shop.url, authorization!, 'sms_messages/*')
  await reschedule(batch_id, { scheduled_at: at(6) })
  const heard = (await ear.next(3)).map(({ data }) => [data.action, data.record.id, data.record.scheduled_at])
  await ear.close()
  expect(heard.sort()).toEqual(message_ids.toSorted().map((id) => ['update', id, stored(6)]))
})
