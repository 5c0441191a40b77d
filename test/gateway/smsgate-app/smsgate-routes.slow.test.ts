import type { Client } from '../../support/server/server-with-devices.ts'
import {
  codeOf,
  joinPhone,
  makePhone,
  records,
  type SmsgateFixture,
  send,
  startSmsgateFixture,
} from '../../support/smsgate/smsgate-fixture.ts'

const fixture = await startSmsgateFixture()
const user = await fixture.gateway.makeUser()
const phone = await joinPhone(fixture, user)

const PASSWORD = 'secret-enough'
const emailOf = async (one: Client): Promise<string> =>
  (await one.call('GET', `/api/collections/users/records/${one.id}`)).body.email
const basic = (login: string, password: string) =>
  `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`
const deviceOf = async (owner: Client, id: string) =>
  (await owner.call('GET', `/api/collections/devices/records/${id}`)).body

describe('a phone registers', () => {
  test('a phone registers once by a pairing code', async () => {
    const code = await codeOf(user)
    const first = makePhone(fixture)
    const simCards = [{ slotIndex: 1, simNumber: 2, phoneNumber: '****1234' }]
    const body = { name: 'Google/oriole', pushToken: null, simCards }
    const typed = `${code.slice(0, 3)} ${code.slice(3)}`
    const answer = await first.call('POST', '/device', body, `Code ${typed}`)
    expect(answer).toEqual({
      status: 201,
      body: { id: expect.any(String), token: expect.any(String), login: await emailOf(user) },
    })
    const record = await deviceOf(user, answer.body.id)
    expect(record).toMatchObject({ name: 'Google/oriole', platform: 'android', enabled: true })
    expect(record.sims).toEqual([{ slot: 2, number: '****1234' }])
    expect(await makePhone(fixture).register(`Code ${code}`)).toBe(401)
  })

  test('a phone registers under the name given with the code', async () => {
    const { code } = (await user.call('POST', '/api/devices/pairing', { name: 'Desk phone' })).body
    const one = makePhone(fixture)
    await one.register(`Code ${code}`)
    expect((await deviceOf(user, one.store.registration!.id)).name).toBe('Desk phone')
  })

  test('a phone registers by login and password', async () => {
    const one = makePhone(fixture)
    expect(await one.register(basic(await emailOf(user), PASSWORD))).toBe(201)
    expect(await one.register(basic(await emailOf(user), 'another-password'))).toBe(401)
  })

  test.each([
    ['nothing', ''],
    ['a private token', 'Bearer 123456789'],
    ['an invalid code', 'Code 12345'],
    ['a wrong code', 'Code 000000'],
    ['a broken Basic', 'Basic !!!'],
  ])('a phone registers but not by %s', async (_, authorization) => {
    const { status, body } = await makePhone(fixture).call(
      'POST',
      '/device',
      { name: 'x' },
      authorization,
    )
    expect(status).toBe(401)
    expect(Object.keys(body)).toEqual(['message'])
  })

  test('a phone registers but not by an API key', async () => {
    const { key } = (
      await user.call('POST', '/api/collections/api_keys/records', { user: user.id, name: 'k' })
    ).body
    expect(key).toMatch(/^psk_/)
    expect(await makePhone(fixture).register(`Bearer ${key}`)).toBe(401)
  })

  test('no more after eight wrong codes from its address', async () => {
    const other = await startSmsgateFixture()
    const stranger = makePhone(other)
    const statuses: number[] = []
    for (let i = 0; i < 9; i++) statuses.push(await stranger.register(`Code 00000${i}`))
    await other.stop()
    expect(statuses).toEqual([...Array(8).fill(401), 429])
  })
})

