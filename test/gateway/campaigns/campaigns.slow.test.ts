import {
  ANN,
  BEN,
  GROUPS,
  PHONES,
  startServerWithUsers,
  TEMPLATES,
} from '../../support/server/server-with-users.ts'

const server = await startServerWithUsers()
const ann = await server.signedIn('users', ANN.id)
const ben = await server.signedIn('users', BEN.id)

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
const numbers = (count: number, from = 10_000) =>
  Array.from({ length: count }, (_, i) => `+4977${i + from}`)
const call = (method: string, path: string, body?: unknown, headers = ann) =>
  server.ask(method, `/api/campaigns${path}`, body, headers)
const create = async (body: object) => (await call('POST', '', { body: 'Sale', ...body })).body
const settled = (id: string) =>
  expect
    .poll(() => server.rows('select settled from campaigns where id = $1', [id]))
    .toEqual([[true]])
const made = async (body: object) => {
  const campaign = await create(body)
  await settled(campaign.id)
  return campaign as { id: string; batch_id: string; status: string; scheduled_at: string }
}
const messagesOf = (batch: string) =>
  server.rows(
    'select "to", body, status, scheduled_at from sms_messages where batch_id = $1 order by "to"',
    [batch],
  )
const waiting = (batch: string) =>
  server.rows(
    'select 1 from sms_dispatch d join sms_messages m on m.id = message where batch_id = $1',
    [batch],
  )
const statusOf = async (id: string) =>
  (await server.rows('select status from campaigns where id = $1', [id]))[0]?.[0]
const progress = async (id: string) => (await call('GET', `/${id}/progress`)).body
/** Ends messages as a device would. */
const end = (batch: string, status: string, limit = 1000) =>
  server.rows(
    `with ended as (
      delete from sms_dispatch where message in (
        select d.message from sms_dispatch d join sms_messages m on m.id = d.message where m.batch_id = $1 limit $3
      ) returning message
    ) update sms_messages set status = $2, sent_at = pb_text(now()) where id in (select message from ended)`,
    [batch, status, limit],
  )

test('a scheduled campaign is stored at once and its messages wait for their time', async () => {
  const scheduled_at = inAnHour()
  const answer = await call('POST', '', {
    name: 'Friends',
    template_id: TEMPLATES.greeting,
    group_ids: [GROUPS.friends],
    recipients: ['+4900002', '+49770001'],
    scheduled_at,
  })
  expect(answer.status).toBe(200)
  const campaign = answer.body
  // Out has opted out
  const counts = { recipients_count: 4, segments: 4 }
  expect(campaign).toMatchObject({ name: 'Friends', status: 'scheduled', revision: 1, ...counts })
  await settled(campaign.id)
  const rows = await messagesOf(campaign.batch_id)
  expect(rows.map(([to, body, status]) => [to, body, status])).toEqual([
    ['+4900001', 'Hello Zoe!', 'pending'],
    ['+4900002', 'Hello Abe!', 'pending'],
    ['+4900003', 'Hello Abe!', 'pending'],
    ['+49770001', 'Hello !', 'pending'],
  ])
  const now = await progress(campaign.id)
  expect(now).toMatchObject({ status: 'scheduled', counts: { pending: 4 }, replies: 0 })
  const other = await call('GET', `/${campaign.id}/progress`, undefined, ben)
  expect([other.status, other.body.error]).toEqual([404, 'campaign_not_found'])
})

test('each recipient gets the text with their own variables, also after a change', async () => {
  const text = { body: 'Hi {{Name}}, {{day}}', variables: { Day: 'Monday' } }
  const recipients = ['+4900001', '+4900002']
  const preview = await call('POST', '/preview', { ...text, recipients })
  expect(preview.body.first.body).toBe('Hi Zoe, Monday')
  const { id } = await create({ ...text, recipients, scheduled_at: inAnHour() })
  await settled(id)
  const plain = await call('PATCH', `/${id}`, { body: '{{name}}' })
  await settled(id)
  expect((await messagesOf(plain.body.batch_id)).map(([, body]) => body)).toEqual([
    '{{name}}',
    '{{name}}',
  ])
  const changed = await call('PATCH', `/${id}`, { body: '{{name}}!', variables: {} })
  await settled(id)
  expect((await messagesOf(changed.body.batch_id)).map(([, body]) => body)).toEqual([
    'Zoe!',
    'Abe!',
  ])
})

