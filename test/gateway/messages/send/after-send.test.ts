import {
  ANN,
  BEN,
  GROUPS,
  startServerWithUsers,
  TEMPLATES,
} from '../../../support/server/server-with-users.ts'

const server = await startServerWithUsers({ SMS_MONTHLY_QUOTA: '1000', SMS_MAX_RECIPIENTS: '5' })
const { ask, preview, send, rows, message } = server

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
const used = async () => (await ask('GET', 'usage')).body.used
const cancel = (id: string, headers?: Record<string, string>) =>
  ask('POST', `messages/${id}/cancel`, undefined, headers)
const retry = (id: string, headers?: Record<string, string>) =>
  ask('POST', `messages/${id}/retry`, undefined, headers)
const remove = async (id: string) => {
  const headers = await server.signedIn('users', ANN.id)
  return ask('DELETE', `/api/collections/sms_messages/records/${id}`, undefined, headers)
}

test.each([
  ['assigned', {}],
  ['pending', { scheduled_at: inAnHour() }],
])(
  'canceling a message that is %s fails it, stores an event and refunds the quota',
  async (_, options) => {
    const before = await used()
    const [id] = (await send(options)).body.message_ids
    const answer = await cancel(id)
    expect([answer.status, answer.body]).toEqual([
      200,
      { id, status: 'failed', error_message: 'Canceled' },
    ])
    expect(await message(id)).toMatchObject({ status: 'failed', error_message: 'Canceled' })
    expect(
      await rows('select status, detail, attempt from sms_events where message = $1', [id]),
    ).toEqual([['failed', 'Canceled', 0]])
    expect(await rows('select 1 from sms_dispatch where message = $1', [id])).toEqual([])
    expect(await used()).toBe(before)
    expect((await cancel(id)).status).toBe(200)
    expect(await used()).toBe(before)
    expect(await rows('select count(*) from sms_events where message = $1', [id])).toEqual([[1]])
  },
)

test('canceling refunds the month that was charged', async () => {
  const [id] = (await send()).body.message_ids
  const before = await used()
  await rows(
    `insert into sms_usage (id, "user", period, used) values ('lastmonth000000', $1, '2020-02', 7)`,
    [ANN.id],
  )
  await rows(`update sms_dispatch set period = '2020-02' where message = $1`, [id])
  await cancel(id)
  expect(await used()).toBe(before)
  expect(await rows(`select used from sms_usage where id = 'lastmonth000000'`)).toEqual([[6]])
})

test.each(['sending', 'sent'])('a message that is %s can no longer be canceled', async (status) => {
  const [id] = (await send()).body.message_ids
  await rows('update sms_messages set status = $2 where id = $1', [id, status])
  if (status === 'sending')
    await rows(`update sms_dispatch set state = 'sending' where message = $1`, [id])
  else await rows('delete from sms_dispatch where message = $1', [id])
  const answer = await cancel(id)
  const expected = { error: 'not_cancelable', message: 'Message can no longer be canceled' }
  expect([answer.status, answer.body]).toEqual([409, expected])
  expect(await message(id)).toMatchObject({ status })
})

test("deleting an unsent message refunds it and takes it from the device's queue", async () => {
  const before = await used()
  const [id] = (await send()).body.message_ids
  expect((await remove(id)).status).toBe(204)
  expect(await rows('select 1 from sms_dispatch where message = $1', [id])).toEqual([])
  expect(await used()).toBe(before)
})

test('deleting a message that a device has claimed does not refund it', async () => {
  const before = await used()
  const [id] = (await send()).body.message_ids
  await rows(`update sms_dispatch set state = 'sending' where message = $1`, [id])
  expect((await remove(id)).status).toBe(204)
  expect(await used()).toBe(before + 1)
})

test('a batch is counted by status', async () => {
  const { body } = await send({ recipients: ['+4911111', '+4922222', '+4900004', '+4933333'] })
  await cancel(body.message_ids[0])
  await rows(`update sms_messages set status = 'delivered' where id = $1`, [body.message_ids[1]])
  const answer = await ask('GET', `batches/${body.batch_id}`)
  expect(answer.body).toEqual({
    batch_id: body.batch_id,
    recipients_count: 4,
    counts: { pending: 0, assigned: 1, sending: 0, sent: 0, delivered: 1, failed: 2 },
  })
})

const AT = expect.stringMatching(/^\d{4}-\d\d-\d\d [\d:.]+Z$/)

test('a template preview is rendered for its recipients, and no message is stored', async () => {
  const count = await rows('select count(*) from sms_messages')
  const { body } = await preview({
    recipients: ['+4912345'],
    group_ids: [GROUPS.left],
    template_id: TEMPLATES.code,
    variables: { code: 'ж'.repeat(40), tail: '' },
  })
  const text = (name: string, phone: string) =>
    `${name} (${phone}): ${'ж'.repeat(40)} ${'ж'.repeat(40)}`
  const first = { body: text('', '+4912345'), encoding: 'UCS-2', units: 94, segments: 2 }
  expect(body).toEqual({
    ...first,
    recipients_count: 2,
    total_segments: 4,
    opted_out: 0,
    without_consent: 0,
    last_leaves_at: AT,
    estimate: null,
    missing: ['name', 'tail'],
    items: [
      { ...first, to: '+4912345', opted_out: false, without_consent: false },
      {
        ...first,
        to: '+4900003',
        body: text('Abe', '+4900003'),
        units: 97,
        opted_out: false,
        without_consent: false,
      },
    ],
  })
  expect(await rows('select count(*) from sms_messages')).toEqual(count)
})

