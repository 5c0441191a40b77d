import {
  ANN,
  as,
  BEN,
  BENS_PHONE,
  GROUPS,
  keyOf,
  PHONES,
  startServerWithUsers,
} from '../../../support/server/server-with-users.ts'

const server = await startServerWithUsers({ SMS_MAX_RECIPIENTS: '10000' })

const ID = /^[a-z0-9]{15}$/
const DATE = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$/
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
const toWhom = (ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await server.message(id)).to as string))
const used = async (user: string) =>
  (await server.rows('select used from sms_usage where "user" = $1', [user]))[0]?.[0]

test('a send to one number returns its id and stores the whole record', async () => {
  const answer = await server.send({ recipients: ['+4933333'], body: 'Grüße €' })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/json')
  const [id] = answer.body.message_ids
  expect(answer.body).toEqual({
    batch_id: '',
    message_ids: [id],
    recipients_count: 1,
    status: 'accepted',
  })
  expect(id).toMatch(ID)
  const { _rowid, created, ...message } = await server.message(id)
  expect(created).toMatch(DATE)
  expect(message).toEqual({
    id,
    attachments: [],
    subject: '',
    status: 'assigned',
    to: '+4933333',
    from: '',
    body: 'Grüße €',
    message_type: 'outgoing',
    device: PHONES[0],
    batch_id: '',
    segments: 1,
    priority: 0,
    sim: 0,
    scheduled_at: '',
    expires_at: '',
    guarantee: 'at_most_once',
    client_ref: '',
    sent_at: '',
    delivered_at: '',
    error_message: '',
    line: expect.stringMatching(/^[a-z0-9]{15}$/),
    waiting_for: '',
    sent_by: keyOf(ANN),
    user: ANN.id,
    updated: created,
  })
  // events are for what comes later
  expect(await server.rows('select 1 from sms_events where message = $1', [id])).toEqual([])
})

test('a send to several numbers makes one batch with an id for each distinct number, in order', async () => {
  const recipients = ['+4955555', '+4944444', '+4955555', '+4966666', '+4944444']
  const { body } = await server.send({ recipients })
  expect(body).toMatchObject({ batch_id: expect.stringMatching(ID), recipients_count: 3 })
  expect(await toWhom(body.message_ids)).toEqual(['+4955555', '+4944444', '+4966666'])
  const batches = await server.rows(
    'select distinct batch_id from sms_messages where id = any($1)',
    [body.message_ids],
  )
  expect(batches).toEqual([[body.batch_id]])
})

const FRIENDS = ['+4900002', '+4900003', '+4900001']
const NAMED = ['+4977777', '+4900001']

test.each([
  ['members by name and id, without opted-out ones', [], [GROUPS.friends], FRIENDS],
  ['a member of two groups once', [], [GROUPS.left, GROUPS.friends], FRIENDS],
  ['the request before its groups', NAMED, [GROUPS.friends], [...NAMED, '+4900002', '+4900003']],
  ['a group named twice', [], [GROUPS.left, GROUPS.left], ['+4900003']],
  ['a named number beside an empty group', ['+4977777'], [GROUPS.empty], ['+4977777']],
] as const)('a send to groups reaches %s: $3', async (_, recipients, group_ids, expected) => {
  const { body } = await server.send({ recipients, group_ids })
  expect(await toWhom(body.message_ids)).toEqual(expected)
})

test('a person whose number two contacts of a group have in two forms gets one text', async () => {
  const group = 'twoformsofone00'
  await server.rows(
    `insert into contacts (id, "user", name, phone, groups, created, updated)
      select 'form' || n, $1, 'Form ' || n, ($2::text[])[n], array[$3], pb_text(now()), pb_text(now())
      from generate_series(1, 2) n`,
    [ANN.id, ['+5215512345678', '+525512345678'], group],
  )
  await server.rows(
    `insert into contact_groups (id, "user", name, created, updated) values ($1, $2, 'Forms', pb_text(now()), pb_text(now()))`,
    [group, ANN.id],
  )
  const { body } = await server.send({ recipients: [], group_ids: [group] })
  expect(await toWhom(body.message_ids)).toEqual(['+525512345678'])
})

test('a named recipient who has opted out gets a failed message that costs no quota', async () => {
  const before = await used(ANN.id)
  const { body } = await server.send({ recipients: ['+4900004', '+4900001'] })
  expect(body.recipients_count).toBe(2)
  const [out, other] = body.message_ids
  const ended = { status: 'failed', error_message: 'Recipient has opted out', device: '' }
  expect(await server.message(out)).toMatchObject(ended)
  expect(await server.message(other)).toMatchObject({ status: 'assigned', error_message: '' })
  expect(
    await server.rows('select message from sms_dispatch where message = any($1)', [
      body.message_ids,
    ]),
  ).toEqual([[other]])
  expect(await used(ANN.id)).toBe(Number(before) + 1)
})

test("an opt-out applies to one user's contacts only", async () => {
  const { body } = await server.send({ recipients: ['+4900006'] })
  expect(await server.message(body.message_ids[0])).toMatchObject({ status: 'assigned' })
  const bens = await server.send({ recipients: ['+4900006'] }, as(BEN))
  expect(await server.message(bens.body.message_ids[0])).toMatchObject({
    status: 'failed',
    user: BEN.id,
  })
})

