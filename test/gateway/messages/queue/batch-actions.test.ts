import {
  ANN,
  as,
  BEN,
  PHONES,
  startServerWithUsers,
} from '../../../support/server/server-with-users.ts'

const server = await startServerWithUsers()
const { rows: query, message } = server

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
const numbers = (count: number) => Array.from({ length: count }, (_, i) => `+4977${i + 10_000}`)
const used = async () => (await server.ask('GET', 'usage')).body.used
const batchOf = async (count: number, options = {}) =>
  (await server.send({ recipients: numbers(count), ...options })).body as {
    batch_id: string
    message_ids: string[]
  }
const cancel = (id: string, headers?: Record<string, string>) =>
  server.ask('POST', `batches/${id}/cancel`, undefined, headers)
const retry = (id: string, body?: unknown, headers?: Record<string, string>) =>
  server.ask('POST', `batches/${id}/retry`, body, headers)
/** Ends messages as a device or the gateway would. */
const end = async (ids: readonly string[], error_message: string) => {
  await query('delete from sms_dispatch where message = any($1)', [ids])
  await query(`update sms_messages set status = 'failed', error_message = $2 where id = any($1)`, [
    ids,
    error_message,
  ])
}
const NONE = {
  unknown: 0,
  canceled: 0,
  opted_out: 0,
  no_consent: 0,
  retried: 0,
  no_text: 0,
  refused: 0,
}

test.each([
  ['waits for a device', {}],
  ['waits for its time', { scheduled_at: inAnHour() }],
])(
  'canceling a batch that %s fails all its messages and refunds the quota once',
  async (_, options) => {
    const before = await used()
    const { batch_id, message_ids } = await batchOf(3, options)
    const counts = { pending: 0, assigned: 0, sending: 0, sent: 0, delivered: 0, failed: 3 }
    const answer = await cancel(batch_id)
    expect([answer.status, answer.body]).toEqual([
      200,
      { batch_id, recipients_count: 3, counts, canceled: 3 },
    ])
    for (const id of message_ids)
      expect(await message(id)).toMatchObject({ status: 'failed', error_message: 'Canceled' })
    expect(
      await query('select 1 from sms_dispatch where message = any($1)', [message_ids]),
    ).toEqual([])
    expect(await used()).toBe(before)
    expect((await cancel(batch_id)).body).toMatchObject({ canceled: 0, counts })
    expect(await used()).toBe(before)
    const events = await query('select status, detail from sms_events where message = any($1)', [
      message_ids,
    ])
    expect(events).toEqual(Array(3).fill(['failed', 'Canceled']))
  },
)

test('canceling a batch leaves messages that a device has or that are finished', async () => {
  const before = await used()
  const { batch_id, message_ids } = await batchOf(4)
  await query(`update sms_dispatch set state = 'sending', attempt = 1 where message = $1`, [
    message_ids[0],
  ])
  await query(`update sms_messages set status = 'sending' where id = $1`, [message_ids[0]])
  await query('delete from sms_dispatch where message = $1', [message_ids[1]])
  await query(`update sms_messages set status = 'delivered' where id = $1`, [message_ids[1]])
  expect((await cancel(batch_id)).body).toMatchObject({
    canceled: 2,
    counts: { sending: 1, delivered: 1, failed: 2 },
  })
  expect(await used()).toBe(before + 2)
})

test('ten concurrent cancels of 2,700 messages cancel each message once', async () => {
  const before = await used()
  const sends = await Promise.all([1, 2, 3].map(() => batchOf(900)))
  const ids = sends.map(({ batch_id }) => batch_id)
  await query('update sms_messages set batch_id = $1 where batch_id = any($2)', [ids[0], ids])
  const answers = await Promise.all(Array.from({ length: 10 }, () => cancel(ids[0]!)))
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect(answers.reduce((sum, { body }) => sum + body.canceled, 0)).toBe(2700)
  expect(await used()).toBe(before)
})

test('devices that claim during a cancel keep exactly the messages that they claimed', async () => {
  const { batch_id, message_ids } = await batchOf(300)
  const headers = await server.signedIn('devices', PHONES[0])
  const claim = async () =>
    (await server.ask('POST', '/api/devices/claim', { limit: 20 }, headers)).body.items.map(
      ({ id }: { id: string }) => id,
    ) as string[]
  const [claimed] = await Promise.all([
    Promise.all([1, 2, 3].map(claim)),
    cancel(batch_id),
    cancel(batch_id),
  ])
  const taken = new Set(claimed.flat())
  const rows = await query('select id, status from sms_messages where id = any($1)', [message_ids])
  const ended = new Map(rows as [string, string][])
  for (const id of message_ids) expect(ended.get(id)).toBe(taken.has(id) ? 'sending' : 'failed')
  await end(message_ids, 'over')
})