test('a campaign without a time waits ten seconds, and canceling it then refunds its whole quota', async () => {
  const before = (await server.ask('GET', 'usage')).body.used
  const asked = Date.now()
  const campaign = await create({ recipients: numbers(30) })
  const heldMs = Date.parse(campaign.scheduled_at) - asked
  expect(heldMs).toBeGreaterThan(9_000)
  expect(heldMs).toBeLessThan(15_000)
  const canceled = await call('POST', `/${campaign.id}/cancel`)
  expect(canceled.body).toMatchObject({ status: 'canceled' })
  expect((await call('POST', `/${campaign.id}/cancel`)).body).toMatchObject({ status: 'canceled' })
  await settled(campaign.id)
  expect(await waiting(campaign.batch_id)).toEqual([])
  expect((await server.ask('GET', 'usage')).body.used).toBe(before)
  for (const verb of ['pause', 'resume'])
    expect((await call('POST', `/${campaign.id}/${verb}`)).body.error).toBe('campaign_over')
})

test.each([
  [
    'two texts',
    { template_id: TEMPLATES.greeting, recipients: ['+4977100'] },
    400,
    'invalid_request',
  ],
  ['no recipients', {}, 400, 'invalid_request'],
  ['no number', { recipients: ['0151'] }, 400, 'invalid_phone_number'],
  ["another user's group", { group_ids: [GROUPS.bens] }, 404, 'group_not_found'],
  ['too many recipients', { recipients: numbers(20_001) }, 400, 'too_many_recipients'],
  [
    'an unknown line',
    { recipients: ['+4977100'], line_id: 'nosuchline00000' },
    404,
    'line_not_found',
  ],
])('a campaign with %s is refused as $3 and nothing is stored', async (_, body, status, error) => {
  const before = await server.rows('select count(*) from campaigns')
  const answer = await call('POST', '', { body: 'Sale', ...body })
  expect([answer.status, answer.body.error]).toEqual([status, error])
  expect(await server.rows('select count(*) from campaigns')).toEqual(before)
})

test('a campaign with a device_id is sent by that device, and stays with it during a pause', async () => {
  const options = { device_id: PHONES[1], sim: 2, priority: 5, guarantee: 'at_least_once' }
  const campaign = await made({ recipients: numbers(2), scheduled_at: inAnHour(), ...options })
  await call('POST', `/${campaign.id}/pause`)
  const rows = await server.rows(
    `select distinct m.device, m.sim, m.priority, m.guarantee, d.device, d.pinned, d.due_at::text
     from sms_messages m join sms_dispatch d on d.message = m.id where m.batch_id = $1`,
    [campaign.batch_id],
  )
  expect(rows).toEqual([[PHONES[1], 2, 5, 'at_least_once', PHONES[1], true, 'infinity']])
  await call('POST', `/${campaign.id}/cancel`)
  const refused = await call('POST', '', {
    body: 'x',
    recipients: ['+4977100'],
    device_id: 'other',
  })
  expect(refused.body.error).toBe('device_not_found')
})

const lineOf = async (device: string) =>
  String((await server.rows('select id from lines where device = $1', [device]))[0]![0])

test.each([
  ['its id', async () => ({ line_id: await lineOf(PHONES[1]) })],
  ['its number', async () => ({ from: '+4955500' })],
])(
  'a campaign whose line is named by %s is sent by that line, also after a change',
  async (_, name) => {
    const line = await lineOf(PHONES[1])
    await server.rows(`update lines set number = '+4955500' where id = $1`, [line])
    const campaign = await made({
      recipients: numbers(2),
      scheduled_at: inAnHour(),
      ...(await name()),
    })
    await call('PATCH', `/${campaign.id}`, { body: 'Another text' })
    await settled(campaign.id)
    await call('POST', `/${campaign.id}/pause`)
    await call('POST', `/${campaign.id}/resume`)
    await settled(campaign.id)
    const rows = await server.rows(
      `select distinct c.line, d.device, d.line, d.line_pinned from campaigns c
     join sms_messages m on m.batch_id = c.batch_id join sms_dispatch d on d.message = m.id where c.id = $1`,
      [campaign.id],
    )
    expect(rows).toEqual([[line, PHONES[1], line, true]])
    await call('POST', `/${campaign.id}/cancel`)
  },
)

