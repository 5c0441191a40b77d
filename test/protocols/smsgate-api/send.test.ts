import { ANN, BENS_PHONE, PHONES } from '../../support/server/server-with-users.ts'
import { startSmsgateApiFixture } from '../../support/smsgate/smsgate-api-fixture.ts'

const fixture = await startSmsgateApiFixture()
const { ask, server, ben } = fixture

const TEXT = { textMessage: { text: 'Hello' }, phoneNumbers: ['+4911111'] }
const send = (more: object = {}, query = '', headers?: Record<string, string>) =>
  ask('POST', `/messages${query}`, { ...TEXT, ...more }, headers)
const count = async () => Number((await server.rows('select count(*) from sms_messages'))[0]![0])
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
const DATE = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

test('a send is answered with 202, its state and location', async () => {
  const { status, headers, body } = await send()
  expect(status).toBe(202)
  expect(body).toEqual({
    id: expect.stringMatching(/^[a-z0-9]{15}$/),
    deviceId: expect.toBeOneOf([...PHONES]),
    state: 'Pending',
    isHashed: false,
    isEncrypted: false,
    recipients: [{ phoneNumber: '+4911111', state: 'Pending' }],
    states: { Pending: DATE },
    createdAt: DATE,
    textMessage: { text: 'Hello' },
  })
  expect(headers.get('location')).toBe(`/api/3rdparty/v1/messages/${body.id}`)
  expect(await server.message(body.id)).toMatchObject({
    to: '+4911111',
    body: 'Hello',
    user: ANN.id,
  })
})

test.each([
  ['/api/3rdparty/v1', '/message'],
  ['/api/3rdparty/v1', '/messages/'],
  ['/3rdparty/v1', '/messages'],
  ['/3rdparty/v1', '/message/'],
])('a send by the path %s%s works the same', async (prefix, path) => {
  const { status, headers, body } = await ask('POST', path, TEXT, fixture.ann, prefix)
  expect(status).toBe(202)
  expect(headers.get('location')).toBe(`${prefix}/messages/${body.id}`)
  const again = await ask(
    'GET',
    `${path.replace(/\/$/, '')}/${body.id}`,
    undefined,
    fixture.ann,
    prefix,
  )
  expect(again).toMatchObject({ status: 200, body: { id: body.id } })
})

describe('a send accepts', () => {
  const stored = async (more: object, query = '') => {
    const { status, body } = await send(more, query)
    expect([status, body.message]).toEqual([202, undefined])
    return server.message(body.id)
  }

  test('a send accepts fields that are null or unknown', async () => {
    const message = await stored(
      { id: null, ttl: null, simNumber: null, deviceId: null, dataMessage: null, future: 1 },
      '?x=1',
    )
    expect(message).toMatchObject({ sim: 0, expires_at: '', client_ref: '' })
  })
  test('the old form of the text', async () => {
    expect(await stored({ textMessage: undefined, message: 'Old' })).toMatchObject({ body: 'Old' })
  })
  test.each([
    ['+49 (111) 12.3-4', '+491111234'],
    ['004911112', '+4911112'],
  ])('a phone number written as %s to %s', async (number, to) => {
    expect(await stored({ phoneNumbers: [number] })).toMatchObject({ to })
  })
  test('a priority, a SIM and a device', async () => {
    const message = await stored({ priority: 100, simNumber: 2, deviceId: PHONES[1] })
    expect(message).toMatchObject({ priority: 100, sim: 2, device: PHONES[1] })
  })
  test('a ttl that counts from acceptance, even if scheduled', async () => {
    const message = await stored({ ttl: 7200, scheduleAt: inHours(1) })
    const end = Date.parse(String(message.expires_at).replace(' ', 'T'))
    expect(Math.abs(end - Date.now() - 7_200_000)).toBeLessThan(60_000)
    expect(message).toMatchObject({ status: 'pending' })
  })
  test.each(['', '.1', '.123456', '.123456789'])(
    'a send accepts dates with the fraction "%s" and an offset',
    async (fraction) => {
      const message = await stored({ validUntil: `2099-01-02T03:04:05${fraction}+02:00` })
      expect(message).toMatchObject({ expires_at: expect.stringMatching(/^2099-01-02 01:04:05\./) })
    },
  )
  test('the query options of SMSGate', async () => {
    const query = '?skipPhoneValidation=true&deviceActiveWithin=12'
    const first = await stored({ withDeliveryReport: true, isEncrypted: false }, query)
    const second = await stored(
      { deviceId: PHONES[0] },
      '?deviceActiveWithin=1&skipPhoneValidation=0',
    )
    expect([first.to, second.device]).toEqual(['+4911111', PHONES[0]])
  })
})

