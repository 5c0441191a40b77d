import { isoAtHour, storedAtHour } from '../../support/clock.ts'
import { as, BEN, startServerWithUsers } from '../../support/server/server-with-users.ts'

const server = await startServerWithUsers()

const numbers = (count: number) => Array.from({ length: count }, (_, i) => `+4977${i + 10_000}`)
const schedule = async (count: number, options = {}) =>
  (await server.send({ recipients: numbers(count), scheduled_at: isoAtHour(5), ...options })).body as {
    batch_id: string
    message_ids: string[]
  }
const reschedule = (id: string, body?: unknown, headers?: Record<string, string>) =>
  server.ask('POST', `batches/${id}/reschedule`, body, headers)
const timesOf = async (ids: readonly string[]) => {
  const rows = await server.rows(
    `select m.scheduled_at, m.expires_at, pb_text(d.due_at), coalesce(pb_text(d.expires_at), '')
    from sms_messages m join sms_dispatch d on d.message = m.id where m.id = any($1)`,
    [ids],
  )
  for (const [scheduled, expires, due, ends] of rows) expect([due, ends]).toEqual([scheduled, expires])
  return rows.map(([scheduled, expires]) => [scheduled, expires])
}
const ALL = { assigned: 0, sending: 0, sent: 0, delivered: 0, failed: 0 }

test.each([
  ['a time', {}, { scheduled_at: isoAtHour(9) }, [storedAtHour(9), '']],
  [
    'an earlier time, whose end stays',
    { ttl: 3600 },
    { scheduled_at: isoAtHour(2) },
    [storedAtHour(2), storedAtHour(6)],
  ],
  [
    'a time and how long it is good for',
    { ttl: 60 },
    { scheduled_at: isoAtHour(9), ttl: 7200 },
    [storedAtHour(9), storedAtHour(11)],
  ],
  [
    'a time and an end',
    {},
    { scheduled_at: isoAtHour(9), expires_at: isoAtHour(10) },
    [storedAtHour(9), storedAtHour(10)],
  ],
  [
    'a time without an end',
    { ttl: 60 },
    { scheduled_at: isoAtHour(9), expires_at: '' },
    [storedAtHour(9), ''],
  ],
])('a scheduled batch gets %s, once', async (_, options, body, times) => {
  const { batch_id, message_ids } = await schedule(3, options)
  const now = { batch_id, recipients_count: 3, counts: { pending: 3, ...ALL } }
  const answer = await reschedule(batch_id, body)
  expect([answer.status, answer.body]).toEqual([200, { ...now, rescheduled: 3 }])
  expect((await reschedule(batch_id, body)).body).toEqual({ ...now, rescheduled: 0 })
  expect(await timesOf(message_ids)).toEqual(Array(3).fill(times))
  const events = await server.rows('select count(*) from sms_events where message = any($1)', [message_ids])
  expect(events).toEqual([[3]])
})

test('what is under way or over stays, and another batch', async () => {
  const { batch_id, message_ids } = await schedule(4)
  const other = await schedule(2)
  const [going, gone, ...left] = message_ids
  await server.rows(`update sms_dispatch set state = 'assigned' where message = $1`, [going])
  await server.rows(`update sms_messages set status = 'assigned' where id = $1`, [going])
  await server.ask('POST', `messages/${gone}/cancel`)
  const { body } = await reschedule(batch_id, { scheduled_at: isoAtHour(7) })
  expect(body).toMatchObject({ rescheduled: 2, counts: { pending: 2, assigned: 1, failed: 1 } })
  expect(await timesOf(left)).toEqual(Array(2).fill([storedAtHour(7), '']))
  expect(await timesOf([going!, ...other.message_ids])).toEqual(Array(3).fill([storedAtHour(5), '']))
  for (const id of left) await server.ask('POST', `messages/${id}/cancel`)
  expect((await reschedule(batch_id, { scheduled_at: isoAtHour(8) })).body).toMatchObject({ rescheduled: 0 })
})

test('a time that is past means now', async () => {
  const { batch_id, message_ids } = await schedule(3)
  expect((await reschedule(batch_id, { scheduled_at: '2020-01-01' })).body).toMatchObject({ rescheduled: 3 })
  await expect.poll(async () => (await server.ask('GET', `batches/${batch_id}`)).body.counts.assigned).toBe(3)
  expect((await reschedule(batch_id, { scheduled_at: '2020-01-01' })).body).toMatchObject({ rescheduled: 0 })
  await server.rows('delete from sms_dispatch where message = any($1)', [message_ids])
})

const WHEN = 'expires_at must lie in the future, after scheduled_at'
test.each([
  ['nothing', {}, 'scheduled_at is required'],
  ['an end before the time', { scheduled_at: isoAtHour(6), expires_at: isoAtHour(6) }, WHEN],
  ['a time after the end that one of them has', { scheduled_at: isoAtHour(7) }, WHEN],
])('%s is refused, and changes nothing', async (_, body, message) => {
  const { batch_id, message_ids } = await schedule(3, { ttl: 36_000 })
  const [last] = message_ids.toSorted().slice(-1)
  await server.ask('PATCH', `messages/${last}`, { ttl: 3600 })
  const answer = await reschedule(batch_id, body)
  expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_request', message }])
  expect((await timesOf(message_ids)).map(([time]) => time)).toEqual(Array(3).fill(storedAtHour(5)))
})

test("an unknown batch and another user's are not found", async () => {
  const { batch_id, message_ids } = await schedule(2)
  const body = { scheduled_at: isoAtHour(9) }
  const expected = { error: 'batch_not_found', message: 'Batch not found' }
  for (const answer of [await reschedule('nosuchbatch0000', body), await reschedule(batch_id, body, as(BEN))])
    expect([answer.status, answer.body]).toEqual([404, expected])
  expect(await timesOf(message_ids)).toEqual(Array(2).fill([storedAtHour(5), '']))
  expect((await reschedule(batch_id, body, {})).status).toBe(401)
})

test('more than a statement takes, and ten at once: each message is changed once', async () => {
  const sends = await Promise.all([1, 2, 3].map(() => schedule(900)))
  const ids = sends.map(({ batch_id }) => batch_id)
  const all = sends.flatMap(({ message_ids }) => message_ids)
  await server.rows('update sms_messages set batch_id = $1 where batch_id = any($2)', [ids[0], ids])
  const body = { scheduled_at: isoAtHour(9), ttl: 3600 }
  const answers = await Promise.all(Array.from({ length: 10 }, () => reschedule(ids[0]!, body)))
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect(answers.reduce((sum, answer) => sum + answer.body.rescheduled, 0)).toBe(2700)
  expect(await timesOf(all)).toEqual(Array(2700).fill([storedAtHour(9), storedAtHour(10)]))
})