const LONG = 'x'.repeat(80)

test('smart encoding replaces characters in texts and rendered templates before sending', async () => {
  const more = { recipients: ['+4912345'], smart_encoding: true }
  const text = { ...more, body: `${LONG} – “{{word}}”`, variables: { word: 'é…' } }
  const written = `${LONG} - "é..."`
  expect((await ask('POST', 'preview', text)).body).toMatchObject({ body: written, segments: 1 })
  const bodies = [text, { ...more, body: `${LONG} – “é…”` }]
  for (const body of bodies) {
    const [id] = (await send(body)).body.message_ids
    expect(await rows('select body, segments from sms_messages where id = $1', [id])).toEqual([
      [written, 1],
    ])
  }
})

test('a repeated client_ref with smart encoding compares the encoded text', async () => {
  const body = {
    recipients: ['+4912345'],
    body: `${LONG} – y`,
    client_ref: 'smart',
    smart_encoding: true,
  }
  const first = await send(body)
  expect((await send(body)).body).toEqual(first.body)
  expect((await send({ ...body, smart_encoding: false })).body.error).toBe('client_ref_reused')
})

test('a preview reports the same opted-out recipients that a send would fail', async () => {
  const body = { recipients: ['+4900004', '+4912345'], group_ids: [GROUPS.left], body: 'Hello' }
  const previewed = (await preview(body)).body
  const sent = (await send(body)).body
  const states = await rows('select "to", status from sms_messages where id = any($1)', [
    sent.message_ids,
  ])
  const failed = states.filter(([, status]) => status === 'failed').map(([to]) => to)
  expect(previewed).toMatchObject({
    recipients_count: sent.recipients_count,
    opted_out: 1,
    total_segments: 2,
  })
  const out = (previewed.items as { to: string; opted_out: boolean }[]).filter(
    ({ opted_out }) => opted_out,
  )
  expect(out.map(({ to }) => to)).toEqual(failed)
})

test('a failed message is sent again as a new message, once', async () => {
  const options = {
    ttl: 3600,
    priority: 7,
    sim: 2,
    guarantee: 'at_least_once',
    body: 'Again, please',
  }
  const [id] = (await send(options)).body.message_ids
  await cancel(id)
  const before = await used()
  const answers = await Promise.all(Array.from({ length: 5 }, () => retry(id)))
  const [first] = answers[0]!.body.message_ids
  for (const { status, body } of answers)
    expect([status, body]).toEqual([
      200,
      { batch_id: '', message_ids: [first], recipients_count: 1, status: 'accepted' },
    ])
  expect(first).not.toBe(id)
  expect(await used()).toBe(before + 1)
  const kept = await message(first)
  const { ttl: _, ...same } = options
  expect(kept).toMatchObject({ ...same, status: 'assigned', client_ref: `retry:${id}` })
  expect(Math.abs(Date.parse(String(kept.expires_at)) - Date.now() - 3_600_000)).toBeLessThan(
    60_000,
  )
  expect(await message(id)).toMatchObject({ status: 'failed', error_message: 'Canceled' })
})

test("only the sender's own failed messages can be sent again", async () => {
  const [id] = (await send()).body.message_ids
  const expected = { error: 'not_retriable', message: 'Only a failed message can be sent again' }
  const answer = await retry(id)
  expect([answer.status, answer.body]).toEqual([409, expected])
  await cancel(id)
  expect((await retry(id, await server.signedIn('users', BEN.id))).status).toBe(404)
  expect((await retry('nothing00000000')).status).toBe(404)
})

test('retrying a failed message whose text was deleted is refused with the reason', async () => {
  const [id] = (await send()).body.message_ids
  await cancel(id)
  await server.store.db.query(`update sms_messages set body = '' where id = $1`, [id])
  const expected = { error: 'not_retriable', message: 'The text of this message is no longer kept' }
  expect(await retry(id)).toMatchObject({ status: 409, body: expected })
})

const noted = (since: unknown) =>
  rows('select collection, action, record from _changes where position > $1 order by position', [
    since,
  ])
const position = async () => (await rows('select coalesce(max(position), 0) from _changes'))[0]![0]

test('with subscribers a send writes changes of messages and usage in its transaction', async () => {
  await rows(`insert into _listeners (node) values ('test')`)
  const start = await position()
  const { body } = await send({ recipients: ['+4911111', '+4922222'] })
  const [usage] = await rows(`select id from sms_usage where period > '2020-02'`)
  const created = body.message_ids.map((id: string) => ['sms_messages', 'create', id])
  expect(await noted(start)).toEqual([...created, ['sms_usage', 'update', usage![0]]])

  const middle = await position()
  const [id] = (await send()).body.message_ids
  await ask('POST', `messages/${id}/cancel`)
  const [event] = await rows('select id from sms_events where message = $1', [id])
  const told = await noted(middle)
  expect(told).toHaveLength(5)
  expect(told).toEqual(
    expect.arrayContaining([
      ['sms_messages', 'create', id],
      ['sms_usage', 'update', usage![0]],
      ['sms_messages', 'update', id],
      ['sms_events', 'create', event![0]],
    ]),
  )
})

test('without subscribers a send writes no changes', async () => {
  await rows('delete from _listeners')
  const start = await position()
  await send()
  expect(await noted(start)).toEqual([])
})
