import { createHmac } from 'node:crypto'
import { joinPhone, records, startSmsgateFixture } from '../../support/smsgate/smsgate-fixture.ts'

const fixture = await startSmsgateFixture()
const user = await fixture.gateway.makeUser()
const phone = await joinPhone(fixture, user)
const url = (await phone.call('GET', '/webhooks')).body[0].url
const key = (await phone.call('GET', '/settings')).body.webhooks.signing_key

const nowSeconds = () => String(Math.floor(Date.now() / 1000))

function post(
  event: string,
  payload: object | undefined,
  { secret = key, timestamp = nowSeconds(), to = url } = {},
) {
  const body = JSON.stringify({
    id: String(Math.random()),
    webhookId: 'x',
    event,
    deviceId: 'x',
    payload,
  })
  const signature = createHmac('sha256', secret)
    .update(body + timestamp)
    .digest('hex')
  return phone.fetch(to, {
    method: 'POST',
    headers: { 'x-timestamp': timestamp, 'x-signature': signature },
    body,
  })
}

const text = (more: object = {}) => ({
  messageId: 'abc',
  sender: '+491701234567',
  recipient: '+491709999999',
  simNumber: 1,
  phoneNumber: '+491701234567',
  message: 'Hi',
  receivedAt: '2026-11-20T07:17:37.731+01:00',
  ...more,
})
const received = () => records(user, 'message_type = "incoming"')

describe('an incoming text posted by a phone', () => {
  test('an incoming text posted by a phone is stored once with its details', async () => {
    for (let i = 0; i < 3; i++)
      expect((await post('sms:received', text({ messageId: `m${i}` }))).status).toBe(204)
    expect(await received()).toMatchObject([
      {
        from: '+491701234567',
        to: '+491709999999',
        body: 'Hi',
        sim: 1,
        status: 'received',
        delivered_at: '2026-11-20 06:17:37.731Z',
        device: phone.store.registration!.id,
      },
    ])
  })

  test.each([
    ['another time', { receivedAt: '2026-11-20T07:17:37.732+01:00' }],
    ['another sender', { sender: 'Bank' }],
    ['another text', { message: 'Hi there' }],
  ])('an incoming text posted by a phone is stored as another text with %s', async (_, more) => {
    const before = (await received()).length
    await post('sms:received', text(more))
    expect(await received()).toHaveLength(before + 1)
  })

  test.each([
    ['no sender', '', 'unknown'],
    ['an address as sender', `${'x'.repeat(60)}@example.com`, `${'x'.repeat(60)}@example.com`],
    ['a sender without an end', 'y'.repeat(300), 'y'.repeat(255)],
  ])(
    'an incoming text posted by a phone is stored with %s as from $2',
    async (what, sender, from) => {
      const posted = text({ sender, phoneNumber: sender, message: what, recipient: 'z'.repeat(99) })
      for (let i = 0; i < 2; i++) expect((await post('sms:received', posted)).status).toBe(204)
      expect(await records(user, `body = "${what}"`)).toMatchObject([{ from, to: '' }])
    },
  )

  test.each([
    [
      'sms:data-received',
      { message: undefined, data: 'AAEC' },
      'data:application/octet-stream;base64,AAEC',
    ],
    [
      'mms:downloaded',
      {
        subject: 'Photo',
        body: 'Look',
        attachments: [
          { partId: 1, contentType: 'image/jpeg', name: 'a.jpg', size: 9, data: 'AAAA' },
        ],
        sender: '+4930000',
      },
      'Photo\nLook',
    ],
  ])(
    'an incoming text posted by a phone is stored from the event %s as $2',
    async (event, more, body) => {
      expect((await post(event, text(more))).status).toBe(204)
      expect((await received()).at(-1).body).toBe(body)
    },
  )

  test('an incoming text posted by a phone is accepted even if a part is too long or missing', async () => {
    const attachments = [
      { contentType: 'c'.repeat(120), name: 'n'.repeat(300), size: 'big' },
      { contentType: 'image/png', size: 7 },
    ]
    const posted = text({
      sender: 'long',
      simNumber: 99,
      subject: '😀'.repeat(30_000),
      attachments,
    })
    expect((await post('mms:downloaded', posted)).status).toBe(204)
    expect((await records(user, 'from = "long"'))[0].body).toHaveLength(39_015)
    const odd = text({ sender: 'odd', body: 'b', attachments })
    expect((await post('mms:downloaded', odd)).status).toBe(204)
    expect((await records(user, 'from = "odd"'))[0].body.split('\n').slice(1)).toEqual([
      `Attachment left out: ${'n'.repeat(255)} ${'c'.repeat(100)}`,
      'Attachment left out: image/png 7 bytes',
    ])
    const none = text({
      sender: 'none',
      message: undefined,
      receivedAt: '58871-01-01T00:00:00.000Z',
    })
    expect((await post('sms:received', none)).status).toBe(204)
    const [stored] = await records(user, 'from = "none"')
    expect(stored.body).toBe('')
    expect(stored.delivered_at <= stored.created).toBe(true)
  })

  test.each([
    ['+-5:00', '2026-07-14 17:00:00.500Z'],
    ['+05:30', '2026-07-14 06:30:00.500Z'],
  ])(
    'an incoming text posted by a phone is dated in the zone %s, as Android before 7 writes it: $1',
    async (zone, at) => {
      const { db } = fixture.gateway.server.services.store
      const posted = text({ sender: zone, receivedAt: `2026-07-14T12:00:00.500${zone}` })
      expect((await post('sms:received', posted)).status).toBe(204)
      const { rows } = await db.query('select delivered_at from sms_messages where "from" = $1', [
        zone,
      ])
      expect(rows).toEqual([[at]])
    },
  )

  test('an incoming text posted by a phone is dated an hour earlier in summer time, as Android before 7 dates it an hour ahead', async () => {
    const cameMs = Date.now() - 90_000
    const receivedAt = new Date(cameMs + 3_600_000).toISOString()
    for (let i = 0; i < 2; i++)
      expect((await post('sms:received', text({ sender: 'summer', receivedAt }))).status).toBe(204)
    const stored = await records(user, 'from = "summer"')
    expect(stored.map(({ delivered_at }) => Date.parse(delivered_at))).toEqual([cameMs])
  })

  test.each([
    ['mms:received', text({ transactionId: 't', size: 1 })],
    ['system:ping', { health: {} }],
  ])(
    'an incoming text posted by a phone is not created by the event %s',
    async (event, payload) => {
      const before = (await received()).length
      expect((await post(event, payload)).status).toBe(204)
      expect(await received()).toHaveLength(before)
    },
  )

  test("app:started stores the phone's SIMs with their slots, and no SIM without a slot", async () => {
    const simCards = [
      { slotIndex: -1, simNumber: 0, carrierName: 'eSIM' },
      { slotIndex: 0, simNumber: 1, carrierName: 'O2' },
    ]
    await post('app:started', { simCards })
    const { body } = await user.call(
      'GET',
      `/api/collections/devices/records/${phone.store.registration!.id}`,
    )
    expect(body.sims).toEqual([{ slot: 1, carrier: 'O2' }])
  })

  const check = (observedValue: unknown) => ({ status: 'pass', observedValue, description: '' })
  test.each([
    [[55, 0, 1, 4, 0], { battery: 55, charging: false, connection: 'wifi' }],
    [[14, 5, 1, 2, 4], { battery: 14, charging: true, connection: '4g' }],
    [[100, 2, 1, 2, 1], { battery: 100, charging: true, connection: 'mobile' }],
    [[80, 0, 0, 0, 0], { battery: 80, charging: false, connection: 'none' }],
    [[101, 'yes', {}, 1, null], { battery: 80, charging: false, connection: 'none' }], // nothing to be read
  ])('system:ping with %j stores %j', async (values, told) => {
    const names = ['battery:level', 'battery:charging', 'connection:status', 'connection:transport']
    const checks = [...names, 'connection:cellular'].map((name, i) => [name, check(values[i])])
    const health = { status: 'pass', version: '1.40', checks: Object.fromEntries(checks) }
    expect((await post('system:ping', { health })).status).toBe(204)
    expect((await user.call('GET', '/api/devices/states')).body.items).toMatchObject([told])
  })

  test('system:ping updates last_seen', async () => {
    const { db } = fixture.gateway.server.services.store
    const { id } = phone.store.registration!
    await db.query(`update devices set last_seen = '2020-01-01 00:00:00.000Z' where id = $1`, [id])
    const began = Date.now()
    await post('system:ping', {})
    const { body } = await user.call('GET', `/api/collections/devices/records/${id}`)
    expect(Date.parse(body.last_seen)).toBeGreaterThan(began - 1_000)
  })

  test.each([
    ['a wrong key', 'sms:received', text(), { secret: 'another' }, 401],
    ['no instant', 'sms:received', text(), { timestamp: 'soon' }, 401],
    ['an unknown path', 'sms:received', text(), { to: 'PATH' }, 404],
    ['no payload', 'sms:received', undefined, {}, 400],
  ])('a post with %s is refused with $4', async (_, event, payload, options, status) => {
    const to = 'to' in options ? `${url.slice(0, -1)}_` : url
    const answer = await post(event, payload, { ...options, to })
    expect(answer).toEqual({ status, body: { message: expect.any(String) } })
  })
})

