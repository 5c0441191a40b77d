import {
  ANN,
  as,
  BEN,
  BENS_PHONE,
  CLEO,
  GROUPS,
  PHONES,
  startServerWithUsers,
  TEMPLATES,
} from '../../../support/server/server-with-users.ts'

const server = await startServerWithUsers({ SMS_MAX_RECIPIENTS: '5' })

const phones = (count: number) => Array.from({ length: count }, (_, i) => `+4922000${i}0`)
const long = (count: number, char = 'x') => char.repeat(count)
const EMPTY = 'recipients must name at least one phone number, or group_ids a group'
const fault = (message: string) => ({ error: 'invalid_request', message })
const PHONE = { error: 'invalid_phone_number', message: 'Phone number must be in E.164 format' }
const LONG = { error: 'body_too_long', message: 'Message body must be at most 1600 characters' }
const MANY = { error: 'too_many_recipients', message: 'At most 5 recipients per request' }
const DEVICE = { error: 'device_not_found', message: 'Device not found' }
const GROUP = { error: 'group_not_found', message: 'Contact group not found' }

const INVISIBLE = 'body must have a visible character'
const ORDER = 'priority must be a whole number from -128 to 127'

test.each<[what: string, body: object, expected: string | object, status?: number]>([
  ['no text', { body: undefined }, 'body is required'],
  ['an empty text', { body: '' }, 'body must have a visible character'],
  ['zero-width characters only', { body: '\u200b\u200d\u2060\ufeff\u00ad' }, INVISIBLE],
  ['fillers only', { body: '\u3164\u2800\u115f' }, INVISIBLE],
  ['a device with a NUL', { device_id: 'a\0' }, 'device_id must not contain a NUL character'],
  ['a group with a NUL', { group_ids: ['a\0'] }, 'group_ids[0] must not contain a NUL character'],
  ['a reference with a NUL', { client_ref: 'a\0b' }, 'client_ref must not contain a NUL character'],
  [
    'a single number instead of a list',
    { recipients: '+4911111' },
    'recipients must be a list of phone numbers',
  ],
  ['nobody', { recipients: [] }, EMPTY],
  ['no recipients at all', { recipients: undefined }, EMPTY],
  [
    'an empty group',
    { recipients: [], group_ids: [GROUPS.empty] },
    'group_ids has no member to send to',
  ],
  ['an unknown field', { color: 'red' }, 'color is not a field of this request'],
  ['a priority out of range', { priority: 128 }, ORDER],
  [
    'no date',
    { scheduled_at: 'soon' },
    'scheduled_at must be a date, for example 2026-11-20T07:00:00Z',
  ],
  [
    'a past expiry',
    { expires_at: '2020-01-01' },
    'expires_at must lie in the future, after scheduled_at',
  ],
  [
    'both ways to expire',
    { expires_at: '2099-01-01', ttl: 5 },
    'ttl and expires_at exclude each other',
  ],
  [
    'a reference for two',
    { recipients: phones(2), client_ref: 'a' },
    'client_ref can name one message only',
  ],
  ['a number without plus', { recipients: ['+4911111', '4911111'] }, PHONE],
  ['a number of 16 digits', { recipients: ['+1234567890123456'] }, PHONE],
  ['a number with a line break', { recipients: ['+4911111\n'] }, PHONE],
  ['a text of 1,601 characters of two units', { body: long(1601, '😀') }, LONG],
  ['six recipients', { recipients: phones(6) }, MANY],
  [
    "too many recipients together with a group's members",
    { recipients: phones(4), group_ids: [GROUPS.friends] },
    MANY,
  ],
  ['an unknown device', { device_id: 'nosuchdevice000' }, DEVICE, 404],
  ["another user's device", { device_id: BENS_PHONE }, DEVICE, 404],
  ['an unknown group', { group_ids: ['nosuchgroup0000'] }, GROUP, 404],
  ["another user's group", { group_ids: [GROUPS.friends, GROUPS.bens] }, GROUP, 404],
  ['shape before phone', { recipients: ['x'], priority: 'high' }, ORDER],
  ['phone before length', { recipients: ['x'.repeat(100)], body: long(1601) }, PHONE],
  ['length before recipients', { recipients: phones(6), body: long(1601) }, LONG],
  ['recipients before groups', { recipients: phones(6), group_ids: ['no'] }, MANY],
  ['groups before device', { group_ids: ['no'], device_id: 'no' }, GROUP, 404],
])('a send with %s is refused and stores nothing: $2', async (_, body, expected, status = 400) => {
  const before = await server.rows('select count(*) from sms_messages')
  const answer = await server.send(body)
  const said = typeof expected === 'string' ? fault(expected) : expected
  expect([answer.status, answer.body]).toEqual([status, said])
  expect(await server.rows('select count(*) from sms_messages')).toEqual(before)
})

