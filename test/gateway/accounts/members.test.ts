import { openCatalogStore } from '../../support/database/open.ts'
import { type Client, startServerWithDevices } from '../../support/server/server-with-devices.ts'

const fixture = await startServerWithDevices()
const { superuser, query } = fixture

const make = async (who: Client, collection: string, values: object) =>
  (await who.call('POST', `/api/collections/${collection}/records`, values)).body
const join = (account: Client, member: Client, role = 'agent') =>
  make(superuser, 'members', { account: account.id, member: member.id, role })
const senders = async (who: Client) =>
  (await who.call('GET', '/api/collections/senders/records?sort=kind')).body.items.map(
    ({ id, kind, name }: Record<string, string>) => ({ id, kind, name }),
  )
const rename = (who: Client, name: string) =>
  who.call('PATCH', `/api/collections/users/records/${who.id}`, { name })

test('each user, key and member has a sender row that keeps its name after deletion', async () => {
  const [shop, ben] = [await fixture.makeUser(), await fixture.makeUser()]
  await rename(shop, 'Shop')
  const key = await make(shop, 'api_keys', { user: shop.id, name: 'till' })
  const member = await join(shop, ben)
  await rename(ben, 'Ben')
  const rows = [
    { id: key.id, kind: 'key', name: 'till' },
    { id: member.id, kind: 'member', name: 'Ben' },
    { id: shop.id, kind: 'owner', name: 'Shop' },
  ]
  expect(await senders(shop)).toEqual(rows)
  for (const [collection, { id }] of [
    ['api_keys', key],
    ['members', member],
  ] as const)
    await shop.call('DELETE', `/api/collections/${collection}/records/${id}`)
  expect(await senders(shop)).toEqual(rows)
  expect((await senders(ben)).length).toBe(1)
  await superuser.call('DELETE', `/api/collections/users/records/${shop.id}`)
  expect(await query('select id from senders where "user" = $1', [shop.id])).toEqual([])
})

test('an API key or auto-answer cannot take the id of an existing sender', async () => {
  const [shop, other] = [await fixture.makeUser(), await fixture.makeUser()]
  await rename(shop, 'Shop')
  const { id } = await make(shop, 'api_keys', { user: shop.id, name: 'till' })
  const before = await senders(shop)
  for (const [who, taken] of [
    [other, shop.id],
    [other, id],
    [shop, shop.id],
  ] as const) {
    const values = { id: taken, user: who.id, name: 'False' }
    for (const [collection, more] of [
      ['api_keys', {}],
      ['auto_answers', { match: 'any', body: 'Hello' }],
    ] as const) {
      const path = `/api/collections/${collection}/records`
      expect((await who.call('POST', path, { ...values, ...more })).status).toBe(400)
    }
  }
  expect(await senders(shop)).toEqual(before)
})

test('a start adds missing sender rows', async () => {
  const shop = await fixture.makeUser()
  await make(shop, 'api_keys', { user: shop.id, name: 'till' })
  const before = await senders(shop)
  await query('delete from senders')
  for (const [name, table] of [
    ['users', 'users'],
    ['keys', 'api_keys'],
  ])
    await query(`drop trigger senders_of_${name} on ${table}`)
  await (await openCatalogStore(fixture.server.services.store.db)).close()
  expect(await senders(shop)).toEqual(before)
})

test('an account and its member both see the membership, and each can change its own fields only', async () => {
  const [shop, ben, other] = [
    await fixture.makeUser(),
    await fixture.makeUser(),
    await fixture.makeUser(),
  ]
  const { id } = await join(shop, ben)
  const path = `/api/collections/members/records/${id}`
  const statusOf = async (who: Client, body: object) => (await who.call('PATCH', path, body)).status
  expect(
    await Promise.all([shop, ben, other].map(async (who) => (await who.call('GET', path)).status)),
  ).toEqual([200, 200, 404])
  expect(await statusOf(shop, { role: 'viewer' })).toBe(200)
  expect(await statusOf(shop, { notify: 'none' })).toBe(404)
  expect(await statusOf(ben, { role: 'admin' })).toBe(404)
  expect(await statusOf(ben, { notify: 'mine' })).toBe(200)
  expect((await ben.call('GET', path)).body).toMatchObject({
    role: 'viewer',
    notify: 'mine',
    account: shop.id,
  })
  expect((await ben.call('GET', path)).body.tokenKey).toBeUndefined()
  expect((await ben.call('DELETE', path)).status).toBe(204)
  expect(
    (
      await ben.call('POST', '/api/collections/members/records', {
        account: shop.id,
        member: ben.id,
        role: 'admin',
      })
    ).status,
  ).toBe(403)
})

test('an account cannot add itself or the same member twice', async () => {
  const [shop, ben] = [await fixture.makeUser(), await fixture.makeUser()]
  await join(shop, ben)
  expect((await join(shop, shop)).status).toBe(400)
  expect((await join(shop, ben)).status).toBe(400)
})

test('a user reads their own identity and the accounts that they may act for', async () => {
  const [shop, ben] = [await fixture.makeUser(), await fixture.makeUser()]
  await rename(shop, 'Shop')
  await join(shop, ben, 'viewer')
  const me = {
    account: { id: shop.id, name: 'Shop' },
    sender: shop.id,
    role: 'owner',
    name: 'Shop',
  }
  expect((await shop.call('GET', '/api/account/me')).body).toEqual(me)
  expect((await superuser.call('GET', '/api/account/me')).body).toMatchObject({
    sender: '',
    role: 'owner',
  })
  const accounts = [{ id: shop.id, name: 'Shop', role: 'viewer', sign_in_by: '' }]
  expect((await ben.call('GET', '/api/account/accounts')).body).toEqual(accounts)
  const settings = { user: shop.id, account_name: 'The shop' }
  expect((await shop.call('POST', '/api/collections/user_settings/records', settings)).status).toBe(
    200,
  )
  expect((await shop.call('GET', '/api/account/me')).body).toEqual({
    ...me,
    account: { id: shop.id, name: 'The shop' },
  })
  expect((await ben.call('GET', '/api/account/accounts')).body).toMatchObject([
    { name: 'The shop' },
  ])
})
