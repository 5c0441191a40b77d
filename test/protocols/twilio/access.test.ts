import { makeKey, pairPhone, startTwilioFixture } from '../../support/twilio/twilio-fixture.ts'

const NUMBER = '+4915550000001'

const fixture = await startTwilioFixture()
const ann = await fixture.makeUser()
const ben = await fixture.makeUser()
const phone = await pairPhone(fixture, ann, NUMBER, 'Desk')

const ERROR = (code: number, status: number) => ({
  code,
  message: expect.stringMatching(/./),
  more_info: `https://www.twilio.com/docs/errors/${code}`,
  status,
})

describe('Twilio credentials', () => {
  test('Twilio credentials are shown once, when the key is created', async () => {
    const { id, key, account_sid, auth_token, key_sid } = await makeKey(ann.user)
    expect(key).toMatch(/^psk_[A-Za-z0-9]{64}$/)
    expect(auth_token).toBe(key.replace('_', ''))
    expect(account_sid).toBe(`AC${Buffer.from(ann.user.id).toString('hex')}00`)
    expect(key_sid).toBe(`SK${Buffer.from(id).toString('hex')}00`)
    const record = (await ann.user.call('GET', `/api/collections/api_keys/records/${id}`)).body
    expect(record).toMatchObject({ twilio: true })
    expect(Object.keys(record)).not.toContain('signing')
    expect(JSON.stringify(record)).not.toContain(auth_token)
  })

  test('Twilio credentials can be requested only when the key is created', async () => {
    const { superuser } = fixture.gateway
    const plain = await makeKey(ann.user, { twilio: false })
    expect(plain).not.toHaveProperty('auth_token')
    const path = (id: string) => `/api/collections/api_keys/records/${id}`
    expect((await superuser.call('PATCH', path(plain.id), { twilio: true })).status).toBe(400)
    expect((await superuser.call('PATCH', path(ann.keyId), { twilio: false })).status).toBe(400)
    const changed = await superuser.call('PATCH', path(ann.keyId), {
      name: 'renamed',
      signing: 'x',
    })
    expect(changed.status).toBe(200)
    const stored = await fixture.gateway.query(
      'select length(signing) from api_keys where id = $1',
      [ann.keyId],
    )
    expect(stored).toEqual([[40]])
  })

  test.each([
    [[], 200],
    [['all:any'], 200],
    [['messages:read'], 400],
    [['all:any', 'messages:read'], 400],
  ])('a key with the scopes %j and twilio is answered with %i', async (scopes, status) => {
    const path = '/api/collections/api_keys/records'
    const values = { user: ann.user.id, name: 'app', twilio: true, scopes }
    const made = await ann.user.call('POST', path, values)
    expect(made.status).toBe(status)
    const changed = await fixture.gateway.superuser.call('PATCH', `${path}/${ann.keyId}`, {
      scopes,
    })
    expect(changed.status).toBe(status)
    if (status === 400)
      for (const { body } of [made, changed])
        expect(body.data.scopes.code).toBe('validation_twilio_scopes')
  })

  const ACCOUNTS = '/2010-04-01/Accounts.json'
  const opens = async (login: string) => (await ann.raw('GET', ACCOUNTS, { login })).status

  test('requests are accepted with the account SID or the key SID', async () => {
    for (const name of [ann.sid, ann.keySid]) expect(await opens(`${name}:${ann.token}`)).toBe(200)
  })

  const madeKey = async (values: object) => (await makeKey(ann.user, values)).key.replace('_', '')
  const expired = { expires_at: '2020-01-01 00:00:00.000Z' }
  const logins: readonly (readonly [string, () => string | Promise<string>])[] = [
    ['none', () => ''],
    [
      'a wrong token',
      () => `${ann.sid}:${ann.token.slice(0, -1)}${ann.token.endsWith('x') ? 'y' : 'x'}`,
    ],
    ["another user's token", () => `${ann.sid}:${ben.token}`],
    ["another key's SID", () => `${ben.keySid}:${ann.token}`],
    ['an unknown name', () => `ann:${ann.token}`],
    ['the key with its underscore', () => `${ann.sid}:${ann.token.replace('psk', 'psk_')}`],
    ['a key without twilio', async () => `${ann.sid}:${await madeKey({ twilio: false })}`],
    ['an expired key', async () => `${ann.sid}:${await madeKey(expired)}`],
  ]
  test.each(logins)('credentials with %s get 401', async (_, login) => {
    for (const path of [ACCOUNTS, `/2010-04-01/Accounts/${ann.sid}/Calls.json`, '/v1/Services']) {
      const answer = await ann.raw('GET', path, { login: await login() })
      expect(answer.body).toEqual(ERROR(20003, 401))
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm=/)
    }
  })

  test.each([
    ['a session', () => ({ authorization: ann.user.token })],
    ['a device', () => ({ authorization: phone.token })],
    ['X-API-Key', () => ({ 'x-api-key': ann.token.replace('psk', 'psk_') })],
  ])('%s gets 401', async (_, headers) => {
    const answer = await ann.raw('GET', '/2010-04-01/Accounts.json', {
      login: '',
      headers: headers(),
    })
    expect(answer.status).toBe(401)
  })

  test('a deleted key stops working at once', async () => {
    const { id, auth_token } = await makeKey(ann.user)
    expect(await opens(`${ann.sid}:${auth_token}`)).toBe(200)
    await ann.user.call('DELETE', `/api/collections/api_keys/records/${id}`)
    expect(await opens(`${ann.sid}:${auth_token}`)).toBe(401)
  })
})

