import { generateKeyPairSync, verify } from 'node:crypto'
import type { Answer } from '../support/server/request.ts'
import { startServerWithMail } from '../support/server/server-with-mail.ts'

const server = await startServerWithMail()
const root = await server.superuser()

const patch = (body: unknown) => server.call('PATCH', '/api/settings', body, root)
const get = (headers = root) => server.call('GET', '/api/settings', undefined, headers)

test("settings list their keys in PocketBase's order", async () => {
  const { body } = await get()
  const keys = (part: object) => Object.keys(part).join(' ')
  expect(keys(body)).toBe('superuserIPs smtp backups s3 meta rateLimits trustedProxy batch logs')
  expect(keys(body.smtp)).toBe('enabled port host username authMethod tls localName')
})

test('secrets in settings are stored and never shown', async () => {
  await patch({
    smtp: { password: 'hush' },
    s3: { secret: 'hush' },
    backups: { s3: { secret: 'hush' } },
  })
  const { text } = await patch({ smtp: { username: 'me' } })
  expect(text).not.toContain('hush')
  expect(server.server.services.settings.current.smtp.password).toBe('hush')
  await patch({ smtp: { username: '', password: '' } })
})

test('invalid settings are refused as a whole, also their valid fields', async () => {
  const { settings } = server.server.services
  const before = settings.current
  expect((await patch({ meta: { appName: 'Other', appURL: 'x y' } })).status).toBe(400)
  expect(settings.current).toEqual(before)
})

const testMail = (form: object): Promise<Answer> =>
  server.post('/api/settings/test/email', form, root)

test.each([
  ['verification', 'Verify your'],
  ['password-reset', 'Reset your'],
  ['email-change', 'Confirm your'],
  ['otp', 'OTP for'],
  ['login-alert', 'Login from a new location'],
])('a test mail of the template %s is sent with the subject "%s …"', async (template, subject) => {
  expect((await testMail({ email: 'me@example.com', template, collection: 'users' })).status).toBe(
    204,
  )
  const mail = { to: 'me@example.com', subject: expect.stringContaining(subject) }
  expect(await server.mail.next()).toMatchObject(mail)
})

test("Apple's client secret is signed with the given key", async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  const form = {
    clientId: 'shop',
    teamId: '1234567890',
    keyId: 'abcdefghij',
    privateKey: pem,
    duration: 60,
  }
  const path = '/api/settings/apple/generate-client-secret'
  const [head, claims, signature] = String((await server.post(path, form, root)).body.secret).split(
    '.',
  )
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
  const [data, signed] = [Buffer.from(`${head}.${claims}`), Buffer.from(signature!, 'base64url')]
  expect(verify('sha256', data, key, signed)).toBe(true)
  expect(JSON.parse(String(Buffer.from(claims!, 'base64url')))).toMatchObject({
    iss: '1234567890',
    sub: 'shop',
    aud: ['https://appleid.apple.com'],
  })
})

test("a refused test mail is reported with the mail server's answer", async () => {
  server.mail.refuses = true
  const { body } = await testMail({ email: 'me@example.com', template: 'otp' })
  server.mail.refuses = false
  expect(body.message).toMatch(/^Failed to send the test email\. Raw error: \n.*550/)
})
