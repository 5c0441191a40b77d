import { HOUR_MS, isoAtHour, storedAtHour } from '../../support/clock.ts'
import { ANN, as, BEN, PHONES, startServerWithUsers } from '../../support/server/server-with-users.ts'

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
  server.rows('select status, device, attempt, detail from sms_events where message = $1 order by _rowid', [
    id,
  ])
const LONG = 'long '.repeat(40)

test.each<
  [what: string, options: object, body: object, time: number, end: number, priority: number, told: string]
>([
  ['later', {}, { scheduled_at: isoAtHour(9) }, 9, 0, 0, 'time'],
  ['earlier', { expires_at: isoAtHour(6) }, { scheduled_at: isoAtHour(2) }, 2, 6, 0, 'time'],
  ['in another form', {}, { scheduled_at: storedAtHour(9) }, 9, 0, 0, 'time'],
  ['an end', {}, { expires_at: isoAtHour(7) }, 5, 7, 0, 'expiry'],
  ['an end after the time that it has', {}, { ttl: 7200 }, 5, 7, 0, 'expiry'],
  [
    'an end after the time that it gets',
    {},
    { ttl: 7200, scheduled_at: isoAtHour(10) },
    10,
    12,
    0,
    'time, expiry',
  ],
  ['no end', { expires_at: isoAtHour(6) }, { expires_at: '' }, 5, 0, 0, 'expiry'],
  [
    'beyond its end, with a new one',
    { ttl: 60 },
    { scheduled_at: isoAtHour(9), expires_at: isoAtHour(10) },
    9,
    10,
    0,
    'time, expiry',
  ],
  ['a priority', { ttl: 3600 }, { priority: -7 }, 5, 6, -7, 'priority'],
  ['the usual priority', { priority: 9 }, { priority: 0 }, 5, 0, 0, 'priority'],
  [
    'nothing where null is',
    { priority: 3, ttl: 3600 },
    { scheduled_at: isoAtHour(5.5), expires_at: null, ttl: null, priority: null, body: null },
    5.5,
    6,
    3,
    'time',
  ],
])('changes %s', async (_, options, body, time, end, priority, told) => {
  const before = await used()
  const id = await schedule(options)
  const answer = await change(id, body)
  const expires_at = end ? storedAtHour(end) : ''
  const now = { id, status: 'pending', scheduled_at: storedAtHour(time), expires_at, priority, segments: 1 }
  expect([answer.status, answer.body]).toEqual([200, now])
  expect(await server.message(id)).toMatchObject({ ...now, body: 'Hi', device: '' })
  expect(await queued(id)).toEqual([[storedAtHour(time), expires_at, priority]])
  expect(await events(id)).toEqual([['pending', '', 0, `Changed: ${told}`]])
  expect(await used()).toBe(before + 1)
})

test('changes the text, of which the segments are counted anew', async () => {
  const id = await schedule({ device_id: PHONES[0] })
  for (const [body, segments] of [
    [LONG, 2],
    ['short 😀', 1],
    ['x'.repeat(1600), 11],
  ] as const) {
    const answer = await change(id, { body })
    expect(answer.body).toMatchObject({ segments })
    expect(answer.body).not.toHaveProperty('body')
    expect(await server.message(id)).toMatchObject({ body, segments, scheduled_at: storedAtHour(5) })
  }
  expect(await events(id)).toEqual(Array(3).fill(['pending', PHONES[0], 0, 'Changed: text']))
})

test('a time that is past means now: it goes out with the text that it has by then', async () => {
  const id = await schedule({ ttl: 7200 })
  const answer = await change(id, { scheduled_at: '2020-01-01T00:00:00Z', body: 'Now' })
  expect(answer.body).toMatchObject({ id, status: 'pending', expires_at: storedAtHour(7) })
  expect(Math.abs(Date.parse(answer.body.scheduled_at) - Date.now())).toBeLessThan(HOUR_MS)
  await expect.poll(async () => (await server.message(id)).status).toBe('assigned')
  expect(await server.message(id)).toMatchObject({ body: 'Now', scheduled_at: answer.body.scheduled_at })
  expect((await events(id)).map(([status]) => status)).toEqual(['pending', 'assigned'])
})

test('the same again changes nothing, and is not told', async () => {
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
  ['another field', { recipients: ['+491'] }, INVALID, 'recipients is not a field of this request'],
  ['two ends', { ttl: 9, expires_at: isoAtHour(8) }, INVALID, 'ttl and expires_at exclude each other'],
  ['an end that is past', { expires_at: '2020-01-01' }, INVALID, WHEN],
  ['an end before the new time', { scheduled_at: isoAtHour(8), expires_at: isoAtHour(7) }, INVALID, WHEN],
  ['an end before the old time', { expires_at: isoAtHour(4) }, INVALID, WHEN],
  ['a time after the old end', { scheduled_at: isoAtHour(6) }, INVALID, WHEN],
  [
    'a text too long',
    { body: 'x'.repeat(1601) },
    'body_too_long',
    'Message body must be at most 1600 characters',
  ],
])('%s is refused, and changes nothing', async (_, body, error, message) => {
  const id = await schedule({ expires_at: isoAtHour(6) })
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
])('what %s can no longer be changed', async (_, status, state) => {
  const id = await schedule()
  await server.rows('update sms_messages set status = $2 where id = $1', [id, status])
  if (state) await server.rows('update sms_dispatch set state = $2 where message = $1', [id, state])
  else await server.rows('delete from sms_dispatch where message = $1', [id])
  const was = await server.message(id)
  const answer = await change(id, { scheduled_at: isoAtHour(9), body: 'Too late' })
  const expected = {
    error: 'not_changeable',
    message: 'Only a message that waits for its time can be changed',
  }
  expect([answer.status, answer.body]).toEqual([409, expected])
  expect(await server.message(id)).toEqual(was)
})

test('an unknown message, and one of another user, are not found', async () => {
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

test('who waits though it is due, as no device is there, can still be changed', async () => {
  const id = await schedule()
  await server.rows(`update devices set enabled = false where "user" = $1`, [ANN.id])
  await server.rows(`update sms_dispatch set due_at = now() - interval '1 hour' where message = $1`, [id])
  const past = await change(id, { ttl: 60 })
  expect([past.status, past.body.message]).toEqual([400, WHEN])
  expect((await change(id, { body: 'Better' })).status).toBe(200)
  expect((await change(id, { scheduled_at: isoAtHour(9) })).body).toMatchObject({
    scheduled_at: storedAtHour(9),
  })
  await server.rows(`update devices set enabled = true where "user" = $1`, [ANN.id])
})