describe('phones that present a stale private token', () => {
  const CODES = Array.from({ length: 12 }, (_, i) => String(100_000 + i))
  const showToken = (at: SmsgateFixture, token: string) => makePhone(at).register(`Bearer ${token}`)
  let quiet: SmsgateFixture
  beforeEach(async () => {
    quiet = await startSmsgateFixture()
  })
  afterEach(() => quiet.stop())

  test('phones that present a stale private token repeatedly do not lock out other phones at their address', async () => {
    const owner = await quiet.gateway.makeUser()
    for (const token of ['123456', '654321'])
      for (let i = 0; i < 10; i++) expect(await showToken(quiet, token)).toBe(401)
    expect(await makePhone(quiet).register(`Code ${await codeOf(owner)}`)).toBe(201)
    expect(await showToken(quiet, await codeOf(owner))).toBe(201)
  })

  test('phones that present a stale private token cannot guess a code: after eight different tokens no more are tried, typed codes still are', async () => {
    const owner = await quiet.gateway.makeUser()
    const statuses: number[] = []
    for (const token of CODES) statuses.push(await showToken(quiet, token))
    expect(statuses).toEqual([...Array(8).fill(401), ...Array(4).fill(429)])
    // what was refused unseen is no known wrong one, and a right one is no exception
    expect(await showToken(quiet, CODES[8]!)).toBe(429)
    expect(await showToken(quiet, await codeOf(owner))).toBe(429)
    expect(await showToken(quiet, CODES[0]!)).toBe(401)
    expect(await makePhone(quiet).register(`Code ${await codeOf(owner)}`)).toBe(201)
  })

  test('phones that present a stale private token cannot guess a code by concurrent requests either', async () => {
    const statuses = await Promise.all(CODES.map((token) => showToken(quiet, token)))
    expect(statuses.filter((status) => status === 401)).toHaveLength(8)
  })

  test('phones that present a stale private token are not locked out by wrongly typed codes', async () => {
    const owner = await quiet.gateway.makeUser()
    for (let i = 0; i < 9; i++) await makePhone(quiet).register(`Code 00000${i}`)
    expect(await showToken(quiet, await codeOf(owner))).toBe(201)
  })
})

test('a removed phone gets 401, does not return by itself, and registers again with a code as its token', async () => {
  const one = await joinPhone(fixture, user)
  const { id } = one.store.registration!
  const path = (await one.call('GET', '/webhooks')).body[0].url
  await user.call('DELETE', `/api/collections/devices/records/${id}`)
  expect((await one.call('GET', '/message')).status).toBe(401)
  expect(await one.updateDevice()).toBe(401)
  expect((await one.fetch(path, { method: 'POST', body: '{}' })).status).toBe(404)
  one.privateToken = await codeOf(user)
  expect(await one.updateDevice()).toBe(201)
  expect(one.store.registration!.id).not.toBe(id)
  expect((await one.call('GET', '/message')).status).toBe(200)
})

describe('the device route', () => {
  test('the device route returns the device and its address, without a token only the address', async () => {
    const { body } = await phone.call('GET', '/device')
    expect(body).toEqual({
      externalIp: '127.0.0.1',
      device: {
        id: phone.store.registration!.id,
        name: 'Google/oriole',
        createdAt: expect.stringMatching(/T.*\.\d{3}Z$/),
        updatedAt: expect.stringMatching(/T.*\.\d{3}Z$/),
        lastSeen: expect.stringMatching(/T.*\.\d{3}Z$/),
        simCards: [{ slotIndex: 0, simNumber: 1, phoneNumber: '****1234', carrierName: '****' }],
      },
    })
    expect((await phone.call('GET', '/device', undefined, '')).body).toEqual({
      externalIp: '127.0.0.1',
    })
    expect((await phone.call('GET', '/device', undefined, 'Bearer x')).status).toBe(200)
  })

  test("the device route changes the phone's own SIMs and no other device", async () => {
    const { id } = phone.store.registration!
    const simCards = [
      { slotIndex: 1, simNumber: 2, phoneNumber: null, carrierName: 'O2', iccid: null },
    ]
    expect((await phone.call('PATCH', '/device', { id, pushToken: 'fcm', simCards })).status).toBe(
      204,
    )
    expect((await deviceOf(user, id)).sims).toEqual([{ slot: 2, carrier: 'O2' }])
    // an eSIM in Android's slot -1, a long name, more SIMs than we keep: a refusal would leave the phone deaf
    const long = { simNumber: 1, carrierName: 'c'.repeat(150) }
    const odd = [{ slotIndex: -1, simNumber: 0 }, ...Array(9).fill(long)]
    expect((await phone.call('PATCH', '/device', { id, simCards: odd })).status).toBe(204)
    expect((await deviceOf(user, id)).sims).toEqual(
      Array(8).fill({ slot: 1, carrier: 'c'.repeat(100) }),
    )
    expect((await phone.call('PATCH', '/device', { id: 'another', simCards })).status).toBe(403)
  })
})