test("the account's SIDs and numbers can be read later", async () => {
  const { url } = fixture.gateway
  const shown = async (headers: Record<string, string>) =>
    (await fetch(`${url}/api/sms/twilio`, { headers })).json() as Promise<Record<string, unknown>>
  const numbers = [{ phone_number: NUMBER, sid: `PN${Buffer.from(phone.id).toString('hex')}00` }]
  const all = { account_sid: ann.sid, messaging_service_sid: `MG${ann.sid.slice(2)}`, numbers }
  const signedIn = await shown({ authorization: ann.user.token })
  expect(signedIn).toMatchObject(all)
  expect(signedIn).not.toHaveProperty('key_sid')
  const keyed = await shown({ 'x-api-key': ann.token.replace('psk', 'psk_') })
  expect(keyed).toMatchObject({
    ...all,
    key_sid: ann.keySid,
    base_url: expect.stringMatching(/^http/),
  })
})

describe('an unknown resource', () => {
  test.each([
    ['GET', 'Calls.json'],
    ['GET', 'Messages/../Messages.json/x'],
    ['GET', `Messages/SM${'61'.repeat(15)}00.json`],
    ['GET', `Messages/SM${'61'.repeat(15)}00/Media.json`],
    ['GET', `Messages/SM${'61'.repeat(15)}00/Media/ME1.json`],
    ['GET', `IncomingPhoneNumbers/PN${'61'.repeat(15)}00.json`],
  ])('an unknown resource is answered with 404 for %s %s', async (method, path) => {
    const answer = await ann.ask(method, path)
    expect([answer.status, answer.body]).toEqual([404, ERROR(20404, 404)])
  })

  test.each(['/2010-04-01', '/2010-04-01/x', '/v1/Services', '/v3/x//y'])(
    'an unknown resource is answered with 404 for %s',
    async (path) => expect((await ann.raw('GET', path)).body).toEqual(ERROR(20404, 404)),
  )

  test.each([
    ['PUT', 'Messages.json'],
    ['DELETE', 'Messages.json'],
    ['POST', 'IncomingPhoneNumbers.json'],
  ])('an unknown resource is answered with 405 for %s %s', async (method, path) => {
    expect((await ann.ask(method, path)).body).toEqual(ERROR(20004, 405))
  })
})

describe("another user's account", () => {
  test.each([
    ['GET', 'Messages.json'],
    ['POST', 'Messages.json'],
    ['GET', 'IncomingPhoneNumbers.json'],
  ])("another user's account is answered with 404 for %s %s", async (method, path) => {
    const answer = await ann.raw(method, `/2010-04-01/Accounts/${ben.sid}/${path}`)
    expect(answer.body).toEqual(ERROR(20404, 404))
    expect((await ann.raw('GET', `/2010-04-01/Accounts/${ben.sid}.json`)).status).toBe(404)
  })

  test("another user's account has messages, media and numbers that are answered with 404, and no line that others can name", async () => {
    const { sid } = (await ann.send()).body
    const [number] = (await ann.ask('GET', 'IncomingPhoneNumbers.json')).body.incoming_phone_numbers
    const probes: [string, string, Record<string, string>?][] = [
      ['GET', `Messages/${sid}.json`],
      ['POST', `Messages/${sid}.json`, { Status: 'canceled' }],
      ['POST', `Messages/${sid}.json`, { Body: '' }],
      ['DELETE', `Messages/${sid}.json`],
      ['GET', `Messages/${sid}/Media.json`],
      ['GET', `IncomingPhoneNumbers/${number.sid}.json`],
      [
        'POST',
        `IncomingPhoneNumbers/${number.sid}.json`,
        { SmsUrl: 'http://[::1]/', FriendlyName: 'Mine' },
      ],
    ]
    for (const [method, path, form] of probes)
      expect((await ben.ask(method, path, form)).body, `${method} ${path}`).toEqual(
        ERROR(20404, 404),
      )
    expect((await ben.send({ From: NUMBER })).body.code).toBe(21606)
    expect((await ben.send({ MessagingServiceSid: `MG${ann.sid.slice(2)}` })).body.code).toBe(21701)
    expect((await ben.ask('GET', 'Messages.json')).body.messages).toEqual([])
    for (const page of [
      `Messages.json?PageToken=PA${sid}`,
      `IncomingPhoneNumbers.json?PageToken=PA${number.sid}`,
    ])
      expect((await ben.ask('GET', page)).body.code).toBe(21481)
    const own = await ann.ask('GET', `Messages/${sid}.json`)
    expect(own.body).toMatchObject({ status: 'queued', body: 'Hi' })
    expect((await ann.ask('GET', `IncomingPhoneNumbers/${number.sid}.json`)).body).toEqual(number)
  })
})