test('settings and webhooks are constant for a phone', async () => {
  const settings = (await phone.call('GET', '/settings')).body
  expect(settings).toEqual({
    gateway: { notification_channel: 'SSE_ONLY' },
    messages: { processing_order: 'FIFO' },
    ping: { interval_seconds: 120 },
    webhooks: {
      internet_required: true,
      retry_count: 15,
      signing_key: expect.stringMatching(/^\w{43}$/),
    },
  })
  const webhooks = (await phone.call('GET', '/webhooks')).body
  expect(webhooks.map(({ event }: { event: string }) => event)).toEqual([
    'sms:received',
    'sms:data-received',
    'mms:received',
    'mms:downloaded',
    'system:ping',
    'app:started',
  ])
  expect((await phone.call('GET', '/settings')).body).toEqual(settings)
  expect((await phone.call('GET', '/webhooks')).body).toEqual(webhooks)
})

test('posts of a phone whose device now belongs to another user are refused', async () => {
  const [owner, next] = [await fixture.gateway.makeUser(), await fixture.gateway.makeUser()]
  const given = await joinPhone(fixture, owner)
  const to = (await given.call('GET', '/webhooks')).body[0].url
  const secret = (await given.call('GET', '/settings')).body.webhooks.signing_key
  const say = (message: string) => post('sms:received', text({ message }), { to, secret })
  expect((await say('before')).status).toBe(204)
  const { db } = fixture.gateway.server.services.store
  await db.query('update devices set "user" = $2 where id = $1', [
    given.store.registration!.id,
    next.id,
  ])
  expect((await say('after')).status).toBeGreaterThanOrEqual(400)
  for (const [who, bodies] of [
    [owner, ['before']],
    [next, []],
  ] as const)
    expect((await records(who, 'message_type = "incoming"')).map(({ body }) => body)).toEqual(
      bodies,
    )
})