test('a preview counts people and segments and stores no message', async () => {
  const before = await server.rows('select count(*) from campaigns')
  const body = {
    template_id: TEMPLATES.greeting,
    recipients: ['+4900001', '+4900004', ...numbers(1_500)],
  }
  const answer = await call('POST', '/preview', body)
  const first = { to: '+4900001', body: 'Hello Zoe!' }
  expect(answer.body).toMatchObject({ recipients_count: 1_501, segments: 1_501, first })
  expect(await server.rows('select count(*) from campaigns')).toEqual(before)
})

test('a preview lists the variables that are empty for one recipient and have no default', async () => {
  const ask = async (body: string, recipients: string[]) =>
    (await call('POST', '/preview', { body, variables: { day: '' }, recipients })).body.missing
  // the last has a contact without a name
  const all = ['+4900001', ...numbers(1_200), '+49770001']
  expect(await ask('Hello {{name}}, {{day}}!', all)).toEqual(['day', 'name'])
  expect(await ask('Hello {{name|you}}!', all)).toBe(undefined)
  expect(await ask('Hello {{name}}!', ['+4900001'])).toBe(undefined)
})

test('an API key cannot create campaigns without its scope', async () => {
  const body = { body: 'Hi', recipients: numbers(1) }
  expect((await call('POST', '', body, { 'x-api-key': ANN.key })).status).toBe(403)
})

test('three requests with one Idempotency-Key create one campaign', async () => {
  const body = { body: 'Once', recipients: numbers(3), scheduled_at: inAnHour() }
  const ask = () => call('POST', '', body, { ...ann, 'idempotency-key': 'twice' })
  const answers = await Promise.all([ask(), ask(), ask()])
  expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1)
  await settled(answers[0]!.body.id)
  expect(await messagesOf(answers[0]!.body.batch_id)).toHaveLength(3)
})

test.each<[string, object]>([
  ['text', { body: 'Twice' }],
  ['audience', { recipients: numbers(2) }],
  ['time', { scheduled_at: '2090-01-01T00:00:00Z' }],
  ['repetition', { repeat: { cron: '0 8 * * *' } }],
])('another %s under the Idempotency-Key of a campaign is refused', async (what, more) => {
  const body = { body: 'Once', recipients: numbers(3), scheduled_at: inAnHour() }
  const headers = { ...ann, 'idempotency-key': `another ${what}` }
  const first = await call('POST', '', body, headers)
  const other = await call('POST', '', { ...body, ...more }, headers)
  expect([first.status, other.status]).toEqual([200, 422])
  expect(other.body.error).toBe('idempotency_key_reused')
  expect((await call('POST', '', body, headers)).body.id).toBe(first.body.id)
})

test('a campaign that has begun refuses a new time but accepts a new name', async () => {
  const campaign = await made({ recipients: numbers(3), hold_seconds: 0 })
  const refused = await call('PATCH', `/${campaign.id}`, { scheduled_at: inAnHour() })
  expect([refused.status, refused.body.error]).toEqual([409, 'campaign_begun'])
  const renamed = await call('PATCH', `/${campaign.id}`, { name: 'Mine' })
  expect(renamed.body).toMatchObject({ name: 'Mine', revision: 1 })
  await end(campaign.batch_id, 'sent')
  await expect.poll(() => statusOf(campaign.id)).toBe('done')
  expect((await call('POST', `/${campaign.id}/cancel`)).body.error).toBe('campaign_over')
})