test.each([
  ['null', null],
  ['empty', ''],
])('a device_id that is %s counts as absent', async (_, device_id) => {
  expect((await server.send({ device_id })).status).toBe(200)
})

test('options are stored with the message', async () => {
  const expires_at = inSeconds(3600)
  const options = {
    priority: -5,
    sim: 2,
    guarantee: 'at_least_once',
    expires_at,
    client_ref: 'order 7',
  }
  const { body } = await server.send(options)
  const [id] = body.message_ids
  expect(await server.message(id)).toMatchObject({
    ...options,
    expires_at: expires_at.replace('T', ' '),
  })
  const [row] = await server.rows(
    'select priority, at_least_once, expires_at = $2::timestamptz, wakes, attempt, state from sms_dispatch where message = $1',
    [id, expires_at],
  )
  expect(row).toEqual([-5, true, true, 1, 0, 'assigned'])
})

test('a ttl counts from the scheduled time', async () => {
  const scheduled_at = inSeconds(7200)
  const { body } = await server.send({ ttl: 60, scheduled_at })
  const { expires_at } = await server.message(body.message_ids[0])
  expect(Date.parse(String(expires_at)) - Date.parse(scheduled_at)).toBe(60_000)
})

test('a scheduled message is pending without a device until due, and counts against the current quota', async () => {
  const before = Number(await used(ANN.id))
  const { body } = await server.send({ scheduled_at: inSeconds(3600) })
  const [id] = body.message_ids
  expect(await server.message(id)).toMatchObject({ status: 'pending', device: '' })
  const [row] = await server.rows(
    'select state, device, due_at > now(), wake_at from sms_dispatch where message = $1',
    [id],
  )
  expect(row).toEqual(['pending', '', true, null])
  expect(await used(ANN.id)).toBe(before + 1)
})

test('a scheduled_at in the past sends the message now', async () => {
  const { body } = await server.send({ scheduled_at: '2020-01-01T00:00:00Z' })
  expect(await server.message(body.message_ids[0])).toMatchObject({
    status: 'assigned',
    scheduled_at: '',
  })
})

test('a scheduled message can be accepted while no device is available', async () => {
  await server.rows('update devices set enabled = false where id = $1', [BENS_PHONE])
  expect((await server.send({}, as(BEN))).status).toBe(503)
  const { status, body } = await server.send(
    { scheduled_at: inSeconds(60), device_id: BENS_PHONE },
    as(BEN),
  )
  expect(status).toBe(200)
  expect(await server.message(body.message_ids[0])).toMatchObject({
    status: 'pending',
    device: BENS_PHONE,
  })
  await server.rows('update devices set enabled = true where id = $1', [BENS_PHONE])
})

test.each([
  ['1,600 characters', 'x'.repeat(1600), 11],
  ['1,600 characters of two units each', '😀'.repeat(1600), 49],
] as const)('a text of %s is accepted with $2 segments', async (_, body, segments) => {
  const { body: answer } = await server.send({ body })
  expect(await server.message(answer.message_ids[0])).toMatchObject({ body, segments })
})

test('characters that the database cannot store are removed or replaced in a text', async () => {
  const answer = await server.ask(
    'POST',
    'send',
    '{"recipients":["+4911111"],"body":"a\\u0000b\\ud800c"}',
  )
  expect(await server.message(answer.body.message_ids[0])).toMatchObject({ body: 'ab�c' })
})

test('JSON is read with any content type', async () => {
  const body = JSON.stringify({ recipients: ['+4911111'], body: 'Hi' })
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  expect((await server.ask('POST', 'send', body, { ...as(ANN), ...type })).status).toBe(200)
})

test('a send to a group of 10,000 members is stored whole or not at all', async () => {
  const MEMBERS = 10_000
  await server.rows(
    `insert into contacts (id, "user", name, phone, groups, created, updated)
      select 'member' || n, $1, 'Member ' || n, '+4917000' || (1000000 + n), array[$2], pb_text(now()), pb_text(now())
      from generate_series(1, ${MEMBERS}) n`,
    [ANN.id, GROUPS.empty],
  )
  const answer = await server.send({
    recipients: [],
    group_ids: [GROUPS.empty],
    body: 'To all of you',
  })
  expect(answer.status).toBe(200)
  expect(answer.body.recipients_count).toBe(MEMBERS)
  const stored = await server.rows(
    'select count(*), count(distinct "to") from sms_messages where batch_id = $1',
    [answer.body.batch_id],
  )
  expect(stored).toEqual([[MEMBERS, MEMBERS]])
  const queued = await server.rows(
    `select d.device, count(*) from sms_dispatch d join sms_messages m on m.id = message where batch_id = $1 group by 1`,
    [answer.body.batch_id],
  )
  expect(queued.map(([, count]) => count)).toEqual([MEMBERS / 2, MEMBERS / 2])

  const more = await server.send({ recipients: ['+4930123'], group_ids: [GROUPS.empty] })
  expect(more.body.error).toBe('too_many_recipients')
})
