import { type Client, startServerWithDevices } from '../../support/server/server-with-devices.ts'

const server = await startServerWithDevices()
const user = await server.makeUser()
const device = await server.pair(user, { phone: '+4930123' })

const send = async (body = 'Hello', by = user): Promise<string> => {
  const { body: answer } = await by.call('POST', '/api/sms/send', {
    recipients: ['+4915112345678'],
    body,
  })
  return answer.message_ids[0]
}
const messageOf = async (id: string, by = user) =>
  (await by.call('GET', `/api/collections/sms_messages/records/${id}`)).body

/** The steps of a message, oldest first. */
const stepsOf = async (id: string): Promise<{ status: string; detail: string }[]> => {
  const path = `/api/collections/sms_events/records?filter=message="${id}"&sort=created`
  return (await user.call('GET', path)).body.items
}
const eventsOf = async (id: string) => (await stepsOf(id)).map(({ status }) => status)

const CALLS = [
  ['POST', '/api/devices/heartbeat', {}],
  ['GET', '/api/devices/push-key', undefined],
  ['PUT', '/api/devices/push', null],
  ['POST', '/api/devices/claim', {}],
  ['POST', '/api/devices/report', { items: [] }],
  ['POST', '/api/devices/incoming', { items: [] }],
  ['POST', '/api/devices/typed', { items: [] }],
  ['GET', '/api/devices/events', undefined],
] as const

test.each(CALLS)('%s %s is for devices only', async (method, path, body) => {
  const unauthorized = { error: 'unauthorized', message: 'Authentication required' }
  expect(await server.guest.call(method, path, body)).toEqual({ status: 401, body: unauthorized })
  expect(await user.call(method, path, body)).toMatchObject({
    status: 403,
    body: { error: 'forbidden' },
  })
  expect((await server.superuser.call(method, path, body)).status).toBe(403)
})

const subscriptionAt = (address: string) => ({
  endpoint: address,
  keys: { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) },
})

test.each([
  ['http://push.example.com/', 'endpoint must be an https address'],
  ['https://127.0.0.1/push', 'endpoint must not be a private address'],
  ['https://0x7f.1/push', 'endpoint must not be a private address'],
  ['https://169.254.169.254/latest', 'endpoint must not be a private address'],
])('the push endpoint %s is refused: %s', async (address, message) => {
  const push = subscriptionAt(address)
  const { code } = (await user.call('POST', '/api/devices/pairing', { name: 'Phone' })).body
  const answers = [
    await device.call('PUT', '/api/devices/push', push),
    await user.call('PUT', '/api/account/push', push),
    await server.guest.call('POST', '/api/devices/pair', { code, platform: 'simulator', push }),
  ]
  expect(answers.map(({ status, body }) => [status, body.message])).toEqual(
    Array(3).fill([400, message]),
  )
})

const item = (more: object) => ({ items: [{ id: 'x', attempt: 1, status: 'sent', ...more }] })
const text = (more: object) => ({
  items: [{ from: '+4930000', body: 'x', received_at: '2026-11-20T07:00:00Z', ...more }],
})

const DATE = 'must be a date, for example 2026-11-20T07:00:00.000Z'
test.each([
  ['claim', 'no json', 'The body must be a JSON object'],
  ['claim', '{"wait":1,"wait":0}', 'The body must not have a name twice in an object'],
  ['claim', { limit: 101 }, 'limit must be a whole number from 1 to 100'],
  ['claim', { wait: 31 }, 'wait must be from 0 to 30'],
  ['report', { items: [] }, 'items must not be empty'],
  ['report', item({ status: 'assigned' }), 'items[0].status must be sent, delivered or failed'],
  ['report', item({ not_sent: true }), 'items[0].not_sent can only be said with the status failed'],
  ['report', item({ at: '+275760-09-13T00:00:00.000Z' }), `items[0].at ${DATE}`],
  ['incoming', text({ from: '' }), 'items[0].from must not be empty'],
  ['incoming', text({ received_at: '-000001-01-01T00:00:00Z' }), `items[0].received_at ${DATE}`],
  ['heartbeat', { battery: 101 }, 'battery must be from 0 to 100'],
])('the body of %s %j is refused: %s', async (call, body, message) => {
  const answer = await device.call('POST', `/api/devices/${call}`, body)
  expect(answer).toEqual({ status: 400, body: { error: 'invalid_request', message } })
})

test('a message is accepted, claimed, sent and delivered', async () => {
  const id = await send('One')
  expect((await device.call('POST', '/api/devices/heartbeat', { battery: 80 })).body).toEqual({
    pending: 1,
  })
  const { items } = (await device.call('POST', '/api/devices/claim', { limit: 10 })).body
  const told = {
    id,
    attempt: 1,
    to: '+4915112345678',
    body: 'One',
    sim: 0,
    priority: 0,
    expires_at: '',
  }
  expect(items).toEqual([{ ...told, lease_until: expect.stringMatching(/Z$/) }])
  for (const status of ['sent', 'delivered']) {
    const { body } = await device.call('POST', '/api/devices/report', {
      items: [{ id, attempt: 1, status }],
    })
    expect(body).toEqual({ items: [{ id, attempt: 1, result: 'applied', status }] })
  }
  const message = await messageOf(id)
  expect(message).toMatchObject({ status: 'delivered', error_message: '' })
  expect(message.sent_at <= message.delivered_at).toBe(true)
  expect(await eventsOf(id)).toEqual(['sending', 'sent', 'delivered'])
})

