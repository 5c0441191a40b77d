import {
  type Client,
  client,
  makeUser as newUser,
  signIn,
} from '../../support/server/server-with-devices.ts'
import { startServerWithMail } from '../../support/server/server-with-mail.ts'
import { SUPERUSER, startServer } from '../../support/server/start.ts'

const fixture = await startServerWithMail()
const { url, services } = fixture.server
const root = await signIn(url, '_superusers', SUPERUSER.email, SUPERUSER.password)
const guest = client(url, '', '')

let count = 0
const makeUser = () => newUser(url, root, { verified: true })
const INVITATIONS = '/api/account/invitations'
const records = (collection: string, id = '') =>
  `/api/collections/${collection}/records${id && `/${id}`}`
const secretIn = (text: string) => /#\/join\/(\w+)/.exec(text)?.[1] ?? ''
const invited = async (who: Client, role = 'agent') => {
  const { status, body } = await who.call('POST', INVITATIONS, { role })
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return { id: String(body.id), secret: secretIn(body.link) }
}
const accept = (who: Client, body: object) => who.call('POST', `${INVITATIONS}/accept`, body)
const membersOf = async (who: Client) => (await who.call('GET', records('members'))).body.items
const isVerified = (email: string) =>
  fixture.rows('select verified from users where email = $1', email)
async function actFor(member: Client, account: string): Promise<Client> {
  const { status, body } = await member.call('POST', '/api/account/act-for', { account })
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return client(url, account, body.token)
}
async function addMember(account: Client, role: string) {
  const member = await makeUser()
  const { secret } = await invited(account, role)
  expect((await accept(member, { secret })).body).toEqual({ account: account.id })
  const [{ id }] = (await membersOf(account)).filter(
    (one: { member: string }) => one.member === member.id,
  )
  return { member, id, acting: await actFor(member, account.id) }
}
const newcomer = () => ({
  name: 'Cleo',
  email: `new${++count}@example.com`,
  password: 'password-of-cleo',
  passwordConfirm: 'password-of-cleo',
})

test('a user joins once by a link, and the account lists and revokes open invitations', async () => {
  const [shop, ben, other] = [await makeUser(), await makeUser(), await makeUser()]
  const { id, secret } = await invited(shop)
  const open = (await shop.call('GET', records('member_invitations'))).body.items
  expect(open).toMatchObject([
    { id, role: 'agent', account: shop.id, invited_by: shop.id, email: '' },
  ])
  expect(JSON.stringify(open)).not.toMatch(/hash|secret/)
  const show = () => guest.call('POST', `${INVITATIONS}/show`, { secret })
  const { name: account } = (await shop.call('GET', '/api/account/me')).body
  expect((await show()).body).toEqual({ account, inviter: account, role: 'agent', email: '' })
  expect((await accept(ben, { secret })).body).toEqual({ account: shop.id })
  expect((await show()).status).toBe(400)
  expect(await membersOf(shop)).toMatchObject([{ member: ben.id, role: 'agent', notify: 'all' }])
  expect((await accept(other, { secret })).status).toBe(400)
  const second = await invited(shop)
  expect((await accept(ben, second)).status).toBe(400)
  expect((await accept(shop, second)).status).toBe(400)
  await shop.call('DELETE', records('member_invitations', second.id))
  expect((await accept(other, second)).status).toBe(400)
  expect((await membersOf(shop)).length).toBe(1)
})

test('a newcomer can sign up only with an invitation', async () => {
  const shop = await makeUser()
  const { secret } = await invited(shop, 'viewer')
  const person = newcomer()
  const { passwordConfirm: _, ...without } = person
  expect((await accept(guest, { secret, ...without })).status).toBe(400)
  expect((await accept(guest, { secret, ...person, email: shop.email })).status).toBe(400)
  expect(
    (await accept(guest, { secret, ...person, verified: true, monthly_quota: 7 })).body,
  ).toEqual({
    account: shop.id,
  })
  expect((await accept(guest, { secret, ...newcomer() })).status).toBe(400)
  const cleo = client(url, '', await fixture.signIn('users', person.email, person.password))
  const { status, body } = await (await actFor(cleo, shop.id)).call('GET', '/api/account/me')
  expect([status, body.role, body.name]).toEqual([200, 'viewer', 'Cleo'])
  const select = 'select verified, monthly_quota from users where email = $1'
  expect(await fixture.rows(select, person.email)).toEqual([[false, 0]])
})

