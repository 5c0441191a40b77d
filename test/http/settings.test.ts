import { generateKeyPairSync, type KeyObject, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Answer } from '../support/server/request.ts'
import { startServerWithMail } from '../support/server/server-with-mail.ts'
import { stopAfterAll } from '../support/stop-after-all.ts'

const server = stopAfterAll(await startServerWithMail())
const root = await server.superuser()

const patch = (body: unknown) => server.call('PATCH', '/api/settings', body, root)
const get = (headers = root) => server.call('GET', '/api/settings', undefined, headers)

/** Codes of the errors, nested as they came. */
const codes = (data: object): unknown =>
  Object.fromEntries(Object.entries(data).map(([key, error]) => [key, error.code ?? codes(error)]))

test('keys stand in the order of PocketBase', async () => {
  const { body } = await get()
  const order = [
    'superuserIPs',
    'smtp',
    'backups',
    's3',
    'meta',
    'rateLimits',
    'trustedProxy',
    'batch',
    'logs',
  ]
  expect(Object.keys(body)).toEqual(order)
  expect(Object.keys(body.smtp as object)).toEqual([
    'enabled',
    'port',
    'host',
    'username',
    'authMethod',
    'tls',
    'localName',
  ])
})

test('objects are merged, lists replaced, keys match in any case, unknown ones mean nothing', async () => {
  const { body } = await patch({
    META: { appname: 'Mine' },
    trustedProxy: { headers: ['X-A', 'X-B'] },
    nope: 1,
  })
  expect(body.meta).toMatchObject({ appName: 'Mine', senderName: 'pocketsms' })
  expect((await patch({ trustedProxy: { headers: ['X-C'] } })).body.trustedProxy).toEqual({
    headers: ['X-C'],
    useLeftmostIP: false,
  })
  expect((await patch({ trustedProxy: { headers: null } })).body.trustedProxy).toMatchObject({ headers: [] })
})

test('secrets are kept and never shown', async () => {
  await patch({ smtp: { password: 'hush' }, s3: { secret: 'hush' }, backups: { s3: { secret: 'hush' } } })
  const { text } = await patch({ smtp: { username: 'me' } })
  expect(text).not.toContain('hush')
  expect(server.server.services.settings.current.smtp.password).toBe('hush')
  await patch({ smtp: { username: '', password: '' } })
})

const LOAD = 'An error occurred while loading the submitted data.'
test.each([
  [[]],
  ['x'],
  [{ meta: 5 }],
  [{ meta: { appName: 5 } }],
  [{ smtp: { port: 1.5 } }],
  [{ superuserIPs: 'x' }],
])('%j has wrong types', async (body) => {
  expect((await patch(body)).body).toEqual({ data: {}, message: LOAD, status: 400 })
})

test.each([
  [
    { meta: { appName: '', appURL: 'x y' } },
    { meta: { appName: 'validation_required', appURL: 'validation_is_url' } },
  ],
  [{ meta: { accentColor: 'red' } }, { meta: { accentColor: 'validation_length_invalid' } }],
  [{ meta: { accentColor: '#12345g' } }, { meta: { accentColor: 'validation_is_hex_color' } }],
  [
    { superuserIPs: ['', '1.2.3.4', 'x', '1.2.3.4/33'] },
    {
      superuserIPs: {
        0: 'validation_required',
        2: 'validation_invlaid_ip_or_subnet',
        3: 'validation_invlaid_ip_or_subnet',
      },
    },
  ],
  [{ superuserIPs: [null] }, { superuserIPs: { 0: 'validation_required' } }],
  [
    { smtp: { enabled: true, host: '', port: 0 } },
    { smtp: { host: 'validation_required', port: 'validation_required' } },
  ],
  [
    { backups: { cron: '61 * * * *', cronMaxKeep: -1 } },
    {
      backups: { cron: 'validation_invalid_cron', cronMaxKeep: 'validation_min_greater_equal_than_required' },
    },
  ],
  [{ rateLimits: { enabled: true, rules: [] } }, { rateLimits: { rules: 'validation_required' } }],
  [
    { rateLimits: { rules: [{ label: 'a b', duration: 1, maxRequests: 1 }] } },
    { rateLimits: { rules: { 0: { label: 'validation_match_invalid' } } } },
  ],
  [
    {
      rateLimits: {
        rules: [
          { label: '/a/', duration: 1, maxRequests: 1 },
          { label: '/a/', audience: '@auth', duration: 1, maxRequests: 1 },
        ],
      },
    },
    { rateLimits: { rules: { 1: { label: 'validation_conflicting_rate_limit_rule' } } } },
  ],
] as const)('%j does not stand the checks and changes nothing', async (body, errors) => {
  const before = server.server.services.settings.current
  const answer = await patch(body)
  expect([answer.status, answer.body.message]).toEqual([
    400,
    'An error occurred while saving the new settings.',
  ])
  expect(codes(answer.body.data as object)).toEqual(errors)
  expect(server.server.services.settings.current).toEqual(before)
})

