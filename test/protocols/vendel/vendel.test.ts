import { createHmac } from 'node:crypto'
import {
  ANN,
  BEN,
  BENS_PHONE,
  GROUPS,
  keyOf,
  PHONES,
  startServerWithUsers,
  TEMPLATES,
} from '../../support/server/server-with-users.ts'
import { startReceiver } from '../../support/services/receiver.ts'

const server = await startServerWithUsers({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const receiver = await startReceiver()

type Headers = Record<string, string>
const get = (path: string, headers?: Headers) =>
  server.ask('GET', `/vendel/api/${path}`, undefined, headers)
const post = (path: string, body: unknown, headers?: Headers) =>
  server.ask('POST', `/vendel/api/sms/${path}`, body, headers)
const scoped = (...scopes: string[]) =>
  server.rows('update api_keys set scopes = $2 where id = $1', [keyOf(ANN), `{${scopes}}`])

const TO = ['+4915112345678', '+44111111']
const id = expect.stringMatching(/^\w{15}$/)
const date = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$/)
const DATES = { created: date, updated: date }
/** Of fixtures, which may have none. */
const EVER = { created: expect.any(String), updated: expect.any(String) }

beforeEach(async () => {
  await server.rows('delete from sms_messages')
  await scoped('messages:send', 'messages:read', 'messages:list', 'inbox:list', 'devices:list')
})

describe("Vendel's API sends", () => {
  test("Vendel's API sends to several numbers once each and ignores unknown fields", async () => {
    const { status, body } = await post('send', {
      recipients: [...TO, TO[0]],
      body: 'Hi',
      priority: 'x',
    })
    const ids = { batch_id: id, message_ids: [id, id] }
    expect([status, body]).toEqual([200, { ...ids, recipients_count: 2, status: 'accepted' }])
  })

  test("Vendel's API sends to a group, with recipients null, by a session", async () => {
    const session = await server.signedIn('users', ANN.id)
    const given = { recipients: null, group_ids: [GROUPS.friends], template_id: TEMPLATES.greeting }
    expect((await post('send-template', given, session)).body).toMatchObject({
      recipients_count: 3,
    })
    const bodies = await server.rows('select body from sms_messages order by "to"')
    expect(bodies).toEqual([['Hello Zoe!'], ['Hello Abe!'], ['Hello Abe!']])
  })

  test('a template takes the name that a request gives', async () => {
    const given = { recipients: TO, template_id: TEMPLATES.greeting, variables: { name: 'Özlem' } }
    expect((await post('send-template', given)).status).toBe(200)
    const bodies = await server.rows('select body from sms_messages')
    expect(bodies).toEqual([['Hello Özlem!'], ['Hello Özlem!']])
  })

  /** Not in E.164: they are counted before they are read. */
  const MANY = Array.from({ length: 1_001 }, (_, i) => `0151 ${2_000_000 + i}`)
  const text = { recipients: TO, body: 'Hi' }
  const template = { recipients: TO, template_id: TEMPLATES.code }
  test.each<[string, string, unknown, string]>([
    [
      'nobody',
      'send',
      { body: 'Hi' },
      'Recipients must name at least one phone number, or group_ids a group.',
    ],
    ['a number', 'send', { ...text, recipients: ['017'] }, 'Phone number must be in E.164 format.'],
    ['no JSON', 'send', '{', 'The body must be a JSON object.'],
    [
      '1,001 numbers',
      'send',
      { ...text, recipients: MANY },
      'At most 1000 recipients per request.',
    ],
    ['a device', 'send', { ...text, device_id: BENS_PHONE }, 'Device not found.'],
    ['a group', 'send', { ...text, group_ids: [GROUPS.bens] }, 'Contact group not found.'],
    ['a variable', 'send-template', template, 'Missing variable: code.'],
  ])('no text with an invalid request (%s): $3', async (_, path, body, message) => {
    const refused = { status: 400, body: { data: {}, message, status: 400 } }
    expect(await post(path, body)).toMatchObject(refused)
    expect(await server.rows('select id from sms_messages')).toEqual([])
  })

  test.each<[string, string, string, number]>([
    ['attachments', 'send', 'x', 1],
    ['attachments', 'send', 'x'.repeat(100_000), 2],
    ['attachments', 'send-template', 'x', 1],
    ['media', 'send', 'x', 1],
  ])('no file: a form with a file named %s is refused (%s)', async (name, path, bytes, count) => {
    const form = new FormData()
    const fields = { recipients: TO[0]!, body: 'Hi', mms: 'or_link', subject: 'Hi' }
    for (const [field, value] of Object.entries(fields)) form.append(field, value)
    form.append('template_id', TEMPLATES.greeting)
    for (let i = 0; i < count; i++) form.append(name, new Blob([bytes]), 'a.txt')
    const message = expect.stringMatching(/file/i)
    expect(await post(path, form)).toMatchObject({ status: 400, body: { message } })
    expect(await server.rows('select id from sms_messages')).toEqual([])
  })

  test('a text alone if its JSON names attachments or its form has no file', async () => {
    const named = { attachments: ['https://example.com/a.jpg'], subject: 'Hi', mms: 'or_link' }
    expect((await post('send', { ...text, ...named })).status).toBe(200)
    const form = new FormData()
    form.append('recipients', TO[0]!)
    form.append('body', 'Hi')
    form.append('subject', 'Hi')
    expect((await post('send', form)).status).toBe(200)
    const sent = await server.rows('select body, segments, attachments from sms_messages')
    expect(sent).toEqual(Array(3).fill(['Hi', 1, []]))
  })

  test('no text above the quota, which is the only 429', async () => {
    await server.rows('update users set monthly_quota = 3 where id = $1', [ANN.id])
    await server.rows(`update sms_usage set used = 2 where "user" = $1`, [ANN.id])
    const { status, body } = await post('send', { recipients: TO, body: 'Hi' })
    const numbers = { limit: 3, used: 2, available: 1, upgrade_url: '' }
    const detail = 'You can only send 1 more SMS this month'
    const refusal = { error: 'quota_exceeded', detail, quota_type: 'sms_monthly', ...numbers }
    expect([status, body]).toEqual([429, refusal])
    const devices = { devices_registered: 2, max_devices: 2_147_483_647 }
    const month = { sms_sent_this_month: 2, max_sms_per_month: 3 }
    const reset_date = expect.stringMatching(/^\d{4}-\d\d-01$/)
    expect((await get('plans/quota')).body).toEqual({
      plan: 'pocketsms',
      ...month,
      ...devices,
      reset_date,
    })
    await server.rows('update users set monthly_quota = 0')
  })
})

describe("Vendel's API returns", () => {
  test('a send and its messages', async () => {
    const { batch_id, message_ids } = (await post('send', { recipients: TO, body: 'Hi' })).body
    const fail = `update sms_messages set status = 'failed', error_message = 'x' where "to" = $1`
    await server.rows(fail, [TO[1]])
    const { status, body } = await get(`sms/status/${message_ids[0]}`)
    const dates = { sent_at: '', delivered_at: '' }
    const common = { batch_id, from_number: '', body: 'Hi', message_type: 'outgoing', ...dates }
    const one = {
      ...common,
      id: message_ids[0],
      recipient: TO[0],
      status: 'assigned',
      error_message: '',
    }
    expect([status, body]).toEqual([
      200,
      { ...one, device_id: expect.stringMatching(/^phone/), ...DATES },
    ])
    expect((await get(`sms/batch/${batch_id}`)).body).toEqual({
      batch_id,
      total: 2,
      status_counts: { assigned: 1, failed: 1 },
      messages: expect.arrayContaining([body, expect.objectContaining({ error_message: 'x' })]),
    })
    for (const path of [`status/${message_ids[0]}`, `batch/${batch_id}`])
      expect((await get(`sms/${path}`, { 'x-api-key': BEN.key })).status).toBe(404)
  })

  const [OUT, IN] = ['outgoing0000001', 'incoming0000001']
  const encoded = (query: Headers) => new URLSearchParams(query)
  test.each<[string, Headers, string, string[]]>([
    ['sms/messages', {}, 'id', [IN, OUT]],
    [
      'sms/messages',
      { status: 'sent', device_id: PHONES[0], recipient: TO[0]!, batch_id: 'b' },
      'id',
      [OUT],
    ],
    ['sms/messages', { from: '2026-01-02T01:00:00+01:00' }, 'id', [IN]],
    ['sms/messages', { to: '2026-01-01T00:00:00Z' }, 'id', [OUT]],
    ['sms/messages', { status: '" || id != "' }, 'id', []],
    ['sms/messages', { page: '2', per_page: '1', status: '' }, 'id', [OUT]],
    ['contacts', { search: 'ab', group_id: GROUPS.left }, 'phone_number', ['+4900003']],
    ['contacts', { search: '9000' }, 'name', ['Xaver', 'Out', 'Abe', 'Abe', 'Zoe']],
    ['contacts/groups', {}, 'name', ['empty', 'friends', 'left']],
    ['devices', { device_type: 'android' }, 'id', [...PHONES]],
    ['devices', { device_type: 'modem' }, 'id', []],
  ])('the list %s with %j, which has the records $3', async (path, query, field, values) => {
    const insert = `insert into sms_messages (id, "user", status, message_type, "to", device, batch_id, created)
      values ($1, $2, $3, $4, $5, $6, 'b', $7)`
    await server.rows(insert, [
      OUT,
      ANN.id,
      'sent',
      'outgoing',
      TO[0],
      PHONES[0],
      '2026-01-01 00:00:00.000Z',
    ])
    await server.rows(insert, [
      IN,
      ANN.id,
      'received',
      'incoming',
      '',
      PHONES[1],
      '2026-01-02 00:00:00.000Z',
    ])
    const { status, body } = await get(`${path}?${encoded(query)}`)
    expect(status).toBe(200)
    expect(body.items.map((item: Headers) => item[field]).sort()).toEqual([...values].sort())
    const per_page = Number(query.per_page ?? 50)
    const total_items = query.page ? 2 : values.length
    const pages = {
      page: Number(query.page ?? 1),
      per_page,
      total_pages: Math.ceil(total_items / per_page),
    }
    expect(body).toMatchObject({ ...pages, total_items })
    if (!path.endsWith('messages')) return
    await scoped('messages:list')
    const { items } = (await get(path)).body
    expect(items.map((item: Headers) => item.id)).toEqual([OUT])
  })

  test('a contact with its notes, a group and a device', async () => {
    await server.rows(
      `update contacts set data = '{"notes":"Rings twice"}' where phone = '+4900003'`,
    )
    const first = async (path: string) => (await get(path)).body.items[0]
    const groups = [GROUPS.friends, GROUPS.left]
    const contact = { id: id, name: 'Abe', phone_number: '+4900003', groups, notes: 'Rings twice' }
    expect(await first('contacts?search=%2B4900003')).toEqual({ ...contact, ...EVER })
    expect(await first('contacts/groups')).toEqual({ id: GROUPS.empty, name: 'empty', ...EVER })
    const device = { id: id, name: expect.any(String), device_type: 'android', phone_number: '' }
    expect(await first('devices')).toEqual({ ...device, ...EVER })
  })
})

describe("Vendel's API refuses", () => {
  test.each([
    ['a wrong key', 'devices', { 'x-api-key': 'vk_unknown' }, 401, 'Authentication required.'],
    ['a guest', 'plans/quota', {}, 401, 'Authentication required.'],
    ['a date', 'sms/messages?from=yesterday', undefined, 400, /^From must be a date/],
    ['an unknown message', 'sms/status/nobody', undefined, 404, 'Message not found.'],
    ['an unknown send', 'sms/batch/nobody', undefined, 404, 'Batch not found.'],
    ['a route for phones', 'sms/pending', undefined, 404, 'File not found.'],
  ])('status $3 for %s: $4', async (_, path, headers, status, message) => {
    const body = { data: {}, message: expect.stringMatching(message), status }
    expect(await get(path, headers)).toMatchObject({ status, body })
  })

  test('a key without the scope', async () => {
    await scoped()
    const paths = ['sms/messages', 'contacts', 'contacts/groups', 'devices', 'plans/quota']
    const statuses = await Promise.all(paths.map(async (path) => (await get(path)).status))
    expect(statuses).toEqual([403, 403, 403, 403, 200])
  })

  test("Vendel's API refuses too many requests with 503 and Retry-After, since its SDKs read 429 as the quota", async () => {
    const [[root]] = (await server.rows('select id from _superusers limit 1')) as [[string]]
    const headers = await server.signedIn('_superusers', root)
    const limit = (rateLimits: object) =>
      server.ask('PATCH', '/api/settings', { rateLimits }, headers)
    const rule = { label: '/vendel/', audience: '', duration: 60, maxRequests: 1 }
    await limit({ enabled: true, rules: [rule] })
    const ask = () =>
      fetch(`${server.url}/vendel/api/devices`, { headers: { 'x-api-key': ANN.key } })
    expect((await ask()).status).toBe(200)
    const answer = await ask()
    await limit({ enabled: false })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '60'])
  })
})