const UNAUTHORIZED = { error: 'unauthorized', message: 'Authentication required' }

test.each([
  ['nothing', {}],
  ['an unknown key', { 'x-api-key': 'psk_unknown' }],
  ['an expired key', { 'x-api-key': 'psk_old' }],
  ['an empty key', { 'x-api-key': '' }],
  ['an invalid token', { authorization: 'Bearer abc' }],
])('a send with %s is answered with 401 before its body is read', async (_, headers) => {
  for (const body of ['{', JSON.stringify({ recipients: ['x'] }), undefined]) {
    const answer = await server.ask('POST', 'send', body, headers as Record<string, string>)
    expect([answer.status, answer.body]).toEqual([401, UNAUTHORIZED])
  }
})

const HERE = 'This is an API key. Send it in the header X-API-Key.'
const NOT_HERE =
  'API keys open only /api/sms, /api/verify and /api/campaigns. Sign in as a user, and send the token in Authorization.'
const RECORDS = '/api/collections/sms_messages/records'
test.each<[what: string, method: string, path: string, headers: object, hint: string]>([
  ['a send', 'POST', 'send', { authorization: `Bearer ${ANN.key}` }, HERE],
  [
    'a send, beside a wrong one',
    'POST',
    'send',
    { 'x-api-key': 'x', authorization: ANN.key },
    HERE,
  ],
  ['a campaign', 'POST', '/api/campaigns', { authorization: `Bearer ${ANN.key}` }, HERE],
  ['records', 'GET', RECORDS, as(ANN), NOT_HERE],
  ['a record', 'GET', `${RECORDS}/x`, { authorization: `Bearer ${ANN.key}` }, NOT_HERE],
  ['a device', 'POST', '/api/devices/pairing', as(ANN), NOT_HERE],
  ['the account', 'GET', '/api/account/me', as(ANN), NOT_HERE],
])(
  'a 401 for %s says where the API key of the request belongs',
  async (_, method, path, headers, hint) => {
    const answer = await server.ask(method, path, undefined, headers as Record<string, string>)
    expect([answer.status, answer.body.hint ?? answer.body.message]).toEqual([401, hint])
    if (answer.body.error) expect(answer.body.message).toBe(UNAUTHORIZED.message)
  },
)

test.each(['scheduled', 'scheduled/days'])(
  'a 401 for an API key at /api/sms/%s says that the route is for people',
  async (path) => {
    for (const headers of [as(ANN), { authorization: `Bearer ${ANN.key}` }]) {
      const answer = await server.ask('GET', path, undefined, headers)
      const message =
        'This route takes no API key. Sign in as a user, and send the token in Authorization.'
      expect([answer.status, answer.body]).toEqual([401, { error: 'unauthorized', message }])
    }
  },
)

test('a 401 of PocketBase stays unchanged if the request has an API key', async () => {
  const { status, body } = await server.ask(
    'GET',
    '/api/collections/users/auth-refresh',
    undefined,
    as(ANN),
  )
  const posted = await server.ask('POST', '/api/collections/users/auth-refresh', {}, as(ANN))
  const message = 'The request requires valid record authorization token.'
  expect([status, body.message]).toEqual([404, 'File not found.'])
  expect([posted.status, posted.body]).toEqual([401, { data: {}, message, status: 401 }])
})

test.each(['0151 12345678', '(0151) 12345678'])(
  'a send to the national number %s says what is missing',
  async (to) => {
    const { body } = await server.send({ recipients: ['+4911111', to] })
    const hint = 'Replace the first 0 by the country code, as in +4915112345678.'
    expect(body).toEqual({ ...PHONE, hint })
  },
)

test('the other SMS endpoints require credentials, too', async () => {
  const asked = [
    ['POST', 'send-template'],
    ['POST', 'preview'],
    ['GET', 'usage'],
    ['GET', 'batches/x'],
    ['POST', 'messages/x/cancel'],
  ] as const
  for (const [method, path] of asked) {
    const answer = await server.ask(method, path, undefined, {})
    expect([path, answer.status, answer.body]).toEqual([path, 401, UNAUTHORIZED])
  }
})

test.each(['{"recipients":', '', '[]', 'null', '\ufeff\ufeff{}'])(
  'the body %j is refused',
  async (body) => {
    const answer = await server.ask('POST', 'send', body)
    expect([answer.status, answer.body]).toEqual([400, fault('The body must be a JSON object')])
  },
)

test.each([
  [
    'keys',
    JSON.stringify({
      variables: Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [i, ''])),
    }),
  ],
  ['values', `{"recipients":[${'1,'.repeat(100_001)}1]}`],
  ['levels', `{"body":${'['.repeat(1_001)}${']'.repeat(1_001)}}`],
])('a body with too many %s is refused before it is parsed', async (_, body) => {
  const answer = await server.ask('POST', 'send', body)
  const sentence = 'The body has too many keys or values, or too many levels'
  expect([answer.status, answer.body]).toEqual([400, fault(sentence)])
})