const testMail = (form: object): Promise<Answer> => server.post('/api/settings/test/email', form, root)

test.each([
  ['verification', 'Verify your'],
  ['password-reset', 'Reset your'],
  ['email-change', 'Confirm your'],
  ['otp', 'OTP for'],
  ['login-alert', 'Login from a new location'],
])('the mail %s can be tried out', async (template, subject) => {
  expect((await testMail({ email: 'me@example.com', template, collection: 'users' })).status).toBe(204)
  expect(await server.mail.next()).toMatchObject({
    to: 'me@example.com',
    subject: expect.stringContaining(subject),
  })
})

const testS3 = (form: object, headers = root) => server.post('/api/settings/test/s3', form, headers)

test.each([
  ['nothing', {}, { data: { filesystem: { code: 'validation_required' } } }],
  ['another', { filesystem: 'x' }, { data: { filesystem: { code: 'validation_in_invalid' } } }],
  [
    'one that is off',
    { filesystem: 'storage' },
    { message: 'Failed to test the S3 filesystem. Raw error: \nS3 storage filesystem is not enabled.' },
  ],
] as const)('S3 is tried out: %s', async (_, form, expected) => {
  expect((await testS3(form)).body).toMatchObject({ status: 400, ...expected })
  expect((await testS3(form, {})).status).toBe(401)
})

test('Apple gets a secret that its key has signed', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  const form = { clientId: 'shop', teamId: '1234567890', keyId: 'abcdefghij', privateKey: pem, duration: 60 }
  const path = '/api/settings/apple/generate-client-secret'
  const [head, claims, signature] = String((await server.post(path, form, root)).body.secret).split('.')
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
  expect(verify('sha256', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature!, 'base64url'))).toBe(
    true,
  )
  expect(JSON.parse(String(Buffer.from(claims!, 'base64url')))).toMatchObject({
    iss: '1234567890',
    sub: 'shop',
    aud: ['https://appleid.apple.com'],
  })
  const bad = await server.post(path, { ...form, privateKey: 'x', duration: -1 }, root)
  expect(codes(bad.body.data as object)).toEqual({
    privateKey: 'validation_match_invalid',
    duration: 'validation_min_greater_equal_than_required',
  })
})

const pemOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }) as string
test.each([
  [
    'no key',
    '-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----',
    'invalid key: Key must be a PEM encoded PKCS1 or PKCS8 key.',
  ],
  [
    'a key of another kind',
    pemOf(generateKeyPairSync('ed25519').privateKey),
    'key is not a valid ECDSA private key.',
  ],
  [
    'a key of another curve',
    pemOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey),
    'key is invalid.',
  ],
])('Apple’s key is %s', async (_, privateKey, reason) => {
  const form = { clientId: 'shop', teamId: '1234567890', keyId: 'abcdefghij', privateKey, duration: 60 }
  const { status, body } = await server.post('/api/settings/apple/generate-client-secret', form, root)
  expect([status, body.message]).toEqual([400, `Failed to generate client secret. Raw error: \n${reason}`])
})

test('a test mail that is refused says why', async () => {
  expect(
    codes((await testMail({ email: 'x', template: 'y', collection: 'contacts' })).body.data as object),
  ).toEqual({
    collection: 'validation_invalid_auth_collection',
    email: 'validation_is_email',
    template: 'validation_in_invalid',
  })
  server.mail.refuses = true
  const { body } = await testMail({ email: 'me@example.com', template: 'otp' })
  server.mail.refuses = false
  expect(body.message).toMatch(/^Failed to send the test email\. Raw error: \n.*550/)
})