test('a user gets a code for the next phone by login and password', async () => {
  const right = basic(await emailOf(user), PASSWORD)
  const { status, body } = await phone.call('GET', '/user/code', undefined, right)
  expect(status).toBe(200)
  expect(body).toEqual({
    code: expect.stringMatching(/^\d{6}$/),
    validUntil: expect.stringMatching(/T.*\.\d{3}Z$/),
  })
  expect(await makePhone(fixture).register(`Code ${body.code}`)).toBe(201)
  expect(
    (await phone.call('GET', '/user/code', undefined, basic('nobody@example.com', PASSWORD)))
      .status,
  ).toBe(401)
  expect((await phone.call('GET', '/user/code')).status).toBe(401)
})

describe('pulled messages', () => {
  test("pulled messages have the app's form and are the same in each pull", async () => {
    const one = await joinPhone(fixture, user)
    const device_id = one.store.registration!.id
    const [id] = await send(user, 1, { device_id, body: 'Grüße', sim: 1, priority: 100 })
    const { body } = await one.call('GET', '/message?order=fifo')
    expect(body).toEqual([
      {
        id: `${id}.1`,
        message: 'Grüße',
        textMessage: { text: 'Grüße' },
        phoneNumbers: ['+491510000000'],
        simNumber: 1,
        withDeliveryReport: true,
        isEncrypted: false,
        validUntil: expect.stringMatching(/T.*\.\d{3}Z$/),
        // below what the app calls expedited
        priority: 99,
        scheduleAt: '2000-01-01T00:00:00.000Z',
        state: 'Pending',
        createdAt: expect.stringMatching(/T.*\.\d{3}Z$/),
      },
    ])
    const again = (await one.call('GET', '/messages')).body
    expect(again).toEqual([{ ...body[0], createdAt: expect.any(String) }])
  })

  test('pulled messages are valid until they expire, if that is before the lease ends', async () => {
    const one = await joinPhone(fixture, user)
    await send(user, 1, { device_id: one.store.registration!.id, ttl: 60 })
    const [message] = (await one.call('GET', '/message')).body
    const [stored] = await records(user, `id = "${message.id.split('.')[0]}"`)
    expect(message.validUntil).toBe(stored.expires_at.replace(' ', 'T'))
  })

  test.each([
    ['per_minute', { per_minute: 3 }, 3],
    ['daily_limit', { daily_limit: 2 }, 2],
    ['a disabled phone', { enabled: false }, 0],
    ['what a phone can send at once', {}, 20],
  ])('pulled messages are limited to $2 by %s', async (_, limits, count) => {
    const one = await joinPhone(fixture, user)
    const device_id = one.store.registration!.id
    await send(user, 25, { device_id })
    await user.call('PATCH', `/api/collections/devices/records/${device_id}`, limits)
    expect((await one.call('GET', '/message')).body).toHaveLength(count)
    expect((await one.call('GET', '/message')).body).toHaveLength(count)
  })

  const STATES = [
    ['Pending', null, 'sending', ''],
    ['Processed', null, 'sending', ''],
    ['Sent', null, 'sent', ''],
    ['Delivered', null, 'delivered', ''],
    [
      'Failed',
      'Send result: RESULT_ERROR_NO_SERVICE',
      'failed',
      'Send result: RESULT_ERROR_NO_SERVICE',
    ],
    ['Failed', null, 'failed', 'The device could not send the message'],
    ['Failed', 'TTL expired', 'assigned', ''],
    ['Cancelled', null, 'failed', 'Canceled on the phone'],
  ] as const
  test.each(STATES)(
    'pulled messages reported as %s (%s) become %s',
    async (state, error, status, reason) => {
      const owner = await fixture.gateway.makeUser()
      const one = await joinPhone(fixture, owner)
      const [id] = await send(owner, 1)
      await one.call('GET', '/message')
      const states = {
        [state]: '2001-01-01T00:00:00.000+01:00',
        Sent: '2099-01-01T00:00:00.000Z',
        odd: 'x',
      }
      const recipients = [{ phoneNumber: '+491510000000', state, error }]
      const report = { id: `${id}.1`, state, recipients, states }
      for (let i = 0; i < 2; i++)
        expect((await one.call('PATCH', '/message', [report])).status).toBe(204)
      expect((await records(owner, ''))[0]).toMatchObject({ status, error_message: reason })
      const pulled = (await one.call('GET', '/message')).body.map(
        (message: { id: string }) => message.id,
      )
      expect(pulled).toEqual(
        status === 'assigned' ? [`${id}.2`] : status === 'sending' ? [`${id}.1`] : [],
      )
    },
  )

  test.each([
    ['an unknown id', 'abc'],
    ['an unknown message', '000000000000000.1'],
    ['an older attempt', 'OLD'],
  ])('a report on %s changes nothing and is accepted', async (_, wire) => {
    const owner = await fixture.gateway.makeUser()
    const one = await joinPhone(fixture, owner)
    const [id] = await send(owner, 1)
    await one.call('GET', '/message')
    const report = {
      id: wire === 'OLD' ? `${id}.0` : wire,
      state: 'Failed',
      recipients: [],
      states: {},
    }
    expect((await one.call('PATCH', '/message', [report])).status).toBe(204)
    expect((await records(owner, ''))[0].status).toBe('sending')
  })

  test("a report by another user's phone has no effect", async () => {
    const one = await joinPhone(fixture, user)
    const [id] = await send(user, 1, { device_id: one.store.registration!.id })
    await one.call('GET', '/message')
    const stranger = await joinPhone(fixture, await fixture.gateway.makeUser())
    const report = { id: `${id}.1`, state: 'Failed', recipients: [], states: {} }
    expect((await stranger.call('PATCH', '/message', [report])).status).toBe(204)
    expect((await records(user, `id = "${id}"`))[0].status).toBe('sending')
  })
})

test.each([
  ['GET', '/message'],
  ['PATCH', '/message'],
  ['PATCH', '/device'],
  ['GET', '/webhooks'],
  ['GET', '/settings'],
  ['GET', '/events'],
])('%s %s is for phones only', async (method, path) => {
  const body = method === 'PATCH' ? {} : undefined
  expect((await phone.call(method, path, body, '')).status).toBe(401)
  expect((await phone.call(method, path, body, `Bearer ${user.token}`)).status).toBe(403)
})

test.each([
  ['GET', '/nothing', undefined, 404],
  ['PATCH', '/message', 'no list', 400],
  ['PATCH', '/message', [{ id: 1, state: 'Sent' }], 400],
  ['PATCH', '/device', {}, 400],
])("%s %s %j is refused with %i in SMSGate's form", async (method, path, body, status) => {
  const answer = await phone.call(method, path, body)
  expect(answer).toEqual({ status, body: { message: expect.any(String) } })
})