test('a mailed invitation verifies the address that it was sent to and no other', async () => {
  const shop = await makeUser()
  for (const isOther of [false, true]) {
    const person = newcomer()
    const made = await shop.call('POST', INVITATIONS, {
      role: 'agent',
      email: person.email.toUpperCase(),
    })
    expect(Object.keys(made.body)).toEqual(['id'])
    const mail = await fixture.mail.next()
    const secret = secretIn(mail.text)
    const email = isOther ? `other-${person.email}` : person.email
    expect((await accept(guest, { secret, ...person, email })).status).toBe(200)
    expect(await isVerified(email)).toEqual([[!isOther]])
  }
})

test('an invitation is mailed in the language of the invited person, else of the inviting one', async () => {
  const [shop, known] = await Promise.all([makeUser(), makeUser()])
  const speak = (who: Client, language: string) =>
    who.call('PATCH', records('users', who.id), { language })
  const invite = async (email: string, who: Client = shop) => {
    expect((await who.call('POST', INVITATIONS, { role: 'admin', email })).status).toBe(200)
    return fixture.mail.next()
  }
  await speak(shop, 'es')
  const first = await invite('somebody@example.com')
  expect(first.subject).toMatch(/^Invitación de /)
  expect(first.text).toContain('El enlace vale durante 7 días')
  await speak(known, 'fr')
  const { email } = (await known.call('GET', records('users', known.id))).body
  expect((await invite(email)).subject).toMatch(/ vous invite$/)
  const { member, acting } = await addMember(shop, 'admin')
  await speak(member, 'de')
  expect((await invite('another@example.com', acting)).subject).toMatch(/ lädt Sie ein$/)
})

test('an invitation that was not mailed verifies no address', async () => {
  const shop = await makeUser()
  const { smtp } = services.settings.current
  await root.call('PATCH', '/api/settings', { smtp: { enabled: false } })
  const person = newcomer()
  const { link } = (await shop.call('POST', INVITATIONS, { role: 'agent', email: person.email }))
    .body
  await root.call('PATCH', '/api/settings', { smtp })
  expect((await accept(guest, { secret: secretIn(link), ...person })).status).toBe(200)
  expect(await isVerified(person.email)).toEqual([[false]])
})

test('invitations expire and are deleted with their account', async () => {
  const [shop, ben] = [await makeUser(), await makeUser()]
  const [late, orphan] = [await invited(shop), await invited(shop)]
  await fixture.rows(
    'update member_invitations set expires = pb_text(now()) where id = $1',
    late.id,
  )
  expect((await accept(ben, late)).status).toBe(400)
  await shop.call('DELETE', records('users', shop.id))
  expect((await accept(ben, orphan)).status).toBe(400)
})

test('guesses of invitation secrets are limited per address', async () => {
  const server = await startServer()
  const stranger = client(server.url, '', '')
  const statuses: number[] = []
  for (let i = 0; i < 10; i++)
    statuses.push((await accept(stranger, { secret: `guess${i}` })).status)
  expect(statuses).toEqual([...Array(8).fill(400), 429, 429])
  // from all addresses there is no limit: it would stop everybody who is invited
  const { rows } = await server.services.store.db.query(
    `select key from auth_tries where key like 'invitation%'`,
  )
  expect(rows).toEqual([['invitation from 127.0.0.1']])
  await server.stop()
})

