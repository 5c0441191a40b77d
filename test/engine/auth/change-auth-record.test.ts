import type { Answer } from '../../support/server/request.ts'
import { PASSWORD, startServerWithMail, tokenIn } from '../../support/server/server-with-mail.ts'

const server = await startServerWithMail({ PUBLIC_URL: 'https://sms.example.com/' })

let count = 0
let address: string
let id: string
beforeEach(async () => {
  address = `account${++count}@example.com`
  id = await server.addUser(address)
})

const users = (route: string, form: unknown, headers = {}) =>
  server.post(`/api/collections/users/${route}`, form, headers)
const mailedToken = async () => tokenIn((await server.mail.next()).text)
const signIn = (identity: string, password: string) =>
  users('auth-with-password', { identity, password })
const verified = async () =>
  (await server.rows('select verified from users where id = $1', id))[0]?.[0]
const codes = ({ status, body }: Answer) => [
  status,
  Object.fromEntries(
    Object.entries(body.data as object).map(([name, error]) => [name, error.code]),
  ),
]

test('a mailed link verifies the address, works twice and ends no session', async () => {
  const session = String((await signIn(address, PASSWORD)).body.token)
  expect((await users('request-verification', { email: address })).status).toBe(204)
  const token = await mailedToken()
  expect([(await users('confirm-verification', { token })).status, await verified()]).toEqual([
    204,
    true,
  ])
  expect((await users('confirm-verification', { token })).status).toBe(204)
  expect((await users('auth-refresh', {}, { authorization: session })).status).toBe(200)
})

test('the same mail is sent once in two minutes', async () => {
  const before = server.mail.mails.length + 1
  const ask = () => users('request-verification', { email: address })
  const [, answer] = await Promise.all([ask(), ask(), mailedToken()])
  expect(answer.status).toBe(204)
  // asked for after it
  await users('request-password-reset', { email: address })
  await server.mail.next()
  expect(server.mail.mails.length).toBe(before + 1)
})

test('after a failed mail the next request sends one at once', async () => {
  server.mail.refuses = true
  await users('request-verification', { email: address })
  await expect.poll(() => server.mail.refused).toBeGreaterThan(0)
  server.mail.refuses = false
  const before = server.mail.mails.length
  // as soon as it is known that it failed
  await expect
    .poll(async () => {
      await users('request-verification', { email: address })
      return server.mail.mails.length
    })
    .toBeGreaterThan(before)
  expect(await server.mail.next()).toMatchObject({ to: address })
})

test('a verification token is valid only for the address that it was mailed to', async () => {
  await users('request-verification', { email: address })
  const token = await mailedToken()
  await server.rows(`update users set email = 'moved' || email where id = $1`, id)
  expect(codes(await users('confirm-verification', { token }))).toEqual([
    400,
    { token: 'validation_token_email_mismatch' },
  ])
  expect(
    codes(await server.post('/api/collections/devices/confirm-verification', { token })),
  ).toEqual([400, { token: 'validation_token_collection_mismatch' }])
})

test('a mailed link sets a new password and ends all sessions, the old password and the link', async () => {
  const session = String((await signIn(address, PASSWORD)).body.token)
  expect((await users('request-password-reset', { email: address })).status).toBe(204)
  const { text } = await server.mail.next()
  expect(text).toContain('https://sms.example.com/_/#/auth/confirm-password-reset/')
  const form = { token: tokenIn(text), password: 'brandnew1', passwordConfirm: 'brandnew1' }
  expect((await users('confirm-password-reset', form)).status).toBe(204)
  expect(await verified()).toBe(true)
  expect([
    (await signIn(address, PASSWORD)).status,
    (await signIn(address, 'brandnew1')).status,
  ]).toEqual([400, 200])
  expect((await users('auth-refresh', {}, { authorization: session })).status).toBe(401)
  expect(codes(await users('confirm-password-reset', form))).toEqual([
    400,
    { token: 'validation_invalid_token' },
  ])
})

test('a mailed link changes the address after the password is checked, and ends all sessions', async () => {
  const session = String((await signIn(address, PASSWORD)).body.token)
  const newEmail = `new.${address}`
  expect(
    (await users('request-email-change', { newEmail }, { authorization: session })).status,
  ).toBe(204)
  const { to, text } = await server.mail.next()
  expect(to).toBe(newEmail)
  const token = tokenIn(text)
  expect(codes(await users('confirm-email-change', { token, password: 'wrong' }))).toEqual([
    400,
    { password: 'validation_invalid_password' },
  ])
  expect((await users('confirm-email-change', { token, password: PASSWORD })).status).toBe(204)
  expect([
    (await signIn(address, PASSWORD)).status,
    (await signIn(newEmail, PASSWORD)).status,
  ]).toEqual([400, 200])
  expect((await users('auth-refresh', {}, { authorization: session })).status).toBe(401)
  const notice = await server.mail.next()
  expect([notice.to, notice.text.includes(newEmail)]).toEqual([address, false])
})

test('a change to an address that was taken meanwhile is refused', async () => {
  const session = String((await signIn(address, PASSWORD)).body.token)
  const newEmail = `taken.${address}`
  await users('request-email-change', { newEmail }, { authorization: session })
  const token = await mailedToken()
  await server.addUser(newEmail)
  expect(codes(await users('confirm-email-change', { token, password: PASSWORD }))).toEqual([
    400,
    { password: 'validation_invalid_password', token: 'validation_invalid_token_email' },
  ])
})

test('a change of address is refused if its mail cannot be sent', async () => {
  const session = String((await signIn(address, PASSWORD)).body.token)
  server.mail.refuses = true
  const answer = await users(
    'request-email-change',
    { newEmail: 'z@example.com' },
    { authorization: session },
  )
  server.mail.refuses = false
  expect(answer.body).toEqual({ data: {}, message: 'Failed to request email change.', status: 400 })
})

test("a user's name cannot put HTML or placeholders into a mail", async () => {
  const template = {
    subject: '{APP_NAME}: {RECORD:name}',
    body: '<p>{RECORD:name}</p><a href="{APP_URL}/_/#/auth/x/{TOKEN}">go</a>',
  }
  await server.change('users', { verificationTemplate: template })
  await server.rows('update users set name = $2 where id = $1', id, '<b>{TOKEN}')
  await users('request-verification', { email: address })
  const { subject, text } = await server.mail.next()
  expect([subject, text.split('\n')[0]]).toEqual(['pocketsms: &lt;b&gt;{TOKEN}', '<b>{TOKEN}'])
})
