import { limitPairing } from '../../../src/gateway/lines/limit-pairing.ts'
import type { Ctx } from '../../../src/http/request-context.ts'
import { RetryLater } from '../../../src/platform/api-errors.ts'
import { client, startServerWithDevices } from '../../support/server/server-with-devices.ts'

const server = await startServerWithDevices({ PUBLIC_URL: 'https://sms.example.org/' })
const user = await server.makeUser()

beforeEach(async () => {
  await server.server.services.store.db.query('delete from auth_tries')
})

const db = () => server.server.services.store.db
const newCode = async (by = user) =>
  (await by.call('POST', '/api/devices/pairing', { name: 'Kitchen' })).body.code
const pair = (body: object) =>
  server.guest.call('POST', '/api/devices/pair', { platform: 'android', ...body })

describe('a pairing', () => {
  test('a pairing has a code, an address and a QR code, valid for 5 minutes', async () => {
    const { status, body } = await user.call('POST', '/api/devices/pairing', {})
    expect(status).toBe(200)
    expect(body).toEqual({
      code: expect.stringMatching(/^\d{6}$/),
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$/),
      url: `https://sms.example.org/api/devices/pair#${body.code}`,
      qr: expect.stringMatching(/^data:image\/svg\+xml;base64,/),
    })
    const left = Date.parse(body.expires_at) - Date.now()
    expect(left).toBeGreaterThan(280_000)
    expect(left).toBeLessThan(310_000)
  })

  test('a pairing can be created by users only', async () => {
    const device = await server.pair(user)
    expect((await server.guest.call('POST', '/api/devices/pairing', {})).status).toBe(401)
    expect((await device.call('POST', '/api/devices/pairing', {})).status).toBe(403)
    expect((await server.superuser.call('POST', '/api/devices/pairing', {})).status).toBe(403)
  })

  test('a pairing stores no code in plain text', async () => {
    const code = await newCode()
    const { rows } = await db().query('select d::text from device_pairings d')
    expect(rows.join()).not.toContain(code)
  })
})

describe('pairing a device', () => {
  test('pairing a device creates its record and a token valid for a year', async () => {
    const sims = [{ slot: 1, carrier: 'O2' }]
    const values = { name: 'Hall', phone: '+4915112345678', sims }
    const { status, body } = await pair({ code: await newCode(), ...values })
    expect(status).toBe(200)
    const more = { user: user.id, platform: 'android', enabled: true, collectionName: 'devices' }
    expect(body.record).toMatchObject({ ...values, ...more })
    expect(body.record.last_seen).not.toBe('')
    expect(Object.keys(body.record)).not.toContain('push')
    const { exp } = JSON.parse(Buffer.from(body.token.split('.')[1], 'base64url').toString())
    expect(exp - Date.now() / 1000).toBeGreaterThan(364 * 86_400)
    const device = client(server.url, body.record.id, body.token)
    expect((await device.call('POST', '/api/devices/claim', {})).body).toEqual({ items: [] })
    const refreshed = await device.call('POST', '/api/collections/devices/auth-refresh', {})
    expect(refreshed.status).toBe(200)
  })

  test.each([' ', '-', '\u00a0'])(
    'pairing a device works if the code is typed with %j in its middle',
    async (sign) => {
      const code = await newCode()
      expect((await pair({ code: `${code.slice(0, 3)}${sign}${code.slice(3)}` })).status).toBe(200)
    },
  )

  test('pairing a device uses the name that was given with the code', async () => {
    expect((await pair({ code: await newCode() })).body.record.name).toBe('Kitchen')
  })

  test('pairing a device succeeds once when five devices try the same code at once', async () => {
    const code = await newCode()
    const answers = await Promise.all(Array.from({ length: 5 }, () => pair({ code })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400])
    const { rows } = await db().query(
      'select count(*) from devices where name = $1 and "user" = $2',
      ['Kitchen', user.id],
    )
    expect(Number(rows[0]![0])).toBeGreaterThan(0)
  })

  test('a pairing code fails after 5 minutes', async () => {
    const code = await newCode()
    await db().query(`update device_pairings set expires_at = now() - interval '1 second'`)
    expect(await pair({ code })).toMatchObject({ status: 400, body: { error: 'wrong_code' } })
  })

  test.each([
    ['no code', { code: undefined }, 'code is required'],
    ['an invalid code', { code: '12' }, 'code must have 6 digits'],
    ['a number that is none', { phone: '12' }, 'phone must be a phone number'],
    [
      'an unknown platform',
      { platform: 'toaster' },
      'platform must be android, modem, simulator, carrier or other',
    ],
  ])(
    'pairing a device with %s is refused and leaves the code usable: $2',
    async (_, body, message) => {
      const code = await newCode()
      const refused = { error: 'invalid_request', message }
      expect(await pair({ code, ...body })).toEqual({ status: 400, body: refused })
      expect((await pair({ code })).status).toBe(200)
    },
  )

  test('pairing a device allows 8 wrong codes per address; right codes do not count', async () => {
    for (let i = 0; i < 4; i++) expect((await pair({ code: await newCode() })).status).toBe(200)
    const wrong = await Promise.all(Array.from({ length: 12 }, () => pair({ code: '000000' })))
    expect(wrong.filter(({ status }) => status === 400)).toHaveLength(8)
    expect(wrong.filter(({ status }) => status === 429)).toHaveLength(4)
    const right = await pair({ code: await newCode() })
    expect(right).toMatchObject({ status: 429, body: { error: 'too_many_tries' } })
  })

  test('pairing a device answers 503, not 429, when the server has no free place', async () => {
    const incoming = { ip: '198.51.100.7' }
    const c = { env: { incoming }, header: () => {} } as unknown as Ctx
    const busy = () => Promise.reject(new RetryLater(503, 5))
    const tried = limitPairing(c, server.server.services, busy)
    await expect(tried).rejects.toMatchObject({ name: 'ApiError', status: 503 })
  })

  test('pairing a device allows a user at most 50 waiting codes', async () => {
    const busy = await server.makeUser()
    const answers = await Promise.all(
      Array.from({ length: 55 }, () => busy.call('POST', '/api/devices/pairing', {})),
    )
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(1)
    expect((await busy.call('POST', '/api/devices/pairing', {})).status).toBe(429)
  })
})

test('the pairing address shows the command of the agent, and leads a browser to the console', async () => {
  const { status, body } = await server.guest.call('GET', '/api/devices/pair')
  expect(status).toBe(200)
  expect(body).toContain('/agent.tgz start')
  const inBrowser = { headers: { accept: 'text/html,*/*;q=0.8' }, redirect: 'manual' } as const
  const page = await fetch(`${server.url}/api/devices/pair`, inBrowser)
  expect([page.status, page.headers.get('location')]).toEqual([303, '../../_/'])
})

test('the token of a paired device stops working when the device is deleted', async () => {
  const device = await server.pair(user)
  expect((await user.call('DELETE', `/api/collections/devices/records/${device.id}`)).status).toBe(
    204,
  )
  expect((await device.call('POST', '/api/devices/claim', {})).status).toBe(401)
})
