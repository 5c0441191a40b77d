import PocketBase, { ClientResponseError } from 'pocketbase'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Office, openOffice, PASSWORD, tokenIn } from '../support/office.ts'
import { SUPERUSER } from '../support/start.ts'

let office: Office
let pb: PocketBase
beforeAll(async () => {
  office = await openOffice({ PUBLIC_URL: 'https://sms.example.com/' })
  pb = new PocketBase(office.server.url)
  await office.addUser('ann@example.com', { name: 'Ann' })
  const users = office.server.services.store.catalog.find('users')
  if (users?.type === 'auth') await office.change('users', { otp: { ...users.otp, enabled: true } })
})
afterAll(() => office.stop())

const users = () => pb.collection('users')
const signIn = () => users().authWithPassword('ann@example.com', PASSWORD)

test('authWithPassword fills the store, authRefresh keeps it valid', async () => {
  const { record, token } = await signIn()
  expect([record.name, pb.authStore.token, pb.authStore.isValid]).toEqual(['Ann', token, true])
  await users().authRefresh()
  expect([pb.authStore.isValid, pb.authStore.isSuperuser, pb.authStore.record?.id]).toEqual([
    true,
    false,
    record.id,
  ])
})

test('a wrong password is a ClientResponseError', async () => {
  const error = await users()
    .authWithPassword('ann@example.com', 'wrong')
    .catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ClientResponseError)
  expect(error).toMatchObject({ status: 400, message: 'Failed to authenticate.', response: { data: {} } })
})

test('listAuthMethods', async () => {
  expect(await users().listAuthMethods()).toEqual({
    mfa: { duration: 0, enabled: false },
    oauth2: { enabled: false, providers: [] },
    otp: { duration: 180, enabled: true },
    password: { enabled: true, identityFields: ['email'] },
  })
})

test('requestOTP and authWithOTP', async () => {
  const { otpId } = await users().requestOTP('ann@example.com')
  const code = /is: (\d+)/.exec((await office.mail.next()).text)?.[1] ?? ''
  expect((await users().authWithOTP(otpId, code)).record.email).toBe('ann@example.com')
})

test('a password by mail: the link leads to PUBLIC_URL', async () => {
  await users().requestPasswordReset('ann@example.com')
  const { text } = await office.mail.next()
  expect(text).toContain('https://sms.example.com/_/#/auth/confirm-password-reset/')
  expect(await users().confirmPasswordReset(tokenIn(text), PASSWORD, PASSWORD)).toBe(true)
  await signIn()
})

test('verification and a change of address update the signed-in record', async () => {
  await office.addUser('bob@example.com')
  await users().authWithPassword('bob@example.com', PASSWORD)
  await users().requestVerification('bob@example.com')
  await users().confirmVerification(tokenIn((await office.mail.next()).text))
  expect(pb.authStore.record?.verified).toBe(true)
  await users().requestEmailChange('bob2@example.com')
  await users().confirmEmailChange(tokenIn((await office.mail.next()).text), PASSWORD)
  expect(pb.authStore.isValid).toBe(false)
})

test('a superuser impersonates a user', async () => {
  await pb.collection('_superusers').authWithPassword(SUPERUSER.email, SUPERUSER.password)
  const [ann] = await users().getFullList({ filter: 'email = "ann@example.com"' })
  const asAnn = await users().impersonate(ann!.id, 60)
  expect([asAnn.authStore.record?.id, asAnn.authStore.isSuperuser]).toEqual([ann!.id, false])
  expect((await asAnn.collection('users').getOne(ann!.id)).email).toBe('ann@example.com')
  expect(await asAnn.files.getToken()).toMatch(/^ey/)
})

test('settings and their test mail', async () => {
  await pb.collection('_superusers').authWithPassword(SUPERUSER.email, SUPERUSER.password)
  await pb.settings.update({ meta: { appName: 'Texts' } })
  expect((await pb.settings.getAll()).meta?.appName).toBe('Texts')
  expect(await pb.settings.testEmail('users', 'me@example.com', 'otp')).toBe(true)
  expect((await office.mail.next()).subject).toBe('OTP for Texts')
})
