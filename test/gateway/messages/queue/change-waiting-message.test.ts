import { HOUR_MS, isoAtHour, storedAtHour } from '../../../support/clock.ts'
import {
  ANN,
  as,
  BEN,
  PHONES,
  startServerWithUsers,
} from '../../../support/server/server-with-users.ts'

const server = await startServerWithUsers()

const used = async () => (await server.ask('GET', 'usage')).body.used
const schedule = async (more: object = {}): Promise<string> =>
  (await server.send({ scheduled_at: isoAtHour(5), ...more })).body.message_ids[0]
const change = (id: string, body?: unknown, headers?: Record<string, string>) =>
  server.ask('PATCH', `messages/${id}`, body, headers)
const queued = (id: string) =>
  server.rows(
    `select pb_text(due_at), coalesce(pb_text(expires_at), ''), priority from sms_dispatch where message = $1`,
    [id],
  )
const events = (id: string) =>
  server.rows(
    'select status, device, attempt, detail from sms_events where message = $1 order by _rowid',
    [id],
  )
const LONG = 'long '.repeat(40)
const at = (hours: number) => ({ scheduled_at: isoAtHour(hours) })
const end = (hours: number) => ({ expires_at: isoAtHour(hours) })
const EMPTY = { expires_at: null, ttl: null, priority: null, body: null }

test.each<
  [
    what: string,
    options: object,
    body: object,
    time: number,
    end: number,
    priority: number,
    told: string,
  ]
>([
  ['later', {}, at(9), 9, 0, 0, 'time'],
  ['earlier', end(6), at(2), 2, 6, 0, 'time'],
  ['the same time in another form', {}, { scheduled_at: storedAtHour(9) }, 9, 0, 0, 'time'],
  ['an end', {}, end(7), 5, 7, 0, 'expiry'],
  ['an expiry after its present time', {}, { ttl: 7200 }, 5, 7, 0, 'expiry'],
  ['an end after the time that it gets', {}, { ttl: 7200, ...at(10) }, 10, 12, 0, 'time, expiry'],
  ['no end', end(6), { expires_at: '' }, 5, 0, 0, 'expiry'],
  [
    'a time after its old expiry, with a new expiry',
    { ttl: 60 },
    { ...at(9), ...end(10) },
    9,
    10,
    0,
    'time, expiry',
  ],
  ['a priority', { ttl: 3600 }, { priority: -7 }, 5, 6, -7, 'priority'],
  ['the usual priority', { priority: 9 }, { priority: 0 }, 5, 0, 0, 'priority'],
  [
    'the same values by null',
    { priority: 3, ttl: 3600 },
    { ...at(5.5), ...EMPTY },
    5.5,
    6,
    3,
    'time',
  ],
])(
  'a scheduled message can be changed to %s, and an event names the change of "$6"',
  async (_, options, body, time, ends, priority, told) => {
    const before = await used()
    const id = await schedule(options)
    const answer = await change(id, body)
    const expires_at = ends ? storedAtHour(ends) : ''
    const now = {
      id,
      status: 'pending',
      scheduled_at: storedAtHour(time),
      expires_at,
      priority,
      segments: 1,
    }
    expect([answer.status, answer.body]).toEqual([200, now])
    expect(await server.message(id)).toMatchObject({ ...now, body: 'Hi', device: '' })
    expect(await queued(id)).toEqual([[storedAtHour(time), expires_at, priority]])
    expect(await events(id)).toEqual([['pending', '', 0, `Changed: ${told}`]])
    expect(await used()).toBe(before + 1)
  },
)

test('a changed text is stored and its segments are counted again', async () => {
  const id = await schedule({ device_id: PHONES[0] })
  for (const [body, segments] of [
    [LONG, 2],
    ['short 😀', 1],
    ['x'.repeat(1600), 11],
  ] as const) {
    const answer = await change(id, { body })
    expect(answer.body).toMatchObject({ segments })
    expect(answer.body).not.toHaveProperty('body')
    expect(await server.message(id)).toMatchObject({
      body,
      segments,
      scheduled_at: storedAtHour(5),
    })
  }
  expect(await events(id)).toEqual(Array(3).fill(['pending', PHONES[0], 0, 'Changed: text']))
})

test('a new time in the past sends the message now, with its new text', async () => {
  const id = await schedule({ ttl: 7200 })
  const answer = await change(id, { scheduled_at: '2020-01-01T00:00:00Z', body: 'Now' })
  expect(answer.body).toMatchObject({ id, status: 'pending', expires_at: storedAtHour(7) })
  expect(Math.abs(Date.parse(answer.body.scheduled_at) - Date.now())).toBeLessThan(HOUR_MS)
  await expect.poll(async () => (await server.message(id)).status).toBe('assigned')
  expect(await server.message(id)).toMatchObject({
    body: 'Now',
    scheduled_at: answer.body.scheduled_at,
  })
  expect((await events(id)).map(([status]) => status)).toEqual(['pending', 'assigned'])
})

