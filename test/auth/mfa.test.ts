import { expect, test } from 'vitest'
import type { Answer } from '../support/server/request.ts'
import { PASSWORD, startServerWithMail } from '../support/server/server-with-mail.ts'
import { stopAfterAll } from '../support/stop-after-all.ts'

const server = stopAfterAll(await startServerWithMail())
const users = server.server.services.store.catalog.find('users')
if (users?.type !== 'auth') throw new Error('no users')
const mfa = { enabled: true, duration: 600, rule: 'name != "trusted"' }
await server.change('users', { mfa, otp: { ...users.otp, enabled: true } })
for (const name of ['ann', 'ben', 'trusted']) await server.addUser(`${name}@example.com`, { name })

const withPassword = (name: string, mfaId = '', query = '') =>
  server.post(`/api/collections/users/auth-with-password${query}`, {
    identity: `${name}@example.com`,
    password: PASSWORD,
    mfaId,
  })

async function withCode(name: string, mfaId: string): Promise<Answer> {
  const { body } = await server.post('/api/collections/users/request-otp', { email: `${name}@example.com` })
  const { text } = await server.mail.next()
  const password = /password is: (\d+)/.exec(text)?.[1]
  return server.post('/api/collections/users/auth-with-otp', { otpId: body.otpId, password, mfaId })
}

const refusal = ({ status, body }: Answer) => [status, body.message]

test('the id is good for one record, another method, once', async () => {
  const mfaId = String((await withPassword('ann')).body.mfaId)
  expect(refusal(await withPassword('ben', mfaId))).toEqual([400, 'Invalid MFA session.'])
  expect(refusal(await withPassword('ann', mfaId))).toEqual([
    400,
    'A different authentication method is required.',
  ])
  expect(refusal(await withPassword('ann', '', `?mfaId=${mfaId}`))).toEqual([
    400,
    'A different authentication method is required.',
  ])
  expect((await withCode('ann', mfaId)).status).toBe(200)
  expect(refusal(await withCode('ann', mfaId))).toEqual([400, 'Invalid or expired MFA session.'])
})

test('an id that is no text', async () => {
  const form = { identity: 'ann@example.com', password: PASSWORD, mfaId: 5 }
  const answer = await server.post('/api/collections/users/auth-with-password', form)
  expect(refusal(answer)).toEqual([400, 'Failed to read MFA Id.'])
})

test('an old id is refused and deleted', async () => {
  const mfaId = String((await withPassword('ben')).body.mfaId)
  const { db } = server.server.services.store
  await db.query(`update "_mfas" set created = '2024-01-01 00:00:00.000Z' where id = $1`, [mfaId])
  expect(refusal(await withCode('ben', mfaId))).toEqual([400, 'Invalid or expired MFA session.'])
  expect((await db.query('select 1 from "_mfas" where id = $1', [mfaId])).count).toBe(0)
})

test('its rule says who needs two', async () => {
  expect((await withPassword('trusted')).status).toBe(200)
})

test('a code keeps the password where a second method guards it', async () => {
  const { body } = await withPassword('ben')
  const second = await withCode('ben', String(body.mfaId))
  expect(second.body.record).toMatchObject({ verified: true })
  expect((await withPassword('ben')).status).toBe(401)
})
