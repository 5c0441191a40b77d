import { createHmac } from 'node:crypto'
import { ANN, BEN, BENS_PHONE, PHONES } from '../../support/server/server-with-users.ts'
import { startReceiver } from '../../support/services/receiver.ts'
import { bearer, startSmsgateApiFixture } from '../../support/smsgate/smsgate-api-fixture.ts'

const fixture = await startSmsgateApiFixture({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const { ask, server } = fixture
const receiver = await startReceiver()

const add = (body: object, headers?: Record<string, string>) =>
  ask('POST', '/webhooks', body, headers)
const list = async (headers?: Record<string, string>) =>
  (await ask('GET', '/webhooks', undefined, headers)).body
const KEY = 'a signing key of the user'
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

async function device(id: string, path: string, body: object) {
  const headers = await server.signedIn('devices', id)
  const answer = await server.ask('POST', `/api/devices/${path}`, body, headers)
  expect(answer.status).toBe(200)
  return answer.body
}

describe('webhooks', () => {
  test('webhooks can be added, replaced, listed and deleted', async () => {
    const url = 'https://example.com/hook'
    const made = await add({ id: 'mine', url, event: 'sms:sent' })
    expect([made.status, made.body]).toEqual([
      201,
      { id: 'mine', deviceId: null, url, event: 'sms:sent' },
    ])
    const replaced = await add({
      id: 'mine',
      url: `${url}/2`,
      event: 'sms:failed',
      deviceId: PHONES[0],
    })
    const now = { id: 'mine', deviceId: PHONES[0], url: `${url}/2`, event: 'sms:failed' }
    expect([replaced.status, replaced.body]).toEqual([201, now])
    const other = await add({ id: null, url, event: 'sms:received', device_id: PHONES[1] })
    const id = expect.stringMatching(/^\w{15}$/)
    expect(other.body).toEqual({ id, deviceId: PHONES[1], url, event: 'sms:received' })
    expect(await list()).toEqual([replaced.body, other.body])
    expect(await list(fixture.ben)).toEqual([])
    expect((await ask('DELETE', '/webhooks/mine', undefined, fixture.ben)).status).toBe(204)
    expect(await list()).toHaveLength(2)
    for (const id of ['mine', other.body.id, 'mine'])
      expect((await ask('DELETE', `/webhooks/${id}`)).status).toBe(204)
    expect(await list()).toEqual([])
  })

  test('webhooks of other APIs are not listed and cannot be deleted', async () => {
    const headers = await server.signedIn('users', ANN.id)
    const path = '/api/collections/webhooks/records'
    const values = { user: ANN.id, url: 'https://example.com', events: ['message.sent'] }
    const { id } = (await server.ask('POST', path, values, headers)).body
    expect(await list()).toEqual([])
    await ask('DELETE', `/webhooks/${id}`)
    expect((await server.ask('DELETE', `${path}/${id}`, undefined, headers)).status).toBe(204)
  })

  test.each(['sms:received', 'sms:data-received'])(
    'webhooks for %s require the inbox scope',
    async (event) => {
      const made = { id: 'reader', url: 'https://example.com', event }
      const writer = bearer(await fixture.makeKey(['webhooks:write']))
      const refused = { status: 403, body: { message: 'scope required: inbox:list' } }
      expect(await add(made, writer)).toMatchObject(refused)
      expect((await add({ ...made, event: 'sms:sent' }, writer)).status).toBe(201)
      expect(await add(made, writer)).toMatchObject(refused)
      const reader = bearer(await fixture.makeKey(['webhooks:write', 'inbox:list']))
      expect((await add(made, reader)).status).toBe(201)
      await ask('DELETE', '/webhooks/reader')
    },
  )

  test('webhooks added concurrently under one id become one', async () => {
    const all = await Promise.all(
      [1, 2, 3, 4].map((i) =>
        add({ id: 'at once', url: `https://example.com/${i}`, event: 'sms:sent' }),
      ),
    )
    expect(all.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect(await list()).toHaveLength(1)
    await ask('DELETE', '/webhooks/at%20once')
  })

  test.each<[string, object, RegExp]>([
    ['no address', { event: 'sms:sent' }, /^url/],
    ['no event', { url: 'https://example.com' }, /^event/],
    ['an unknown event', { url: 'https://example.com', event: 'sms:lost' }, /^event/],
    [
      'an unknown device',
      { url: 'https://example.com', event: 'sms:sent', deviceId: 'nobody' },
      /^deviceId/,
    ],
    [
      "another user's device",
      { url: 'https://a.example', event: 'sms:sent', deviceId: BENS_PHONE },
      /^deviceId/,
    ],
  ])('webhooks are refused with %s: $2', async (_, body, message) => {
    expect(await add(body)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(message) },
    })
    expect(await list()).toEqual([])
  })
})

describe('the settings route', () => {
  test("the settings route returns the phones' settings without secrets", async () => {
    const { status, body } = await ask('GET', '/settings')
    expect([status, body]).toEqual([
      200,
      {
        gateway: { notification_channel: 'SSE_ONLY' },
        messages: { processing_order: 'FIFO' },
        ping: { interval_seconds: 120 },
        webhooks: { internet_required: true, retry_count: 15 },
      },
    ])
  })

  test.each(['PATCH', 'PUT'])('the settings route sets the signing key by %s', async (method) => {
    const { status, body } = await ask(method, '/settings', {
      webhooks: { signing_key: `${KEY} ${method}` },
    })
    expect([status, JSON.stringify(body)]).toEqual([200, expect.not.stringContaining(KEY)])
    const headers = await server.signedIn('users', ANN.id)
    const shown = await server.ask('GET', '/api/account/smsgate-key', undefined, headers)
    expect(shown.body).toEqual({ signing_key: `${KEY} ${method}` })
  })

  test.each<[object | string, RegExp]>([
    [{ webhooks: { signing_key: 'short' } }, /^webhooks\.signing_key/],
    [{ webhooks: { signing_key: 'x'.repeat(256) } }, /^webhooks\.signing_key/],
    [{ webhooks: { signing_key: KEY, retry_count: 1 } }, /^webhooks\.retry_count/],
    [{ messages: { send_interval_min: 1 } }, /^messages\.send_interval_min/],
    [{ encryption: { passphrase: 'x' } }, /^encryption\.passphrase/],
    ['{', /JSON/],
  ])('the settings route refuses the settings %j: $1', async (body, message) => {
    expect(await ask('PATCH', '/settings', body)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(message) },
    })
  })

  test("the account's signing key is generated at its first request and can be changed", async () => {
    const ben = await server.signedIn('users', BEN.id)
    const ask = (method: string, body?: object, headers = ben) =>
      server.ask(method, '/api/account/smsgate-key', body, headers)
    const first = (await ask('GET')).body
    expect(first.signing_key).toMatch(/^\w{43}$/)
    expect((await ask('GET')).body).toEqual(first)
    const key = { signing_key: 'another key of mine' }
    expect((await ask('PUT', key)).status).toBe(204)
    expect((await ask('GET')).body).toEqual(key)
    expect((await ask('GET', undefined, {})).status).toBe(401)
    expect((await ask('GET', undefined, await server.signedIn('devices', PHONES[0]))).status).toBe(
      403,
    )
  })
})