test('a change to the same values has no effect and sends no event', async () => {
  const id = await schedule()
  const body = { scheduled_at: isoAtHour(8), ttl: 60, body: 'Eight', priority: 1 }
  const first = await change(id, body)
  const { updated } = await server.message(id)
  const again = await change(id, body)
  expect([again.status, again.body]).toEqual([200, first.body])
  expect(await server.message(id)).toMatchObject({ updated })
  expect(await events(id)).toHaveLength(1)
})

const INVALID = 'invalid_request'
const WHEN = 'expires_at must lie in the future, after scheduled_at'
test.each<[what: string, body: unknown, error: string, message: string]>([
  ['nothing', {}, INVALID, 'scheduled_at, expires_at, ttl, body or priority must be given'],
  [
    'an unknown field',
    { recipients: ['+491'] },
    INVALID,
    'recipients is not a field of this request',
  ],
  ['two ends', { ttl: 9, ...end(8) }, INVALID, 'ttl and expires_at exclude each other'],
  ['an end that is past', { expires_at: '2020-01-01' }, INVALID, WHEN],
  ['an end before the new time', { ...at(8), ...end(7) }, INVALID, WHEN],
  ['an end before the old time', end(4), INVALID, WHEN],
  ['a time after the old end', at(6), INVALID, WHEN],
  [
    'a long text',
    { body: 'x'.repeat(1601) },
    'body_too_long',
    'Message body must be at most 1600 characters',
  ],
])('a change with %s is refused and changes nothing: $3', async (_, body, error, message) => {
  const id = await schedule(end(6))
  const was = await server.message(id)
  const answer = await change(id, body)
  expect([answer.status, answer.body]).toEqual([400, { error, message }])
  expect(await server.message(id)).toEqual(was)
  expect(await queued(id)).toEqual([[storedAtHour(5), storedAtHour(6), 0]])
  expect(await events(id)).toEqual([])
})

test.each([
  ['waits for a device', 'assigned', 'assigned'],
  ['is with a device', 'sending', 'sending'],
  ['was sent', 'sent', ''],
  ['is over', 'failed', ''],
  ['was ended by hand', 'failed', 'pending'],
])('a message that %s can no longer be changed', async (_, status, state) => {
  const id = await schedule()
  await server.rows('update sms_messages set status = $2 where id = $1', [id, status])
  if (state) await server.rows('update sms_dispatch set state = $2 where message = $1', [id, state])
  else await server.rows('delete from sms_dispatch where message = $1', [id])
  const was = await server.message(id)
  const answer = await change(id, { ...at(9), body: 'Too late' })
  const message = 'Only a message that waits for its time can be changed'
  expect([answer.status, answer.body]).toEqual([409, { error: 'not_changeable', message }])
  expect(await server.message(id)).toEqual(was)
})

test("an unknown message and another user's message are answered with 404", async () => {
  const id = await schedule()
  const body = { body: 'Mine now' }
  const expected = { error: 'message_not_found', message: 'Message not found' }
  const ben = await server.signedIn('users', BEN.id)
  for (const answer of [
    await change('nosuchmessage00', body),
    await change(id, body, as(BEN)),
    await change(id, body, ben),
    await change("'%20or%20true", body),
  ])
    expect([answer.status, answer.body]).toEqual([404, expected])
  expect(await server.message(id)).toMatchObject({ body: 'Hi' })
})

test('a due message that waits because no device is available can still be changed', async () => {
  const id = await schedule()
  await server.rows(`update devices set enabled = false where "user" = $1`, [ANN.id])
  await server.rows(
    `update sms_dispatch set due_at = now() - interval '1 hour' where message = $1`,
    [id],
  )
  const past = await change(id, { ttl: 60 })
  expect([past.status, past.body.message]).toEqual([400, WHEN])
  expect((await change(id, { body: 'Better' })).status).toBe(200)
  expect((await change(id, at(9))).body).toMatchObject({ scheduled_at: storedAtHour(9) })
  await server.rows(`update devices set enabled = true where "user" = $1`, [ANN.id])
})

const numbers = (count: number) => Array.from({ length: count }, (_, i) => `+4977${i + 10_000}`)
const scheduleMany = async (count: number, options = {}) =>
  (await server.send({ recipients: numbers(count), scheduled_at: isoAtHour(5), ...options }))
    .body as {
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
  for (const [scheduled, expires, due, ends] of rows)
    expect([due, ends]).toEqual([scheduled, expires])
  return rows.map(([scheduled, expires]) => [scheduled, expires])
}
const ALL = { assigned: 0, sending: 0, sent: 0, delivered: 0, failed: 0 }

