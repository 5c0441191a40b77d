import {
  codeOn,
  makeKey,
  pairPhone,
  startTwilioFixture,
} from '../../support/twilio/twilio-fixture.ts'

const fixture = await startTwilioFixture()
const ann = await fixture.makeUser()
const ben = await fixture.makeUser()
const phone = await pairPhone(fixture, ann, '+4915550000001')

const ask = (method: string, path: string, form?: Record<string, string>, who = ann) =>
  who.raw(method, `/v2/Services${path}`, form && { body: new URLSearchParams(form) })
const made = (await ask('POST', '', { FriendlyName: 'Shop', CodeLength: '7' })).body
const at = `/${made.sid}`

let last = 15_112_340_000
const start = async (form: Record<string, string> = {}) =>
  ask('POST', `${at}/Verifications`, { To: `+49${last++}`, Channel: 'sms', ...form })
const check = (form: Record<string, string>) => ask('POST', `${at}/VerificationCheck`, form)
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

test("a service and a verification have all of Twilio's keys", async () => {
  const dates = {
    date_created: expect.stringMatching(ISO),
    date_updated: expect.stringMatching(ISO),
  }
  expect(made).toMatchObject({
    sid: expect.stringMatching(/^VA[0-9a-f]{30}00$/),
    account_sid: ann.sid,
    friendly_name: 'Shop',
    code_length: 7,
    ...dates,
    url: expect.stringMatching(new RegExp(`/v2/Services/${made.sid}$`)),
  })
  expect((await ask('GET', at)).body).toEqual(made)
  const { status, body } = await start()
  expect(status).toBe(201)
  expect(body).toEqual({
    sid: expect.stringMatching(/^VE[0-9a-f]{30}00$/),
    service_sid: made.sid,
    account_sid: ann.sid,
    to: body.to,
    channel: 'sms',
    status: 'pending',
    valid: false,
    lookup: {},
    amount: null,
    payee: null,
    sna: null,
    ...dates,
    send_code_attempts: [
      { attempt_sid: `VL${body.sid.slice(2)}`, channel: 'sms', time: body.date_created },
    ],
    url: `${made.url}/Verifications/${body.sid}`,
  })
  for (const named of [
    body.sid,
    encodeURIComponent(body.to),
    encodeURIComponent(body.to.replace('+49', '+490')),
  ])
    expect((await ask('GET', `${at}/Verifications/${named}`)).body).toEqual(body)
  const code = await codeOn(phone)
  expect(code).toMatch(/^\d{7}$/)
  const { lookup: _, send_code_attempts: __, sna: ___, url: ____, ...common } = body
  expect((await check({ VerificationSid: body.sid, Code: code })).body).toEqual({
    ...common,
    status: 'approved',
    valid: true,
    date_updated: expect.any(String),
    sna_attempts_error_codes: [],
  })
})

test('a code is approved as a person types it, and an empty one is no try', async () => {
  const { sid } = (await start()).body
  const code = await codeOn(phone)
  for (const Code of ['', ' ', '-'])
    expect((await check({ VerificationSid: sid, Code })).body.code).toBe(60200)
  const typed = `${code.slice(0, 3)}\u2011${code.slice(3)}.`
  expect((await check({ VerificationSid: sid, Code: typed })).body.status).toBe('approved')
})

test('services can be listed in pages, renamed and deleted', async () => {
  const other = (await ask('POST', '', { FriendlyName: 'Other', LookupEnabled: 'false' })).body
  const { services, meta } = (await ask('GET', '?PageSize=1')).body
  expect(services).toEqual([other])
  expect(meta).toMatchObject({ page: 0, page_size: 1, key: 'services', previous_page_url: null })
  const { pathname, search } = new URL(meta.next_page_url)
  expect((await ann.raw('GET', pathname + search)).body.services).toEqual([made])
  const renamed = (await ask('POST', `/${other.sid}`, { FriendlyName: 'Bar', CodeLength: '4' }))
    .body
  expect(renamed).toMatchObject({ sid: other.sid, friendly_name: 'Bar', code_length: 4 })
  expect((await ask('DELETE', `/${other.sid}`)).status).toBe(204)
  expect((await ask('GET', `/${other.sid}`)).body.code).toBe(20404)
})