describe('webhook calls', () => {
  const EVENTS = ['received', 'data-received', 'sent', 'delivered', 'failed', 'cancelled']

  beforeAll(async () => {
    await ask('PATCH', '/settings', { webhooks: { signing_key: KEY } })
    for (const event of EVENTS.map((name) => `sms:${name}`))
      await add({ id: event, url: `${receiver.url}/any`, event })
    await add({ id: 'phone 2', url: `${receiver.url}/two`, event: 'sms:sent', deviceId: PHONES[1] })
    await server.rows(`update devices set phone = '+4933300' where id = $1`, [PHONES[0]])
  })

  /** Calls that came, as their bodies, once there are `count`. */
  async function calls(count: number) {
    await expect.poll(() => receiver.told.length).toBeGreaterThanOrEqual(count)
    return receiver.told.splice(0)
  }

  async function send(count: number, more: object = {}) {
    const phoneNumbers = Array.from({ length: count }, (_, i) => `+4911000${i}`)
    const { body } = await ask('POST', '/messages', {
      id: `order ${Math.random()}`,
      message: 'Hi',
      phoneNumbers,
      ...more,
    })
    return body.id as string
  }

  /** A phone claims what waits for it, and has sent the first of it. */
  async function claimAndSend(id: string) {
    const [{ id: message, attempt }] = (await device(id, 'claim', { limit: 10 })).items
    await device(id, 'report', { items: [{ id: message, attempt, status: 'sent' }] })
  }

  test('webhook calls for sent, delivered and failed texts are signed as the app signs', async () => {
    const id = await send(2, { deviceId: PHONES[0], simNumber: 2 })
    const { items } = await device(PHONES[0], 'claim', { limit: 10 })
    const report = (i: number, status: string, more = {}) =>
      device(PHONES[0], 'report', {
        items: [{ id: items[i].id, attempt: items[i].attempt, status, ...more }],
      })
    await report(0, 'sent')
    await report(0, 'delivered')
    await report(1, 'failed', { error_message: 'No signal' })
    const came = await calls(3)
    for (const { headers, body } of came) {
      const signature = createHmac('sha256', KEY)
        .update(body + headers['x-timestamp'])
        .digest('hex')
      expect(headers['x-signature']).toBe(signature)
      expect(Math.abs(Number(headers['x-timestamp']) - Date.now() / 1000)).toBeLessThan(60)
      expect(headers['webhook-signature']).toMatch(/^v1,/)
      expect(JSON.parse(body).id).toBe(headers['webhook-id'])
    }
    const common = (i: number) => {
      const recipient = `+4911000${i}`
      return { messageId: id, sender: '+4933300', recipient, phoneNumber: recipient, simNumber: 2 }
    }
    const told = { id: expect.any(String), deviceId: PHONES[0] }
    const expected = (event: string, payload: object) => ({
      ...told,
      webhookId: event,
      event,
      payload,
    })
    const bodies = came
      .map(({ body }) => JSON.parse(body))
      .sort((a, b) => (a.event < b.event ? -1 : 1))
    expect(bodies).toEqual([
      expected('sms:delivered', { ...common(0), deliveredAt: ISO }),
      expected('sms:failed', { ...common(1), failedAt: ISO, reason: 'No signal' }),
      expected('sms:sent', { ...common(0), sentAt: ISO, partsCount: 1 }),
    ])
  })

  test("webhook calls for a device's texts go to that device's webhook too", async () => {
    await send(1, { deviceId: PHONES[1] })
    await claimAndSend(PHONES[1])
    const came = await calls(2)
    expect(came.map(({ body }) => JSON.parse(body).webhookId).sort()).toEqual([
      'phone 2',
      'sms:sent',
    ])
    expect(JSON.parse(came[0]!.body).payload).toMatchObject({ sender: null, simNumber: null })
  })

  test('webhook calls for a cancellation are sms:cancelled, not failures', async () => {
    const id = await send(1, { scheduleAt: '2099-01-01T00:00:00Z' })
    await ask('DELETE', `/messages/${encodeURIComponent(id)}`)
    const [call, ...others] = await calls(1)
    expect(others).toEqual([])
    expect(JSON.parse(call!.body)).toMatchObject({
      event: 'sms:cancelled',
      deviceId: '',
      payload: { messageId: id, sender: null, cancelledAt: ISO },
    })
  })

  test('webhook calls for incoming texts contain text or data', async () => {
    const received_at = '2026-01-02T00:00:00.000Z'
    const items = [
      { from: '+4922200', body: 'Hello', received_at, sim: 1 },
      { from: 'BANK', body: 'data:application/octet-stream;base64,AAEC', received_at },
    ]
    await device(PHONES[0], 'incoming', { items })
    const came = (await calls(2))
      .map(({ body }) => JSON.parse(body))
      .sort((a, b) => (a.event < b.event ? -1 : 1))
    const common = { messageId: expect.any(String), recipient: '+4933300' }
    const from = (sender: string) => ({ ...common, sender, phoneNumber: sender })
    // of one instant in one request: a millisecond after the one before it
    const later = '2026-01-02T00:00:00.001Z'
    expect(came.map(({ event, payload }) => [event, payload])).toEqual([
      ['sms:data-received', { ...from('BANK'), receivedAt: later, simNumber: null, data: 'AAEC' }],
      [
        'sms:received',
        { ...from('+4922200'), receivedAt: received_at, simNumber: 1, message: 'Hello' },
      ],
    ])
    const { body } = await ask('GET', '/inbox')
    expect(body.map(({ id }: { id: string }) => id).sort()).toEqual(
      came.map(({ payload }) => payload.messageId).sort(),
    )
  })

  test('webhook calls are recorded like the calls of other webhooks', async () => {
    const rows = await server.rows(
      `select status, count(*) from webhook_deliveries group by status`,
    )
    expect(rows).toEqual([['delivered', 8]])
  })

  test('webhook calls stop when their webhook is replaced by one for another event', async () => {
    await add({ id: 'busy', url: `${receiver.url}/busy`, event: 'sms:sent', deviceId: PHONES[0] })
    receiver.behave(({ path }, res) => res.writeHead(path === '/busy' ? 503 : 204).end())
    await send(1, { deviceId: PHONES[0] })
    await claimAndSend(PHONES[0])
    const state = async () =>
      (
        await server.rows(`select d.status, coalesce(nullif(d.response_status, 0)::text, d.response_body) from webhook_deliveries d
          join webhooks w on w.id = d.webhook where w.smsgate_id = 'busy'`)
      )[0]
    await expect.poll(state).toEqual(['pending', '503'])
    receiver.answer(204)
    await add({
      id: 'busy',
      url: `${receiver.url}/busy`,
      event: 'sms:delivered',
      deviceId: PHONES[0],
    })
    expect(await state()).toEqual(['failed', 'The webhook is for another event or format now'])
  })
})
