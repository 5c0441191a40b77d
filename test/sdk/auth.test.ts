import PocketBase from 'pocketbase'
import { expect, test } from 'vitest'
import { PASSWORD, startServerWithMail, tokenIn } from '../support/server/server-with-mail.ts'
import { SUPERUSER } from '../support/server/start.ts'
import { stopAfterAll } from '../support/stop-after-all.ts'

const users = () => pb.collection('users')
const signIn = () => users().authWithPassword('ann@example.com', PASSWORD)

const server = stopAfterAll(await startServerWithMail({ PUBLIC_URL: 'https://sms.example.com/' }))
const pb = new PocketBase(server.server.url)
await server.addUser('ann@example.com', { name: 'Ann' })
const collection = server.server.services.store.catalog.find('users')
if (collection?.type === 'auth') await server.change('users', { otp: { ...collection.otp, enabled: true } })

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

test('requestOTP and authWithOTP', async () => {
  const { otpId } = await users().requestOTP('ann@example.com')
  const code = /is: (\d+)/.exec((await server.mail.next()).text)?.[1] ?? ''
  expect((await users().authWithOTP(otpId, code)).record.email).toBe('ann@example.com')
})

test('a password by mail: the link leads to PUBLIC_URL', async () => {
  await users().requestPasswordReset('ann@example.com')
  const { text } = await server.mail.next()
  expect(text).toContain('https://sms.example.com/_/#/auth/confirm-password-reset/')
  expect(await users().confirmPasswordReset(tokenIn(text), PASSWORD, PASSWORD)).toBe(true)
  await signIn()
})

test('verification and a change of address update the signed-in record', async () => {
  await server.addUser('bob@example.com')
  await users().authWithPassword('bob@example.com', PASSWORD)
  await users().requestVerification('bob@example.com')
  await users().confirmVerification(tokenIn((await server.mail.next()).text))
  expect(pb.authStore.record?.verified).toBe(true)
  await users().requestEmailChange('bob2@example.com')
  await users().confirmEmailChange(tokenIn((await server.mail.next()).text), PASSWORD)
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