test('a pause takes back messages that no device has claimed, and a resume assigns them again', async () => {
  const campaign = await made({ recipients: numbers(6), hold_seconds: 0 })
  await expect.poll(async () => (await progress(campaign.id)).counts.assigned).toBe(6)
  // a device has one of them
  const [[claimed], [one]] = (await server.rows('select id from sms_messages where batch_id = $1', [
    campaign.batch_id,
  ])) as [[string], [string]]
  await server.rows(
    `update sms_dispatch set state = 'sending', attempt = 1, lease_until = now() + interval '1 hour' where message = $1`,
    [claimed],
  )
  await server.rows(`update sms_messages set status = 'sending' where id = $1`, [claimed])
  expect((await call('POST', `/${campaign.id}/pause`)).body.status).toBe('paused')
  expect((await call('POST', `/${campaign.id}/pause`)).body.status).toBe('paused')
  expect(await progress(campaign.id)).toMatchObject({
    status: 'paused',
    counts: { pending: 5, sending: 1 },
  })
  const held = await server.rows(
    `select distinct d.state, d.device, d.due_at::text, m.status, m.device from sms_dispatch d
     join sms_messages m on m.id = d.message where m.batch_id = $1 and m.id <> $2`,
    [campaign.batch_id, claimed],
  )
  expect(held).toEqual([['pending', '', 'infinity', 'pending', '']])
  // neither its batch nor its messages can be changed without it
  const later = { scheduled_at: inAnHour() }
  for (const [method, path, body] of [
    ['POST', `batches/${campaign.batch_id}/reschedule`, later],
    ['POST', `batches/${campaign.batch_id}/cancel`],
    ['POST', `batches/${campaign.batch_id}/retry`],
    ['POST', `messages/${one}/cancel`],
    ['PATCH', `messages/${one}`, { body: 'Other' }],
  ] as const)
    expect([path, await server.ask(method, path, body, ann)]).toMatchObject([
      path,
      { status: 409, body: { error: 'owned_by_campaign', campaign: campaign.id } },
    ])
  expect((await call('POST', `/${campaign.id}/resume`)).body.status).toBe('sending')
  await expect.poll(async () => (await progress(campaign.id)).counts.assigned).toBe(5)
  await end(campaign.batch_id, 'delivered')
})

test('paused messages still expire', async () => {
  const campaign = await made({ recipients: numbers(2), scheduled_at: inAnHour() })
  await call('POST', `/${campaign.id}/pause`)
  await server.rows(
    `update sms_dispatch set expires_at = now() where message in (select id from sms_messages where batch_id = $1)`,
    [campaign.batch_id],
  )
  await expect.poll(async () => (await progress(campaign.id)).counts.failed).toBe(2)
})

test("a retry sends a campaign's failed messages again, without those already retried", async () => {
  const campaign = await made({ recipients: numbers(4), hold_seconds: 0 })
  await expect.poll(async () => (await progress(campaign.id)).counts.assigned).toBe(4)
  await end(campaign.batch_id, 'failed', 3)
  await end(campaign.batch_id, 'sent')
  await expect.poll(() => statusOf(campaign.id)).toBe('done')
  const retriable = async () => (await progress(campaign.id)).retriable
  expect(await retriable()).toEqual({ plain: 3, unknown: 0, canceled: 0 })
  const first = (await call('POST', `/${campaign.id}/retry`)).body
  expect(first).toMatchObject({ retried: 3, campaign: { status: 'sending' } })
  expect(await progress(campaign.id)).toMatchObject({ counts: { sent: 1, assigned: 3, failed: 0 } })
  // nothing more has failed since
  expect(await retriable()).toEqual({ plain: 0, unknown: 0, canceled: 0 })
  expect((await call('POST', `/${campaign.id}/retry`)).body).toMatchObject({ retried: 0 })
  const [[second]] = (await server.rows(
    `select distinct batch_id from sms_messages where client_ref like 'retry:%' and status = 'assigned'`,
  )) as [[string]]
  await end(second, 'failed', 1)
  await end(second, 'delivered')
  expect(await retriable()).toEqual({ plain: 1, unknown: 0, canceled: 0 })
  expect((await call('POST', `/${campaign.id}/retry`)).body).toMatchObject({ retried: 1 })
  const counts = { sent: 1, delivered: 2, assigned: 1, failed: 0 }
  expect(await progress(campaign.id)).toMatchObject({ counts })
})