test("the account resource has Twilio's form", async () => {
  const { body } = await ann.raw('GET', `/2010-04-01/Accounts/${ann.sid}.json`)
  const sids = { sid: ann.sid, owner_account_sid: ann.sid }
  expect(body).toMatchObject({ ...sids, status: 'active', type: 'Full', auth_token: null })
  const list = (await ann.raw('GET', '/2010-04-01/Accounts.json?PageSize=20')).body
  const uri = expect.stringMatching(/^\/2010-04-01\/Accounts\.json\?/)
  expect(list).toMatchObject({ accounts: [body], page_size: 20, next_page_uri: null, uri })
})

describe('phone numbers', () => {
  const numbers = async (query = '') =>
    (await ann.ask('GET', `IncomingPhoneNumbers.json${query}`)).body.incoming_phone_numbers

  test('phone numbers are the devices that have a number', async () => {
    await fixture.gateway.pair(ann.user)
    const capabilities = { fax: false, mms: false, sms: true, voice: false }
    const names = { phone_number: NUMBER, friendly_name: 'Desk', origin: 'hosted', trunk_sid: null }
    const urls = { sms_url: '', sms_method: 'POST', voice_url: '' }
    expect(await numbers()).toMatchObject([{ ...names, ...urls, capabilities }])
    for (const [query, count] of [
      [`PhoneNumber=${encodeURIComponent(NUMBER)}`, 1],
      ['PhoneNumber=%2B1', 0],
      ['FriendlyName=Desk', 1],
      ['FriendlyName=desk', 0],
    ])
      expect(await numbers(`?${query}`)).toHaveLength(Number(count))
  })

  test('phone numbers can have their SmsUrl, method and name changed', async () => {
    const [{ sid }] = await numbers()
    const change = (form: Record<string, string>) =>
      ann.ask('POST', `IncomingPhoneNumbers/${sid}.json`, form)
    const SmsUrl = 'http://127.0.0.1:1/sms'
    const changed = { sms_url: SmsUrl, sms_method: 'GET', friendly_name: 'Front' }
    expect((await change({ SmsUrl, SmsMethod: 'get', FriendlyName: 'Front' })).body).toMatchObject(
      changed,
    )
    const other = { sms_url: `${SmsUrl}2`, sms_method: 'GET' }
    expect((await change({ SmsUrl: `${SmsUrl}2`, VoiceUrl: '' })).body).toMatchObject(other)
    for (const [form, code] of [
      [{ SmsUrl: 'sms' }, 21502],
      [{ SmsMethod: 'PUT' }, 20001],
      [{ VoiceUrl: 'http://127.0.0.1:1/' }, 20001],
      [{ SmsFallbackUrl: 'http://127.0.0.1:1/', SmsUrl: '' }, 20001],
    ] as const)
      expect((await change(form as Record<string, string>)).body.code).toBe(code)
    expect((await change({ SmsUrl: '' })).body).toMatchObject({
      sms_url: '',
      friendly_name: 'Front',
    })
  })
})

test("a rate limit is answered in Twilio's error form", async () => {
  const { superuser } = fixture.gateway
  const path = `/2010-04-01/Accounts/${ann.sid}.json`
  const rule = { label: '/2010-04-01/', audience: '@auth', duration: 7, maxRequests: 2 }
  await superuser.call('PATCH', '/api/settings', { rateLimits: { enabled: true, rules: [rule] } })
  const answers = []
  for (let i = 0; i < 3; i++) answers.push(await ann.raw('GET', path))
  await superuser.call('PATCH', '/api/settings', { rateLimits: { enabled: false } })
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
  expect(answers[2]!.body).toEqual(ERROR(20429, 429))
  expect(Number(answers[2]!.headers.get('retry-after'))).toBeGreaterThan(0)
})
