import { cleanUpSignIns } from '../../src/auth/account/clean-up.ts'
import { PASSWORD, startServerWithMail } from '../support/server/server-with-mail.ts'

const server = await startServerWithMail()
await server.allowOtp()

let count = 0
let address: string
beforeEach(async () => {
  address = `otp${++count}@example.com`
  await server.addUser(address)
})

const request = async (email = address) =>
  String((await server.post('/api/collections/users/request-otp', { email })).body.otpId)
const enter = (otpId: string, password: string) =>
  server.post('/api/collections/users/auth-with-otp', { otpId, password })
const codeOf = (text: string) => /password is: (\d+)/.exec(text)?.[1] ?? ''

/** Asks for a code; resolves when its mail has come. */
async function requestCode(): Promise<{ otpId: string; code: string }> {
  const otpId = await request()
  const { to, text } = await server.mail.next()
  expect(to).toBe(address)
  return { otpId, code: codeOf(text) }
}

const INVALID = { data: {}, message: 'Invalid or expired OTP.', status: 400 }

test('signs in once, with a code of eight digits out of a mail', async () => {
  const { otpId, code } = await requestCode()
  expect(code).toMatch(/^\d{8}$/)
  expect((await enter(otpId, code)).status).toBe(200)
  expect((await enter(otpId, code)).body).toEqual(INVALID)
})

test('the same code twice at once counts once', async () => {
  const { otpId, code } = await requestCode()
  const statuses = (await Promise.all([enter(otpId, code), enter(otpId, code)])).map(({ status }) => status)
  expect(statuses.sort()).toEqual([200, 400])
})

test('an old id of the first of two methods is refused and deleted', async () => {
  await server.change('users', { mfa: { enabled: true, duration: 600, rule: '' } })
  const form = { identity: address, password: PASSWORD }
  const { mfaId } = (await server.post('/api/collections/users/auth-with-password', form)).body
  await server.rows(`update "_mfas" set created = '2024-01-01 00:00:00.000Z' where id = $1`, mfaId)
  const { otpId, code } = await requestCode()
  const body = { otpId, password: code, mfaId }
  const { status, body: answer } = await server.post('/api/collections/users/auth-with-otp', body)
  expect([status, answer.message]).toEqual([400, 'Invalid or expired MFA session.'])
  expect((await server.rows('select 1 from "_mfas" where id = $1', mfaId)).length).toBe(0)
  await server.change('users', { mfa: { enabled: false, duration: 600, rule: '' } })
})

test('a code that could not be mailed is void', async () => {
  server.mail.refuses = true
  const otpId = await request()
  await expect
    .poll(async () => (await server.rows('select 1 from "_otps" where id = $1', otpId)).length)
    .toBe(0)
  server.mail.refuses = false
})

test('an old code is refused, then cleaned up', async () => {
  const { otpId, code } = await requestCode()
  await server.rows(`update "_otps" set created = '2024-01-01 00:00:00.000Z' where id = $1`, otpId)
  expect((await enter(otpId, code)).body).toEqual(INVALID)
  await cleanUpSignIns(server.server.services.store)
  expect((await server.rows('select 1 from "_otps" where id = $1', otpId)).length).toBe(0)
})

test('with ten codes under way the last one is used again', async () => {
  const ids = []
  for (let i = 0; i < 11; i++) ids.push(await request())
  expect([new Set(ids).size, ids[10]]).toEqual([10, ids[9]])
})