describe('an API key', () => {
  const RECORDS = '/api/collections/verify_services/records'
  const change = (sid: string, login: string) =>
    ann.raw('POST', `/v2/Services/${sid}`, {
      login,
      body: new URLSearchParams({ FriendlyName: sid }),
    })
  const remove = (sid: string, login: string) => ann.raw('DELETE', `/v2/Services/${sid}`, { login })
  const loginOf = async (values: object = {}) => {
    const { account_sid, auth_token } = await makeKey(ann.user, values)
    return `${account_sid}:${auth_token}`
  }

  test.each([
    ['changes and deletes services that it made', {}, 'own', 200],
    ['does not change or delete the service of another key', {}, 'of another key', 403],
    ['does not change or delete the service of the owner', {}, 'of the owner', 403],
    [
      'with all scopes changes and deletes the service of the owner',
      { scopes: ['all:any'] },
      'of the owner',
      200,
    ],
  ])('%s', async (_, values, whose, status) => {
    const login = await loginOf(values)
    const body = new URLSearchParams({ FriendlyName: `${whose} ${status}` })
    const made = { own: login, 'of another key': `${ann.sid}:${ann.token}` }[whose]
    const name = `${whose} ${status}`
    const { sid, id } = made
      ? (await ann.raw('POST', '/v2/Services', { login: made, body })).body
      : (await ann.user.call('POST', RECORDS, { user: ann.user.id, name })).body
    const service = sid ?? `VA${Buffer.from(id).toString('hex')}00`
    const changed = await change(service, login)
    expect([changed.status, changed.body.code]).toEqual([
      status,
      status === 200 ? undefined : 20003,
    ])
    expect((await remove(service, login)).status).toBe(status === 200 ? 204 : status)
    const left = await ann.raw('GET', `/v2/Services/${service}`)
    expect(left.status).toBe(status === 200 ? 404 : 200)
  })

  test('an API key that creates services can send no more codes and reach no other countries', async () => {
    const To = '+4915112345999'
    const outcomes: (number | undefined)[] = []
    for (let i = 0; i < 8; i++) {
      const { sid } = (await ask('POST', '', { FriendlyName: `many ${i}` })).body
      await fixture.gateway.query(`delete from auth_tries where key like '% pause'`)
      outcomes.push((await ask('POST', `/${sid}/Verifications`, { To, Channel: 'sms' })).body.code)
      const satellite = await ask('POST', `/${sid}/Verifications`, {
        To: '+88216123456',
        Channel: 'sms',
      })
      expect(satellite.body.code).toBe(60410)
    }
    expect(outcomes).toEqual([...Array(5).fill(undefined), 60203, 60203, 60203])
  })

  test('an API key cannot check, cancel or approve a code to a number outside its destinations', async () => {
    const { sid } = (await start()).body
    const login = await loginOf({ destinations: '+43' })
    const one = `/Verifications/${sid}`
    for (const [path, form] of [
      ['/VerificationCheck', { VerificationSid: sid, Code: '1234567' }],
      [one, { Status: 'canceled' }],
      [one, { Status: 'approved' }],
    ] as const) {
      const body = new URLSearchParams(form)
      const refused = await ann.raw('POST', `/v2/Services${at}${path}`, { login, body })
      expect(refused).toMatchObject({ status: 403, body: { code: 60410 } })
    }
    expect((await ask('GET', at + one)).body.status).toBe('pending')
  })

  test('an API key whose service is older is not chosen for codes that name no service', async () => {
    await pairPhone(fixture, ben, '+4915550000002')
    await ask('POST', '', { FriendlyName: 'first' }, ben)
    const { id } = (await ben.user.call('POST', RECORDS, { user: ben.user.id, name: 'own' })).body
    expect((await ben.user.call('POST', '/api/verify', { to: '+491511234' })).body.service).toBe(id)
  })

  test('an API key is not stored as api_key of a service record that a user creates', async () => {
    const values = { user: ann.user.id, name: 'forged', api_key: ann.keyId }
    expect((await ann.user.call('POST', RECORDS, values)).body.api_key).toBe('')
  })
})

