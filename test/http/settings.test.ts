import { afterAll, beforeAll, expect, test } from 'vitest'
import { SettingsStore } from '../../src/collections/settings-store.ts'
import { type Answer, type Office, openOffice, PASSWORD } from '../support/office.ts'

let office: Office
let root: Record<string, string>
beforeAll(async () => {
  office = await openOffice()
  root = await office.superuser()
})
afterAll(() => office.stop())

const patch = (body: unknown) => office.call('PATCH', '/api/settings', body, root)
const get = (headers = root) => office.call('GET', '/api/settings', undefined, headers)

/** Codes of the errors, nested as they came. */
const codes = (data: object): unknown =>
  Object.fromEntries(Object.entries(data).map(([key, error]) => [key, error.code ?? codes(error)]))

test('only superusers', async () => {
  await office.addUser('user@example.com')
  const authorization = await office.signIn('users', 'user@example.com', PASSWORD)
  expect([(await get({})).status, (await get({ authorization })).status, (await get()).status]).toEqual([
    401, 403, 200,
  ])
})

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
  expect(body.meta).toMatchObject({ appName: 'Mine', senderName: 'Support' })
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
  expect(office.server.services.settings.current.smtp.password).toBe('hush')
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
  const before = office.server.services.settings.current
  const answer = await patch(body)
  expect([answer.status, answer.body.message]).toEqual([
    400,
    'An error occurred while saving the new settings.',
  ])
  expect(codes(answer.body.data as object)).toEqual(errors)
  expect(office.server.services.settings.current).toEqual(before)
})

test('another node knows at once', async () => {
  const other = await SettingsStore.open(office.server.services.store.db)
  await patch({ meta: { appName: 'Known' } })
  while (other.current.meta.appName !== 'Known') await new Promise((resolve) => setTimeout(resolve, 5))
  await other.close()
})

const testMail = (form: object): Promise<Answer> => office.post('/api/settings/test/email', form, root)

test.each([
  ['verification', 'Verify your'],
  ['password-reset', 'Reset your'],
  ['email-change', 'Confirm your'],
  ['otp', 'OTP for'],
  ['login-alert', 'Login from a new location'],
])('the mail %s can be tried out', async (template, subject) => {
  expect((await testMail({ email: 'me@example.com', template, collection: 'users' })).status).toBe(204)
  expect(await office.mail.next()).toMatchObject({
    to: 'me@example.com',
    subject: expect.stringContaining(subject),
  })
})

test('a test mail that is refused says why', async () => {
  expect(
    codes((await testMail({ email: 'x', template: 'y', collection: 'contacts' })).body.data as object),
  ).toEqual({
    collection: 'validation_invalid_auth_collection',
    email: 'validation_is_email',
    template: 'validation_in_invalid',
  })
  office.mail.refuses = true
  const { body } = await testMail({ email: 'me@example.com', template: 'otp' })
  office.mail.refuses = false
  expect(body.message).toMatch(/^Failed to send the test email\. Raw error: \n.*550/)
})