test('a delivery by RCS is a detail of its step, and no error of the message', async () => {
  const id = await send('Two')
  await device.call('POST', '/api/devices/claim', {})
  const rcs = { id, attempt: 1, channel: 'rcs' }
  const items = [
    { ...rcs, status: 'sent' },
    { ...rcs, status: 'delivered' },
  ]
  await device.call('POST', '/api/devices/report', { items })
  expect(await messageOf(id)).toMatchObject({ status: 'delivered', error_message: '' })
  expect((await stepsOf(id)).map(({ detail }) => detail)).toEqual(['', '', 'By RCS'])
})

test('a disabled device cannot claim messages but may still report', async () => {
  const owner = await server.makeUser()
  const phone = await server.pair(owner)
  const id = await send('x', owner)
  await phone.call('POST', '/api/devices/claim', {})
  await owner.call('PATCH', `/api/collections/devices/records/${phone.id}`, { enabled: false })
  const refused = { status: 403, body: { error: 'device_disabled' } }
  expect(await phone.call('POST', '/api/devices/claim', {})).toMatchObject(refused)
  const { body } = await phone.call('POST', '/api/devices/report', {
    items: [{ id, attempt: 1, status: 'sent' }],
  })
  expect(body.items).toMatchObject([{ result: 'applied' }])
})

test("a heartbeat stores the device's SIMs and updates last_seen", async () => {
  const { db } = server.server.services.store
  await db.query(`update devices set last_seen = '2020-01-01 00:00:00.000Z' where id = $1`, [
    device.id,
  ])
  await device.call('POST', '/api/devices/heartbeat', { sims: [{ slot: 1 }] })
  const record = (await user.call('GET', `/api/collections/devices/records/${device.id}`)).body
  expect(record.sims).toEqual([{ slot: 1 }])
  expect(record.last_seen > '2026').toBe(true)
})

describe('last_seen of a device', () => {
  const LATER = '2099-01-01 00:00:00.000Z'
  const path = () => `/api/collections/devices/records/${device.id}`
  const seen = async (): Promise<string> => (await user.call('GET', path())).body.last_seen

  test.each([
    ['its owner', () => user],
    ['a superuser', () => server.superuser],
  ])('last_seen of a device cannot be set by %s', async (_, who) => {
    const before = await seen()
    const changed = await who().call('PATCH', path(), { last_seen: LATER, name: 'renamed' })
    expect(changed).toMatchObject({ status: 200, body: { last_seen: before, name: 'renamed' } })
    expect(await seen()).toBe(before)
  })

  test("only a superuser can change a device's platform", async () => {
    const change = async (who: Client, platform: string) =>
      (await who.call('PATCH', path(), { platform })).body.platform
    const before = (await user.call('GET', path())).body.platform
    expect(await change(user, 'modem')).toBe(before)
    expect(await change(server.superuser, 'modem')).toBe('modem')
    expect(await change(server.superuser, before)).toBe(before)
  })

  test('last_seen of a device cannot be set when a superuser creates the device', async () => {
    const password = 'secret-enough'
    const body = { user: user.id, name: 'x', last_seen: LATER, password, passwordConfirm: password }
    const made = await server.superuser.call('POST', '/api/collections/devices/records', body)
    expect(made).toMatchObject({ status: 200, body: { last_seen: '' } })
  })

  test.each([
    ['years', LATER],
    ['a few seconds', `pb_text(now() + interval '5 seconds')`],
  ])(
    'last_seen of a device that lies %s in the future is corrected by the next heartbeat',
    async (_, at) => {
      const { db } = server.server.services.store
      const value = at === LATER ? `'${at}'` : at
      await db.query(`update devices set last_seen = ${value} where id = $1`, [device.id])
      await device.call('POST', '/api/devices/heartbeat', {})
      expect(Date.parse(await seen())).toBeLessThanOrEqual(Date.now() + 1)
    },
  )
})

test('an incoming text is stored as a message, and the same report again is not', async () => {
  const received_at = '2026-11-20T07:00:00.123+01:00'
  const items = [{ from: '+4915112345678', body: 'Hé\u0000llo €', sim: 2, received_at }]
  const first = (await device.call('POST', '/api/devices/incoming', { items })).body
  expect((await device.call('POST', '/api/devices/incoming', { items })).body).toEqual(first)
  expect(await messageOf(first.ids[0])).toMatchObject({
    status: 'received',
    message_type: 'incoming',
    from: '+4915112345678',
    to: '+4930123',
    body: 'Héllo €',
    device: device.id,
    user: user.id,
    segments: 1,
    sim: 2,
    delivered_at: '2026-11-20 06:00:00.123Z',
  })
  expect(await eventsOf(first.ids[0])).toEqual(['received'])
})