test.each([
  ['Outcome unknown: the device went silent', { plain: 2, unknown: 1, canceled: 0 }],
  ['Canceled', { plain: 2, unknown: 0, canceled: 1 }],
  ['Canceled on the phone', { plain: 2, unknown: 0, canceled: 1 }],
  ['Recipient has opted out', { plain: 2, unknown: 0, canceled: 0 }],
  ['Destination not allowed', { plain: 3, unknown: 0, canceled: 0 }],
])('a failure with "%s" is counted as $1 for a retry', async (reason, expected) => {
  const campaign = await made({ recipients: numbers(3), hold_seconds: 0 })
  await expect
    .poll(() => progress(campaign.id))
    .toMatchObject({ status: 'sending', counts: { assigned: 3 } })
  await end(campaign.batch_id, 'failed')
  await server.rows(
    `update sms_messages set error_message = $2 where id = (
       select id from sms_messages where batch_id = $1 order by id limit 1)`,
    [campaign.batch_id, reason],
  )
  expect((await progress(campaign.id)).retriable).toEqual(expected)
  const include = ['unknown', 'canceled']
  const { body } = await call('POST', `/${campaign.id}/retry`, { include })
  expect(body).toMatchObject({ retried: expected.plain + expected.unknown + expected.canceled })
})

test('a campaign counts its recipients who replied or opted out', async () => {
  const campaign = await made({ recipients: ['+4977500', '+4977501'], hold_seconds: 0 })
  const phone = await server.signedIn('devices', PHONES[0])
  const items = [
    ['+4977500', 'Open on Sunday?'],
    ['+4977500', 'And on Monday?'],
    ['+4977501', 'STOP'],
    ['+4977777', 'Not asked'],
  ].map(([from, body]) => ({ from, body, received_at: new Date() }))
  expect((await server.ask('POST', '/api/devices/incoming', { items }, phone)).status).toBe(200)
  const now = await progress(campaign.id)
  expect(now).toMatchObject({ replies: 2, opt_outs: 1 })
  expect(now.latest_replies.map((one: { body: string }) => one.body).sort()).toEqual([
    'And on Monday?',
    'Open on Sunday?',
    'STOP',
  ])
})

test('a campaign counts people who opted out without a contact or left its group, and texts neither again', async () => {
  const create = async (collection: string, values: object) =>
    (
      await server.ask(
        'POST',
        `/api/collections/${collection}/records`,
        { user: ANN.id, ...values },
        ann,
      )
    ).body
  const [out, left, stays] = numbers(3, 80_000) as [string, string, string]
  const group = (await create('contact_groups', { name: 'Sale' })).id
  for (const phone of [left, stays]) await create('contacts', { phone, groups: [group] })
  const campaign = await made({ recipients: [out], group_ids: [group], hold_seconds: 0 })
  await expect.poll(async () => (await progress(campaign.id)).counts.assigned).toBe(3)
  await end(campaign.batch_id, 'failed')
  expect(await progress(campaign.id)).toMatchObject({ opt_outs: 0, retriable: { plain: 3 } })
  await create('consents', { number: out, event: 'opt_out' })
  await create('consents', { number: left, group, event: 'opt_out' })
  await server.rows('delete from contacts where phone = $1', [out])
  expect(await progress(campaign.id)).toMatchObject({ opt_outs: 2, retriable: { plain: 1 } })
  expect((await call('POST', `/${campaign.id}/retry`)).body).toMatchObject({
    retried: 1,
    left_out: { opted_out: 2 },
  })
})

test('a waiting campaign cannot be deleted, a canceled one can', async () => {
  const campaign = await made({ recipients: numbers(2), scheduled_at: inAnHour() })
  const remove = () =>
    server.ask('DELETE', `/api/collections/campaigns/records/${campaign.id}`, undefined, ann)
  expect((await remove()).status).toBe(404)
  await call('POST', `/${campaign.id}/cancel`)
  expect((await remove()).status).toBe(204)
})
