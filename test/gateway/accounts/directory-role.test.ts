import type { DirectoryRole } from '../../../src/gateway/accounts/directory-role.ts'
import { setDirectoryRole } from '../../../src/gateway/accounts/directory-role.ts'
import { TestListener } from '../../engine/realtime/test-listener.ts'
import { request } from '../../support/server/request.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'

const fixture = await startServerWithDevices()
const { superuser, query, server } = fixture
const { store, extensions } = server.services

const DAY = 86_400

/** What a directory says about Ben in the account of the shop. */
const say = (shop: Client, ben: Client, said: Partial<DirectoryRole>) =>
  setDirectoryRole(store, extensions, {
    account: shop.id,
    member: ben.id,
    directory: 'oidc',
    role: null,
    provenForSeconds: DAY,
    ...said,
  })
const people = async () => [await fixture.makeUser(), await fixture.makeUser()] as const
const membershipOf = async (shop: Client) =>
  (await shop.call('GET', '/api/collections/members/records')).body.items[0]
const actFor = (ben: Client, shop: Client) =>
  ben.call('POST', '/api/account/act-for', { account: shop.id })
const isAlive = async (token: string) => {
  const headers = { authorization: token }
  return (await fetch(`${fixture.url}/api/account/inbox`, { headers })).status === 200
}

test('a directory makes, changes and ends a membership, and the log of the account names it', async () => {
  const [shop, ben] = await people()
  expect(await say(shop, ben, { role: 'agent' })).toBe('made')
  const { id, ...made } = await membershipOf(shop)
  expect(made).toMatchObject({ role: 'agent', directory: 'oidc', notify: 'all' })
  const { token } = (await actFor(ben, shop)).body
  expect(await say(shop, ben, { role: 'agent' })).toBe('kept')
  expect(await isAlive(token)).toBe(true)
  expect(await say(shop, ben, { role: 'viewer' })).toBe('changed')
  expect([(await membershipOf(shop)).role, await isAlive(token)]).toEqual(['viewer', false])
  expect(await say(shop, ben, {})).toBe('removed')
  expect(await say(shop, ben, {})).toBe('left')
  expect([await membershipOf(shop), (await actFor(ben, shop)).status]).toEqual([undefined, 404])
  const log = await must(shop, 'GET', '/api/collections/account_audit/records?sort=@rowid')
  expect(log.items.map((one: Record<string, unknown>) => [one.action, one.fields])).toEqual([
    ['create', ['role', 'directory']],
    ['update', ['role']],
    ['delete', []],
  ])
  expect(log.items.map((one: Record<string, unknown>) => [one.sender, one.record])).toEqual(
    Array(3).fill([id, id]),
  )
})

test('a directory changes neither the owner nor memberships by people and by other directories', async () => {
  const [shop, ben] = await people()
  expect(await say(shop, shop, { role: 'viewer' })).toBe('left')
  expect(await say(shop, { ...ben, id: 'nobodyisthereee' }, { role: 'viewer' })).toBe('left')
  const values = { account: shop.id, member: ben.id, role: 'admin' }
  const { id } = await must(superuser, 'POST', '/api/collections/members/records', values)
  for (const role of ['viewer', null] as const) expect(await say(shop, ben, { role })).toBe('left')
  expect(await membershipOf(shop)).toMatchObject({ id, role: 'admin', directory: '' })
  await must(superuser, 'DELETE', `/api/collections/members/records/${id}`)
  await say(shop, ben, { role: 'agent', directory: 'oidc2' })
  for (const role of ['viewer', null] as const) expect(await say(shop, ben, { role })).toBe('left')
  expect(await membershipOf(shop)).toMatchObject({ role: 'agent', directory: 'oidc2' })
})

test('only a directory changes the roles that it gave, and marks roles as given by it', async () => {
  const [shop, ben] = await people()
  await say(shop, ben, { role: 'agent' })
  const { id, proven_until } = await membershipOf(shop)
  const path = `/api/collections/members/records/${id}`
  for (const who of [shop, superuser]) {
    const { status, body } = await who.call('PATCH', path, { role: 'admin' })
    expect([status, body.data.role.code]).toEqual([400, 'validation_by_directory'])
    const forged = { directory: '', proven_until: '', addresses: '127.0.0.1' }
    await must(who, 'PATCH', path, forged)
    expect(await membershipOf(shop)).toMatchObject({
      directory: 'oidc',
      proven_until,
      role: 'agent',
    })
  }
  await must(ben, 'PATCH', path, { notify: 'mine', proven_until: '2099-01-01 00:00:00.000Z' })
  expect(await membershipOf(shop)).toMatchObject({ notify: 'mine', proven_until })
  const other = await fixture.makeUser()
  const values = { account: other.id, member: ben.id, role: 'admin', directory: 'oidc' }
  await must(superuser, 'POST', '/api/collections/members/records', values)
  expect(await membershipOf(other)).toMatchObject({ directory: '' })
})