test.each([
  ['a time', {}, at(9), storedAtHour(9), ''],
  ['an earlier time and keeps its expiry', { ttl: 3600 }, at(2), storedAtHour(2), storedAtHour(6)],
  [
    'a time and how long it is good for',
    { ttl: 60 },
    { ...at(9), ttl: 7200 },
    storedAtHour(9),
    storedAtHour(11),
  ],
  ['a time and an end', {}, { ...at(9), ...end(10) }, storedAtHour(9), storedAtHour(10)],
  ['a time without an end', { ttl: 60 }, { ...at(9), expires_at: '' }, storedAtHour(9), ''],
])('a scheduled batch gets %s, once', async (_, options, body, ...times) => {
  const { batch_id, message_ids } = await scheduleMany(3, options)
  const now = { batch_id, recipients_count: 3, counts: { pending: 3, ...ALL } }
  const answer = await reschedule(batch_id, body)
  expect([answer.status, answer.body]).toEqual([200, { ...now, rescheduled: 3 }])
  expect((await reschedule(batch_id, body)).body).toEqual({ ...now, rescheduled: 0 })
  expect(await timesOf(message_ids)).toEqual(Array(3).fill(times))
  const events = await server.rows('select count(*) from sms_events where message = any($1)', [
    message_ids,
  ])
  expect(events).toEqual([[3]])
})

test('rescheduling a batch leaves its assigned and finished messages and other batches', async () => {
  const { batch_id, message_ids } = await scheduleMany(4)
  const other = await scheduleMany(2)
  const [going, gone, ...left] = message_ids
  // at once: the sweep of the queue repairs what it finds between two statements
  await server.rows(
    `with queued as (update sms_dispatch set state = 'assigned' where message = $1)
     update sms_messages set status = 'assigned' where id = $1`,
    [going],
  )
  await server.ask('POST', `messages/${gone}/cancel`)
  const { body } = await reschedule(batch_id, at(7))
  expect(body).toMatchObject({ rescheduled: 2, counts: { pending: 2, assigned: 1, failed: 1 } })
  expect(await timesOf(left)).toEqual(Array(2).fill([storedAtHour(7), '']))
  expect(await timesOf([going!, ...other.message_ids])).toEqual(
    Array(3).fill([storedAtHour(5), '']),
  )
  for (const id of left) await server.ask('POST', `messages/${id}/cancel`)
  expect((await reschedule(batch_id, at(8))).body).toMatchObject({ rescheduled: 0 })
})

test('rescheduling a batch to a time in the past sends it now', async () => {
  const { batch_id, message_ids } = await scheduleMany(3)
  expect((await reschedule(batch_id, { scheduled_at: '2020-01-01' })).body).toMatchObject({
    rescheduled: 3,
  })
  await expect
    .poll(async () => (await server.ask('GET', `batches/${batch_id}`)).body.counts.assigned)
    .toBe(3)
  expect((await reschedule(batch_id, { scheduled_at: '2020-01-01' })).body).toMatchObject({
    rescheduled: 0,
  })
  await server.rows('delete from sms_dispatch where message = any($1)', [message_ids])
})

test.each([
  ['nothing', {}, 'scheduled_at is required'],
  ['an end before the time', { ...at(6), ...end(6) }, WHEN],
  ['a time after the expiry of one of its messages', at(7), WHEN],
])('rescheduling a batch with %s is refused and changes nothing: $2', async (_, body, message) => {
  const { batch_id, message_ids } = await scheduleMany(3, { ttl: 36_000 })
  const [last] = message_ids.toSorted().slice(-1)
  await server.ask('PATCH', `messages/${last}`, { ttl: 3600 })
  const answer = await reschedule(batch_id, body)
  expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_request', message }])
  expect((await timesOf(message_ids)).map(([time]) => time)).toEqual(Array(3).fill(storedAtHour(5)))
})

test("rescheduling an unknown or another user's batch is answered with 404", async () => {
  const { batch_id, message_ids } = await scheduleMany(2)
  const body = at(9)
  const expected = { error: 'batch_not_found', message: 'Batch not found' }
  for (const answer of [
    await reschedule('nosuchbatch0000', body),
    await reschedule(batch_id, body, as(BEN)),
  ])
    expect([answer.status, answer.body]).toEqual([404, expected])
  expect(await timesOf(message_ids)).toEqual(Array(2).fill([storedAtHour(5), '']))
  expect((await reschedule(batch_id, body, {})).status).toBe(401)
})

test('ten concurrent reschedules of 2,700 messages change each message once', async () => {
  const sends = await Promise.all([1, 2, 3].map(() => scheduleMany(900)))
  const ids = sends.map(({ batch_id }) => batch_id)
  const all = sends.flatMap(({ message_ids }) => message_ids)
  await server.rows('update sms_messages set batch_id = $1 where batch_id = any($2)', [ids[0], ids])
  const body = { scheduled_at: isoAtHour(9), ttl: 3600 }
  const answers = await Promise.all(Array.from({ length: 10 }, () => reschedule(ids[0]!, body)))
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect(answers.reduce((sum, answer) => sum + answer.body.rescheduled, 0)).toBe(2700)
  expect(await timesOf(all)).toEqual(Array(2700).fill([storedAtHour(9), storedAtHour(10)]))
})
