import { beforeEach, expect, test } from 'vitest'
import { startWriteTestServer } from '../../support/server/write-test-server.ts'
import { stopAfterAll } from '../../support/stop-after-all.ts'

const PASSWORD = 'secret12345'
const ANN = 'collections/workers/records/workerann000001'
const passwords = (password: string, passwordConfirm = password) => ({ password, passwordConfirm })

const create = (body: object, who = '') => shop.ask(who, 'POST', 'collections/workers/records', body)

const shop = stopAfterAll(await startWriteTestServer())
await create({ id: 'workerboss00001', email: 'boss@example.com', role: 'boss', ...passwords(PASSWORD) })
await shop.signIn('boss', 'workers', 'boss@example.com', PASSWORD)

beforeEach(async () => {
  await shop.ask('super', 'DELETE', ANN)
  await create({ id: 'workerann000001', email: 'ann@example.com', ...passwords(PASSWORD) })
  await shop.signIn('ann', 'workers', 'ann@example.com', PASSWORD)
})

const patch = (who: string, body: object) => shop.ask(who, 'PATCH', ANN, body)
const codes = (data: Record<string, { code: string }>) =>
  Object.fromEntries(
    Object.entries(data).map(([field, { code }]) => [field, code.replace('validation_', '')]),
  )

test('an id that another auth collection has', async () => {
  const email = 'twin@example.com'
  const { body } = await create({ id: '_superuser00001', email, ...passwords(PASSWORD) }, 'super')
  expect(codes(body.data)).toEqual({ id: 'invalid_format' })
  const { rows } = await shop.server.services.store.db.query('select id from _superusers')
  const twin = await create({ id: rows[0]![0], email, ...passwords(PASSWORD) })
  expect(codes(twin.body.data)).toEqual({ id: 'invalid_auth_id' })
})

test('one’s own token key and hidden password are nobody’s business', async () => {
  const key = async () => {
    const { db } = shop.server.services.store
    return (await db.query(`select "tokenKey" from workers where id = 'workerann000001'`)).rows[0]![0]
  }
  const before = await key()
  expect((await patch('ann', { tokenKey: 'x'.repeat(50) })).status).toBe(200)
  expect(await key()).toBe(before)
  expect((await patch('super', { 'tokenKey:autogenerate': '' })).status).toBe(200)
  expect(await key()).not.toBe(before)
})

test.each([
  ['a new password', 'ann', { ...passwords('another12345'), oldPassword: PASSWORD }],
  ['a new password by who manages', 'boss', passwords('another12345')],
  ['a new email', 'boss', { email: 'ann2@example.com' }],
] as const)('%s ends all tokens', async (_, who, body) => {
  expect((await shop.ask('ann', 'POST', 'collections/workers/auth-refresh')).status).toBe(200)
  expect((await patch(who, body)).status).toBe(200)
  expect((await shop.ask('ann', 'POST', 'collections/workers/auth-refresh')).status).toBe(401)
})

test('anything else does not', async () => {
  expect((await patch('ann', { emailVisibility: true })).status).toBe(200)
  expect((await patch('boss', { verified: true })).body.verified).toBe(true)
  expect((await shop.ask('ann', 'POST', 'collections/workers/auth-refresh')).status).toBe(200)
})

test('a new password ends known origins; becoming verified ends provider accounts and tokens', async () => {
  const about = { collectionRef: 'workers', recordRef: 'workerann000001' }
  const add = (name: string, body: object) =>
    shop.ask('super', 'POST', `collections/${name}/records`, { ...about, ...body })
  const count = async (name: string) =>
    (await shop.ask('super', 'GET', `collections/${name}/records?filter=recordRef="workerann000001"`)).body
      .totalItems
  await add('_authOrigins', { fingerprint: 'f' })
  await add('_externalAuths', { provider: 'google', providerId: 'g' })
  await patch('boss', passwords('another12345'))
  expect([await count('_authOrigins'), await count('_externalAuths')]).toEqual([0, 1])
  await shop.signIn('ann', 'workers', 'ann@example.com', 'another12345')
  await patch('boss', { verified: true })
  expect(await count('_externalAuths')).toBe(0)
  expect((await shop.ask('ann', 'POST', 'collections/workers/auth-refresh')).status).toBe(401)
})

test('a sign-in that has ended since writes nothing more', async () => {
  expect((await patch('ann', { emailVisibility: true })).status).toBe(200)
  const { db } = shop.server.services.store
  await db.query(`update workers set "tokenKey" = repeat('x', 50) where id = 'workerann000001'`)
  expect((await patch('ann', { emailVisibility: false })).status).toBe(404)
  const note = { worker: 'workerann000001', text: 'late' }
  expect((await shop.ask('ann', 'POST', 'collections/notes/records', note)).status).toBe(400)
})