describe('a send is refused, with no message stored, for', () => {
  const MANY = Array.from({ length: 101 }, (_, i) => `+49111${100 + i}`)
  test.each<[what: string, body: unknown, query: string, message: RegExp]>([
    ['no JSON', '{', '', /JSON/],
    ['no numbers', { phoneNumbers: undefined }, '', /^phoneNumbers is required/],
    ['101 numbers', { phoneNumbers: MANY }, '', /^phoneNumbers must/],
    [
      'a number of 129 characters',
      { phoneNumbers: [`+${'1'.repeat(128)}`] },
      '',
      /^phoneNumbers\[0\]/,
    ],
    ['a number twice', { phoneNumbers: ['+4911111', '+49 11111'] }, '', /^phoneNumbers\[1\]/],
    [
      'a number without its country',
      { phoneNumbers: ['+4911111', '89990001234'] },
      '',
      /^phoneNumbers\[1\]/,
    ],
    ['no content', { textMessage: undefined }, '', /^textMessage/],
    ['two contents', { message: 'x' }, '', /^message/],
    ['an empty text', { textMessage: { text: '' } }, '', /^textMessage\.text/],
    ['a text that is too long', { textMessage: { text: 'x'.repeat(1601) } }, '', /1600/],
    [
      'data',
      { textMessage: undefined, dataMessage: { data: 'AAAA', port: 1 } },
      '',
      /^dataMessage/,
    ],
    ['an unknown device', { deviceId: 'nobodysdevice00' }, '', /^deviceId/],
    ["another user's device", { deviceId: BENS_PHONE }, '', /^deviceId/],
    ['SIM 0', { simNumber: 0 }, '', /^simNumber/],
    ['two ends', { ttl: 60, validUntil: inHours(1) }, '', /validUntil/],
    ['an end that is past', { validUntil: inHours(-1) }, '', /^validUntil/],
    ["PocketBase's form of a date", { validUntil: '2099-01-01 00:00:00.000Z' }, '', /^validUntil/],
    ['the 30th of February', { validUntil: '2099-02-30T00:00:00Z' }, '', /^validUntil/],
    ['a time that is past', { scheduleAt: inHours(-1) }, '', /^scheduleAt/],
    ['no delivery report', { withDeliveryReport: false }, '', /^withDeliveryReport/],
    ['an invalid flag', {}, '?skipPhoneValidation=perhaps', /^skipPhoneValidation/],
    ['invalid hours', {}, '?deviceActiveWithin=1.5', /^deviceActiveWithin/],
  ])('%s: $3', async (_, body, query, message) => {
    const before = await count()
    const sent = typeof body === 'string' ? body : { ...TEXT, ...(body as object) }
    const answer = await ask('POST', `/messages${query}`, sent)
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringMatching(message) } })
    expect(Object.keys(answer.body)).toEqual(['message'])
    expect(await count()).toBe(before)
  })

  test('a body that is too large (413)', async () => {
    const answer = await ask('POST', '/messages', `{"x":"${'x'.repeat(16 << 20)}"}`)
    expect(answer).toMatchObject({ status: 413, body: { message: expect.any(String) } })
  })

  test('a SIM that the device does not have', async () => {
    await server.rows(`update devices set sims = '[{"slot": 1}]' where id = $1`, [BENS_PHONE])
    const by = (simNumber: number) => send({ deviceId: BENS_PHONE, simNumber }, '', ben)
    expect(await by(2)).toMatchObject({ status: 400, body: { message: /^simNumber/ } })
    expect((await by(1)).status).toBe(202)
  })

  test('a sender without devices, also if it is scheduled', async () => {
    const later = { scheduleAt: inHours(1) }
    for (const more of [{}, later])
      expect(await send(more, '', fixture.cleo)).toMatchObject({
        status: 400,
        body: { message: /device/ },
      })
  })
})