describe('a request is refused for', () => {
  const missing = `/VE${'6'.repeat(30)}00`
  test.each<[string, string, string, Record<string, string> | undefined, number, number]>([
    ['a service without a name', 'POST', '', {}, 400, 60200],
    ['a name that exists', 'POST', '', { FriendlyName: 'Shop' }, 400, 60200],
    ['a short code', 'POST', at, { CodeLength: '3' }, 400, 60200],
    ['an unsupported option', 'POST', at, { LookupEnabled: 'true' }, 400, 60200],
    ['an unknown parameter', 'POST', at, { Totp: 'x' }, 400, 20001],
    ['no number', 'POST', `${at}/Verifications`, { Channel: 'sms' }, 400, 60200],
    ['a wrong number', 'POST', `${at}/Verifications`, { To: '0151', Channel: 'sms' }, 400, 60200],
    [
      'a call',
      'POST',
      `${at}/Verifications`,
      { To: '+4915112345678', Channel: 'call' },
      400,
      60200,
    ],
    [
      'a satellite',
      'POST',
      `${at}/Verifications`,
      { To: '+881612345678', Channel: 'sms' },
      403,
      60410,
    ],
    [
      'an unknown service',
      'POST',
      `${missing}/Verifications`,
      { To: '+4915100', Channel: 'sms' },
      404,
      20404,
    ],
    ['an unknown verification', 'GET', `${at}/Verifications${missing}`, undefined, 404, 20404],
    [
      'a number without a verification',
      'GET',
      `${at}/Verifications/%2B4915119999999`,
      undefined,
      404,
      20404,
    ],
    [
      'an invalid status',
      'POST',
      `${at}/Verifications${missing}`,
      { Status: 'pending' },
      400,
      60200,
    ],
    ['no code', 'POST', `${at}/VerificationCheck`, { To: '+4915112345678' }, 400, 60200],
    [
      'a check without a recipient',
      'POST',
      `${at}/VerificationCheck`,
      { Code: '1234' },
      400,
      60200,
    ],
    [
      'a check without a verification',
      'POST',
      `${at}/VerificationCheck`,
      { To: '+4915119', Code: '1234' },
      404,
      20404,
    ],
    ['to delete verifications', 'DELETE', `${at}/Verifications`, undefined, 405, 20004],
  ])('%s by status $4 and error $5', async (_, method, path, form, status, code) => {
    expect(await ask(method, path, form)).toMatchObject({ status, body: { code, status } })
  })

  test('a request is refused for services and verifications of other users', async () => {
    const { sid } = (await start()).body
    for (const path of [at, `${at}/Verifications/${sid}`])
      expect((await ask('GET', path, undefined, ben)).body.code).toBe(20404)
    const wrong = { VerificationSid: sid, Code: '1' }
    expect((await ask('POST', `${at}/VerificationCheck`, wrong, ben)).status).toBe(404)
    const other = (await ask('POST', '', { FriendlyName: 'Others' })).body
    expect((await ask('GET', `/${other.sid}/Verifications/${sid}`)).status).toBe(404)
    expect((await ask('POST', `/${other.sid}/VerificationCheck`, wrong)).status).toBe(404)
  })

  test('a request is refused for too many verifications to one number or from one network', async () => {
    const To = '+4915112300000'
    expect((await start({ To })).status).toBe(201)
    expect(await start({ To })).toMatchObject({ status: 429, body: { code: 60212 } })
    const codes = []
    for (let i = 0; i < 21; i++) codes.push((await start({ DeviceIp: '192.0.2.7' })).body.code)
    expect(codes).toEqual([...Array(20).fill(undefined), 60203])
  })
})