test("an unknown, an empty and another user's batch id are answered with 404", async () => {
  const { batch_id, message_ids } = await batchOf(2)
  const expected = { error: 'batch_not_found', message: 'Batch not found' }
  for (const ask of [
    cancel,
    (id: string, headers?: Record<string, string>) => retry(id, undefined, headers),
  ])
    for (const answer of [
      await ask('nosuchbatch0000'),
      await ask('%20'),
      await ask(batch_id, as(BEN)),
    ])
      expect([answer.status, answer.body]).toEqual([404, expected])
  expect(await message(message_ids[0]!)).toMatchObject({ status: 'assigned' })
  expect((await cancel(batch_id, {})).status).toBe(401)
  expect((await retry(batch_id, undefined, {})).status).toBe(401)
})

test('failed messages are sent again as a new batch, once however often a retry is requested', async () => {
  const options = {
    ttl: 3600,
    priority: 7,
    sim: 2,
    guarantee: 'at_least_once',
    body: 'Again, please',
  }
  const { batch_id, message_ids } = await batchOf(5, options)
  await end(message_ids.slice(1, 4), 'No signal')
  const before = await used()
  const answers = await Promise.all(Array.from({ length: 8 }, () => retry(batch_id)))
  const first = answers[0]!.body
  expect(first).toMatchObject({ recipients_count: 3, left_out: NONE })
  for (const { status, body } of answers) expect([status, body]).toEqual([200, first])
  expect(await used()).toBe(before + 3)
  const { ttl: _, ...same } = options
  for (const [i, id] of first.message_ids.entries()) {
    const kept = await message(id)
    const was = {
      to: numbers(5)[i + 1],
      client_ref: `retry:${message_ids[i + 1]}`,
      batch_id: first.batch_id,
    }
    expect(kept).toMatchObject({ ...same, ...was, status: 'assigned' })
    expect(Math.abs(Date.parse(String(kept.expires_at)) - Date.now() - 3_600_000)).toBeLessThan(
      600_000,
    )
  }
  expect((await server.ask('GET', `batches/${first.batch_id}`)).body.recipients_count).toBe(3)
  // one more fails: it joins them
  await end([message_ids[0]!], 'No signal')
  const next = (await retry(batch_id)).body
  expect(next.message_ids.slice(1)).toEqual(first.message_ids)
  expect(next.batch_id).toBe(first.batch_id)
  // the new ones are a batch like any other
  await end(next.message_ids, 'No signal')
  const third = (await retry(next.batch_id)).body
  expect(third.message_ids).toHaveLength(4)
  expect(third.batch_id).not.toBe(next.batch_id)
})

test.each([
  ['unknown', 'Outcome unknown: the device went silent'],
  ['canceled', 'Canceled'],
  ['canceled', 'Canceled on the phone'],
])(
  'messages with the outcome %s are sent again only when the request includes them',
  async (word, reason) => {
    const { batch_id, message_ids } = await batchOf(3)
    await end(message_ids.slice(0, 2), reason)
    const none = {
      batch_id: '',
      message_ids: [],
      recipients_count: 0,
      left_out: { ...NONE, [word]: 2 },
    }
    expect((await retry(batch_id)).body).toEqual(none)
    expect((await retry(batch_id, {})).body).toEqual(none)
    const answer = await retry(batch_id, { include: [word] })
    expect(answer.body).toMatchObject({ recipients_count: 2, left_out: NONE })
  },
)

test('a retry leaves out opted-out recipients, messages without a text and messages already retried', async () => {
  const recipients = ['+4900004', '+4911111', '+4922222', '+4933333']
  const { batch_id, message_ids } = (await server.send({ recipients })).body
  await end(message_ids.slice(1), 'No signal')
  await query(`update sms_messages set body = '' where id = $1`, [message_ids[1]])
  await server.ask('POST', `messages/${message_ids[2]}/retry`)
  const { body } = await retry(batch_id)
  expect(body).toMatchObject({
    recipients_count: 1,
    left_out: { ...NONE, opted_out: 1, no_consent: 0, no_text: 1, retried: 1 },
  })
})

test('a retry leaves out messages above the quota and sends them once the quota allows', async () => {
  const { batch_id, message_ids } = await batchOf(3)
  await end(message_ids, 'No signal')
  const allow = (more: number) =>
    query(
      `update users set monthly_quota = (select max(used) from sms_usage where "user" = $1) + $2 where id = $1`,
      [ANN.id, more],
    )
  await allow(0)
  expect(await retry(batch_id)).toMatchObject({ status: 402, body: { error: 'quota_exceeded' } })
  await allow(2)
  const some = (await retry(batch_id)).body
  expect(some).toMatchObject({ recipients_count: 2, left_out: { ...NONE, refused: 1 } })
  await allow(9)
  const all = (await retry(batch_id)).body
  expect(all).toMatchObject({ batch_id: some.batch_id, recipients_count: 3, left_out: NONE })
  expect(all.message_ids).toEqual(expect.arrayContaining(some.message_ids))
  await query('update users set monthly_quota = 0 where id = $1', [ANN.id])
})