test('two servers that give a person roles at the same time make one membership', async () => {
  const [shop, ben] = await people()
  const roles = ['agent', 'viewer', 'admin', 'agent', 'viewer', 'admin'] as const
  const outcomes = await Promise.all(roles.map((role) => say(shop, ben, { role })))
  expect(outcomes.filter((one) => one === 'made').length).toBe(1)
  expect(outcomes.filter((one) => one === 'changed' || one === 'kept').length).toBe(5)
  expect(await query('select count(*) from members where account = $1', [shop.id])).toEqual([[1]])
})

test('a member whose proof is over is out at once, with streams and notifications, until the next proof', async () => {
  const [shop, ben] = await people()
  await say(shop, ben, { role: 'agent' })
  const { id } = await membershipOf(shop)
  const { token } = (await actFor(ben, shop)).body
  const stream = await TestListener.on(fixture.url, token, 'contacts/*')
  await query(
    `insert into push_subscriptions (id, "user", sender, endpoint, keys, user_agent)
     values ('browser', $1, $2, 'https://push.example.com/1', '{}', '')`,
    [shop.id, id],
  )
  expect(await isAlive(token)).toBe(true)
  await say(shop, ben, { role: 'agent', provenForSeconds: 1 })
  await stream.ended
  expect(await isAlive(token)).toBe(false)
  await until('the end of notifications', async () => {
    return (await query('select 1 from push_subscriptions')).length === 0
  })
  const answer = await actFor(ben, shop)
  expect([answer.status, answer.body.message]).toEqual([
    403,
    'Your directory must confirm this membership: sign in by it again.',
  ])
  expect((await must(ben, 'GET', '/api/account/accounts'))[0]).toMatchObject({
    id: shop.id,
    sign_in_by: 'oidc',
  })
  expect(await say(shop, ben, { role: 'agent' })).toBe('kept')
  expect(await isAlive(token)).toBe(true)
  expect((await must(ben, 'GET', '/api/account/accounts'))[0]).toMatchObject({ sign_in_by: '' })
})

test('only the account and superusers keep a member whom a former directory added', async () => {
  const [shop, ben] = await people()
  const admin = await fixture.makeUser()
  await say(shop, ben, { role: 'agent' })
  await must(superuser, 'POST', '/api/collections/members/records', {
    account: shop.id,
    member: admin.id,
    role: 'admin',
  })
  const { token } = (await actFor(admin, shop)).body
  const acting = { authorization: token }
  const path = `/api/collections/members/records/${(await membershipOf(shop)).id}`
  const former = () =>
    query(
      `update members set directory = 'former', proven_until = '', role = 'agent' where member = $1`,
      [ben.id],
    )
  const state = async () => {
    const { items } = (await shop.call('GET', '/api/collections/members/records')).body
    const { directory, role } = items.find(({ member }: { member: string }) => member === ben.id)
    return `${role} by ${directory}`
  }
  const patch = (headers: Record<string, string>, body: object) =>
    request(fixture.url, 'PATCH', path, body, headers)
  const of = ({ token }: Client) => ({ authorization: token })
  for (const [who, headers, body, then] of [
    ['the owner', of(shop), { directory: '' }, 'agent by '],
    ['the owner, by another role', of(shop), { role: 'viewer' }, 'viewer by '],
    ['an admin', acting, { directory: '' }, 'agent by '],
    ['a superuser', of(superuser), { directory: '' }, 'agent by '],
    ['the owner, to a provider', of(shop), { directory: 'oidc' }, 'agent by former'],
    ['the owner, by another field', of(shop), { addresses: '127.0.0.1' }, 'agent by former'],
    ['the member', of(ben), { directory: '' }, 'agent by former'],
  ] as const) {
    await former()
    await patch(headers, body)
    expect([who, await state()]).toEqual([who, then])
  }
  for (const role of ['viewer', null] as const) expect(await say(shop, ben, { role })).toBe('left')
  expect(await state()).toBe('agent by former')
})