test("webhooks in Vendel's form are signed with their secret", async () => {
  const session = await server.signedIn('users', ANN.id)
  const events = ['message.sent', 'message.failed']
  const hook = { user: ANN.id, url: receiver.url, events, format: 'vendel' }
  const { secret, id: made } = (
    await server.ask('POST', '/api/collections/webhooks/records', hook, session)
  ).body
  const { message_ids } = (
    await post('send', { recipients: TO.slice(0, 1), body: 'Grüße', device_id: PHONES[0] })
  ).body
  const phone = await server.signedIn('devices', PHONES[0])
  const { items } = (await server.ask('POST', '/api/devices/claim', { limit: 1 }, phone)).body
  const report = {
    id: items[0].id,
    attempt: items[0].attempt,
    status: 'failed',
    error_message: 'Radio off',
  }
  await server.ask('POST', '/api/devices/report', { items: [report] }, phone)
  await receiver.heard(1)
  await server.ask('POST', `/api/webhooks/${made}/test`, {}, session)
  const [told, test] = await receiver.heard(2)
  for (const { body, headers } of [told!, test!]) {
    const signature = createHmac('sha256', secret).update(body).digest('hex')
    expect(headers['x-webhook-signature']).toBe(signature)
    const payload = JSON.parse(body)
    expect(body).toBe(JSON.stringify(payload, Object.keys(payload).sort()))
  }
  const what = { event: 'sms_failed', message_id: message_ids[0], timestamp: date, body: 'Grüße' }
  expect(told!.event).toEqual({ ...what, to: TO[0], status: 'failed', error_message: 'Radio off' })
  const keys = ['body', 'event', 'from', 'message_id', 'timestamp']
  expect([test!.event.event, Object.keys(test!.event)]).toEqual(['test', keys])
  await server.rows(`update webhooks set secret = 'of Vendel' where id = $1`, [made])
  await server.ask('POST', `/api/webhooks/${made}/test`, {}, session)
  const { body, headers } = (await receiver.heard(3))[2]!
  expect(headers['x-webhook-signature']).toBe(
    createHmac('sha256', 'of Vendel').update(body).digest('hex'),
  )
})