test('only admins invite, and invitations end when their admin is removed or demoted', async () => {
  const [shop, evil] = [await makeUser(), await makeUser()]
  const [admin, agent] = [await addMember(shop, 'admin'), await addMember(shop, 'agent')]
  for (const role of ['agent', 'admin', 'owner'])
    expect((await agent.acting.call('POST', INVITATIONS, { role })).status).toBe(403)
  expect((await shop.call('POST', INVITATIONS, { role: 'owner' })).status).toBe(400)
  const link = await invited(admin.acting, 'admin')
  const code = (await admin.acting.call('POST', '/api/devices/pairing', { name: 'Evil' })).body.code
  expect((await accept(agent.acting, link)).status).toBe(403)
  // a member is not made an admin by an admin's invitation
  expect((await accept(agent.member, link)).status).toBe(400)
  expect((await shop.call('PATCH', records('members', admin.id), { role: 'viewer' })).status).toBe(
    200,
  )
  expect((await accept(evil, link)).status).toBe(400)
  expect(
    (await guest.call('POST', '/api/devices/pair', { code, platform: 'android' })).status,
  ).not.toBe(200)
  expect((await root.call('POST', INVITATIONS, { role: 'admin' })).status).toBe(403)
})

test('changes of the owner and of members are recorded for the account and its admins, without values', async () => {
  const shop = await makeUser()
  const [admin, agent] = [await addMember(shop, 'admin'), await addMember(shop, 'agent')]
  const { acting } = admin
  const make = async (collection: string, body: object) =>
    (await acting.call('POST', records(collection), body)).body
  const user = shop.id
  const key = await make('api_keys', { user, name: 'till' })
  const hook = await make('webhooks', {
    user,
    url: 'https://example.com/hook',
    events: ['message.sent'],
  })
  await acting.call('PATCH', records('webhooks', hook.id), { enabled: false })
  await acting.call('POST', `/api/webhooks/${hook.id}/rotate`)
  await acting.call('PATCH', records('members', agent.id), { role: 'viewer' })
  await acting.call('DELETE', records('api_keys', key.id))
  await acting.call('POST', '/api/batch', {
    requests: [{ method: 'DELETE', url: records('webhooks', hook.id) }],
  })
  await make('contacts', { user, phone: '+4915112345678' })
  const till = (await shop.call('POST', records('api_keys'), { user, name: 'own' })).body
  const joined = `?sort=@rowid&filter=${encodeURIComponent("collection != 'member_invitations' && (collection != 'members' || action != 'create')")}`
  const { items } = (await acting.call('GET', records('account_audit') + joined)).body
  const seen = items.map((one: Record<string, unknown>) => [
    one.action,
    one.collection,
    one.record,
    one.fields,
    one.sender,
  ])
  expect(seen).toEqual([
    ['create', 'api_keys', key.id, ['user', 'name'], admin.id],
    ['create', 'webhooks', hook.id, ['user', 'url', 'events'], admin.id],
    ['update', 'webhooks', hook.id, ['enabled'], admin.id],
    ['rotate secret', 'webhooks', hook.id, [], admin.id],
    ['update', 'members', agent.id, ['role'], admin.id],
    ['delete', 'api_keys', key.id, [], admin.id],
    ['delete', 'webhooks', hook.id, [], admin.id],
    ['create', 'api_keys', till.id, ['user', 'name'], shop.id],
  ])
  expect((await shop.call('GET', records('account_audit') + joined)).body.totalItems).toBe(8)
  expect((await admin.member.call('GET', records('account_audit'))).body.totalItems).toBe(0)
  for (const caller of [acting, shop]) {
    const one = records('account_audit', items[0].id)
    const own = { user, action: 'create', collection: 'webhooks' }
    const changes = [
      await caller.call('POST', records('account_audit'), own),
      await caller.call('PATCH', one, { action: 'delete' }),
      await caller.call('DELETE', one),
    ]
    expect(changes.map(({ status }) => status)).toEqual([403, 403, 403])
  }
})