test('a body of 10 MB is refused with 413', async () => {
  const answer = await server.send({ body: long(10 << 20) })
  const expected = {
    error: 'request_too_large',
    message: 'The body must have at most 4194304 bytes',
  }
  expect([answer.status, answer.body]).toEqual([413, expected])
})

const only = (message: string) => ({ error: 'invalid_template', message })
const CODE = TEMPLATES.code
test.each<[what: string, body: object, expected: object]>([
  ['an unknown template', { template_id: 'nosuchtemplate0' }, only('Template not found.')],
  [
    "another user's template",
    { template_id: TEMPLATES.bens },
    only('Template does not belong to user.'),
  ],
  [
    'without a variable',
    { template_id: CODE, variables: { code: 1 } },
    only('Missing variable: tail.'),
  ],
  ['without the first of two', { template_id: CODE }, only('Missing variable: code.')],
  ['no template', {}, fault('template_id is required')],
  [
    'a template and a text',
    { template_id: TEMPLATES.greeting, body: 'Hi' },
    fault('body is not a field of this request'),
  ],
  [
    'a template whose text would be empty',
    { template_id: TEMPLATES.name },
    fault('a text would be empty: give its variable a default, as {{name|friend}}'),
  ],
  [
    'a template whose text would be too long',
    { template_id: CODE, variables: { code: long(800), tail: '!' } },
    LONG,
  ],
])('a template send with %s is refused: $2', async (_, body, expected) => {
  const answer = await server.ask('POST', 'send-template', { recipients: ['+4911111'], ...body })
  expect([answer.status, answer.body]).toEqual([400, expected])
})

test('an unknown device is reported before an unknown template, and that before missing devices', async () => {
  const body = { recipients: ['+4911111'], template_id: 'no', device_id: 'no' }
  expect((await server.ask('POST', 'send-template', body)).body).toEqual(DEVICE)
  const unknown = await server.ask('POST', 'send-template', { ...body, device_id: '' }, as(CLEO))
  expect(unknown.body).toEqual(only('Template not found.'))
})

test('a send without an online device is answered with 503', async () => {
  const answer = await server.send({}, as(CLEO))
  const expected = { error: 'no_devices', message: 'No devices available to send messages' }
  expect([answer.status, answer.body]).toEqual([503, expected])
})

test('an exceeded quota is reported before missing devices', async () => {
  await server.rows('update users set monthly_quota = 1 where id = $1', [CLEO.id])
  const answer = await server.send({ recipients: phones(2) }, as(CLEO))
  const expected = { error: 'quota_exceeded', message: 'Monthly message quota exceeded' }
  expect([answer.status, answer.body]).toEqual([402, expected])
  expect(await server.rows('select 1 from sms_usage where "user" = $1', [CLEO.id])).toEqual([])
})

test('a send to a named device fails with 503 if that device cannot send', async () => {
  const change = (set: string) =>
    server.rows(`update devices set ${set} where id = $1`, [BENS_PHONE])
  await change('enabled = false')
  expect((await server.send({ device_id: BENS_PHONE }, as(BEN))).status).toBe(503)
  await change(`enabled = true, last_seen = '2020-01-01 00:00:00.000Z'`)
  expect((await server.send({}, as(BEN))).status).toBe(503)
  await change(`push = '{"endpoint":"https://push.example.com"}'`)
  expect((await server.send({ device_id: BENS_PHONE }, as(BEN))).status).toBe(200)
})

test('devices cannot send, and superusers are told with whose credentials to send', async () => {
  const [[root]] = (await server.rows('select id from _superusers')) as [[string]]
  const asUser =
    'Superusers have no phones and no quota. Send with the token of a user, or with an API key of a user in X-API-Key.'
  for (const [collection, id, more] of [
    ['_superusers', root, { hint: asUser }],
    ['devices', PHONES[0], {}],
  ] as const) {
    const answer = await server.send({}, await server.signedIn(collection, id))
    const expected = { error: 'forbidden', message: 'Only users may do this', ...more }
    expect([answer.status, answer.body]).toEqual([403, expected])
  }
})

test.each([
  ['invalid UTF-8', Buffer.from('{"recipients":["+4911111"],"body":"\xff"}', 'latin1'), 400],
  ['a byte order mark', Buffer.from('\ufeff{"recipients":["+4911111"],"body":"Hi"}'), 200],
] as const)('a body with %s is answered with $2', async (_, body, status) => {
  const headers = { 'x-api-key': ANN.key, 'content-type': 'application/json' }
  const response = await fetch(`${server.url}/api/sms/send`, { method: 'POST', headers, body })
  const answer = await response.json()
  expect(response.status).toBe(status)
  if (status === 400) expect(answer).toEqual(fault('The body must be valid UTF-8'))
})