describe('ids of sends', () => {
  test('ids of sends can be used once (409), but stay free after a refusal', async () => {
    expect((await send({ id: 'order/1', ttl: 1 })).status).toBe(400)
    const first = await send({ id: 'order/1' })
    expect([first.status, first.body.id]).toEqual([202, 'order/1'])
    expect(first.headers.get('location')).toBe('/api/3rdparty/v1/messages/order%2F1')
    expect(await send({ id: 'order/1', phoneNumbers: ['+4911112'] })).toMatchObject({ status: 409 })
    const found = await ask('GET', '/messages/order%2F1')
    expect(found.body).toEqual(first.body)
    expect(await send({ id: 'order/1' }, '', ben)).toMatchObject({ status: 202 })
  })

  test('ids of sends are free again after their messages were deleted', async () => {
    const { body } = await send({ id: 'gone', phoneNumbers: ['+4911111', '+4911112'] })
    const headers = await server.signedIn('users', ANN.id)
    const found = await server.rows(
      'select id from sms_messages where batch_id = (select ref from sms_origins where id = $1)',
      ['gone'],
    )
    for (const [id] of found)
      await server.ask('DELETE', `/api/collections/sms_messages/records/${id}`, undefined, headers)
    expect((await ask('GET', `/messages/${body.id}`)).status).toBe(404)
    expect((await send({ id: 'gone' })).status).toBe(202)
  })

  test('a repeated Idempotency-Key returns the first send', async () => {
    const headers = { ...fixture.ann, 'idempotency-key': 'once' }
    const first = await send({ id: 'with a key' }, '', headers)
    const again = await send({ id: 'with a key' }, '', headers)
    expect([again.status, again.body.id, again.headers.get('idempotent-replayed')]).toEqual([
      202,
      'with a key',
      'true',
    ])
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    expect((await send({}, '', headers)).status).toBe(422)
  })

  test('an Idempotency-Key works after its date is past and its device gone', async () => {
    const headers = { ...fixture.ben, 'idempotency-key': 'in time' }
    const scheduleAt = new Date(Date.now() + 1_500).toISOString()
    const body = { id: 'in time', scheduleAt, deviceId: BENS_PHONE }
    expect((await send(body, '?deviceActiveWithin=1', headers)).status).toBe(202)
    await server.rows(`update devices set last_seen = '2020-01-01 00:00:00.000Z' where id = $1`, [
      BENS_PHONE,
    ])
    await expect
      .poll(() => new Date().toISOString(), { timeout: 5_000 })
      .toSatisfy((at) => at > scheduleAt)
    const again = await send(body, '?deviceActiveWithin=1', headers)
    expect([again.status, again.body.id]).toEqual([202, 'in time'])
    await server.rows('update devices set last_seen = pb_text(now()) where id = $1', [BENS_PHONE])
  })
})

// Programs repeat what was answered 5xx.
test('a stored send is answered with its device even if it cannot be read back', async () => {
  await server.rows('alter table sms_events rename column message to message_')
  const { status, body } = await send({ id: 'unreadable', phoneNumbers: ['+49 11111', '+4911112'] })
  await server.rows('alter table sms_events rename column message_ to message')
  expect([status, body.id, body.textMessage]).toEqual([202, 'unreadable', { text: 'Hello' }])
  const recipients = ['+4911111', '+4911112'].map((phoneNumber) => ({
    phoneNumber,
    state: 'Pending',
  }))
  expect(body).toMatchObject({
    state: 'Pending',
    deviceId: expect.stringMatching(/^phone\d/),
    recipients,
    states: { Pending: DATE },
  })
  expect((await ask('GET', '/messages/unreadable')).body.recipients).toEqual(recipients)
})

describe('a send', () => {
  test('a send to an opted-out number is accepted and fails', async () => {
    const { status, body } = await send({ phoneNumbers: ['+4900004'] })
    expect(status).toBe(202)
    expect(body).toMatchObject({
      state: 'Failed',
      recipients: [{ state: 'Failed', error: 'Recipient has opted out' }],
      states: { Failed: DATE },
    })
  })

  test('a send above the quota is answered with 402 and leaves its id free', async () => {
    await server.rows('update users set monthly_quota = 1 where id = $1', ['ben000000000000'])
    const id = 'over the quota'
    expect((await send({ id, phoneNumbers: ['+4911111', '+4911112'] }, '', ben)).status).toBe(402)
    await server.rows('update users set monthly_quota = 0 where id = $1', ['ben000000000000'])
    expect((await send({ id }, '', ben)).status).toBe(202)
  })

  test('a send without an online device is answered with 503, but waits if it names a device or time', async () => {
    await server.rows(`update devices set last_seen = '2020-01-01 00:00:00.000Z' where id = $1`, [
      BENS_PHONE,
    ])
    expect(await send({}, '', ben)).toMatchObject({ status: 503, body: { message: /device/ } })
    const named = await send({ deviceId: BENS_PHONE }, '', ben)
    expect([named.status, named.body.state, named.body.deviceId]).toEqual([
      202,
      'Pending',
      BENS_PHONE,
    ])
    expect((await send({ deviceId: BENS_PHONE }, '?deviceActiveWithin=24', ben)).status).toBe(400)
    const timed = await send({ scheduleAt: inHours(1) }, '', ben)
    expect([timed.status, timed.body.deviceId]).toEqual([202, ''])
  })
})
