import { createHash } from 'node:crypto'
import { makeRandomId } from '../../../src/platform/tools/random.ts'
import { request } from '../../support/server/request.ts'
import {
  type Client,
  client,
  makeUser as newUser,
  PASSWORD,
  signIn,
} from '../../support/server/server-with-devices.ts'
import { startServerWithMail } from '../../support/server/server-with-mail.ts'
import { SUPERUSER } from '../../support/server/start.ts'

const fixture = await startServerWithMail()
const { url } = fixture.server
const { rows, mail } = fixture
const root = await signIn(url, '_superusers', SUPERUSER.email, SUPERUSER.password)
const guest = client(url, '', '')

const records = (collection: string, id = '') =>
  `/api/collections/${collection}/records${id && `/${id}`}`
const listOf = async (who: Client, collection: string) =>
  (await who.call('GET', `${records(collection)}?sort=@rowid`)).body.items
const membersOf = async (who: Client) =>
  (await listOf(who, 'members')).map(({ member, role, directory }: Record<string, string>) => ({
    ...{ member, role, directory },
  }))

type Named = Readonly<Record<string, string>>
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all shapes
type Answer = { status: number; body: any; headers: Headers }

/** Someone with a directory: `scim` asks as it does, with the key of the account. */
async function makeShop(domains = '') {
  const owner = await newUser(url, root, { verified: true })
  await owner.call('POST', records('user_settings'), { user: owner.id, account_name: 'Shop' })
  const [settings] = await listOf(owner, 'user_settings')
  await root.call('PATCH', records('user_settings', settings.id), { directory_domains: domains })
  const made = await owner.call('POST', records('api_keys'), {
    ...{ user: owner.id, name: 'Entra ID', scopes: ['members:manage'] },
  })
  const { id: keyId, key } = made.body
  return { owner, keyId, key, scim: makeScim(key) }
}
const makeScim =
  (key: string) =>
  async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/scim+json' }
    const answer = await request(url, method, `/scim/v2/${path}`, body, headers)
    return { ...answer, body: answer.text === '' ? undefined : JSON.parse(answer.text) }
  }
type Shop = Awaited<ReturnType<typeof makeShop>>

const mailsTo = (email: string) => mail.mails.filter(({ to }) => to === email)
const newEmail = (domain = 'example.com') => `${makeRandomId()}@${domain}`
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
/** A user as Entra ID sends it. */
const user = (email: string, more: object = {}) => ({
  schemas: [USER, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
  externalId: `of-${email}`,
  userName: email,
  active: true,
  emails: [{ primary: true, type: 'work', value: email }],
  meta: { resourceType: 'User' },
  name: { formatted: 'Ben Lee', familyName: 'Lee', givenName: 'Ben' },
  roles: [],
  ...more,
})
const created = async ({ scim }: Shop, email: string, more: object = {}) => {
  const { status, body } = await scim('POST', 'Users', user(email, more))
  if (status !== 201) throw new Error(JSON.stringify(body))
  return String(body.id)
}
const disable = { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] }
const enable = { Operations: [{ op: 'Replace', path: 'active', value: 'True' }] }
const addTo = (...ids: string[]) => ({
  Operations: ids.map((value) => ({ op: 'Add', path: 'members', value: [{ $ref: null, value }] })),
})
const makeGroup = async ({ scim }: Shop, displayName: string, ...members: string[]) => {
  const body = { displayName, members: members.map((value) => ({ value })) }
  return String((await scim('POST', 'Groups', body)).body.id)
}
const secretOf = (email: string) =>
  /#\/join\/(\w+)/.exec(mailsTo(email).at(-1)?.text ?? '')?.[1] ?? ''
const accept = (who: Client, email: string, more: object = {}) =>
  who.call('POST', '/api/account/invitations/accept', { secret: secretOf(email), ...more })
const join = async (email: string) => {
  const joined = await accept(guest, email, {
    ...{ name: 'Ben', email, password: PASSWORD, passwordConfirm: PASSWORD },
  })
  if (joined.status !== 200) throw new Error(JSON.stringify(joined.body))
  return signIn(url, 'users', email, PASSWORD)
}
const actFor = (who: Client, { owner }: Shop) =>
  who.call('POST', '/api/account/act-for', { account: owner.id })

test('a new person becomes a member by the mailed invitation, follows groups, and leaves with the directory', async () => {
  const shop = await makeShop()
  const email = newEmail()
  const made = await shop.scim('POST', 'Users', user(email))
  expect([made.status, made.headers.get('content-type')]).toEqual([201, 'application/scim+json'])
  const { id, meta } = made.body
  expect(made.body).toEqual({
    ...{ schemas: [USER], id, meta, userName: email, externalId: `of-${email}`, active: true },
    emails: [{ value: email, type: 'work', primary: true }],
    name: { formatted: 'Ben Lee', familyName: 'Lee', givenName: 'Ben' },
  })
  expect(meta.location).toBe(made.headers.get('location'))
  expect(await membersOf(shop.owner)).toEqual([])
  await shop.scim('PATCH', `Users/${id}`, enable)
  expect(mailsTo(email)).toHaveLength(1)

  const group = await makeGroup(shop, 'SMS Agents', id)
  const ben = await join(email)
  const member = { member: ben.id, directory: 'scim' }
  expect(await membersOf(shop.owner)).toEqual([{ ...member, role: 'agent' }])
  const admins = await makeGroup(shop, 'admins')
  expect((await shop.scim('PATCH', `Groups/${admins}`, addTo(id))).status).toBe(204)
  expect(await membersOf(shop.owner)).toEqual([{ ...member, role: 'admin' }])
  await shop.scim('DELETE', `Groups/${admins}`)
  await shop.scim('PATCH', `Groups/${group}`, {
    Operations: [{ op: 'remove', path: `members[value eq "${id}"]` }],
  })
  expect(await membersOf(shop.owner)).toEqual([{ ...member, role: 'viewer' }])

  const { token } = (await actFor(ben, shop)).body
  const acting = client(url, shop.owner.id, token)
  expect((await acting.call('GET', '/api/account/inbox')).status).toBe(200)
  expect((await shop.scim('PATCH', `Users/${id}`, disable)).body.active).toBe(false)
  expect(await membersOf(shop.owner)).toEqual([])
  expect((await acting.call('GET', '/api/account/inbox')).status).toBe(401)
  // a member of no team is signed out
  expect((await actFor(ben, shop)).status).toBe(401)
  const log = await listOf(shop.owner, 'account_audit')
  const ours = log.filter(({ sender }: { sender: string }) => sender === shop.keyId)
  expect(ours.map((one: Named) => `${one.action} ${one.collection} ${one.fields}`)).toEqual([
    'create member_invitations ',
    'update members role',
    'update members role',
    'update members role',
    'delete members ',
  ])
})

test('a user who exists must accept the invitation, and keeps password, address and other teams', async () => {
  const [shop, other] = [await makeShop(), await makeShop()]
  const ben = await newUser(url, root, { verified: true })
  const before = await rows('select * from users where id = $1', ben.id)
  const id = await created(shop, ben.email)
  expect(await membersOf(shop.owner)).toEqual([])
  expect(JSON.stringify((await shop.scim('GET', `Users/${id}`)).body)).not.toContain(ben.id)
  await created(other, ben.email)
  await accept(ben, ben.email)
  expect(await membersOf(other.owner)).toEqual([
    { member: ben.id, role: 'viewer', directory: 'scim' },
  ])
  await shop.scim('PUT', `Users/${id}`, user('mallory@example.com', { userName: ben.email }))
  await shop.scim('DELETE', `Users/${id}`)
  expect(await membersOf(other.owner)).toHaveLength(1)
  const after = await rows('select * from users where id = $1', ben.id)
  expect(after).toEqual(before)
  await signIn(url, 'users', ben.email, PASSWORD)
})

test('a member with a confirmed address is taken over with the role they have; others are invited', async () => {
  const shop = await makeShop()
  const [ben, mallory] = [await newUser(url, root, { verified: true }), await newUser(url, root)]
  for (const { id: member } of [ben, mallory])
    await root.call('POST', records('members'), { account: shop.owner.id, member, role: 'agent' })
  const id = await created(shop, ben.email)
  await created(shop, mallory.email, { roles: [{ value: 'admin' }] })
  expect(await membersOf(shop.owner)).toEqual([
    { member: ben.id, role: 'agent', directory: 'scim' },
    { member: mallory.id, role: 'agent', directory: '' },
  ])
  expect([mailsTo(ben.email), mailsTo(mallory.email)].map(({ length }) => length)).toEqual([0, 1])
  await shop.scim('PATCH', `Users/${id}`, {
    Operations: [{ op: 'Add', path: 'roles[primary eq "True"].value', value: 'admin' }],
  })
  expect((await membersOf(shop.owner))[0].role).toBe('admin')
  await shop.scim('DELETE', `Users/${id}`)
  expect(await membersOf(shop.owner)).toHaveLength(1)
})

test('people of domains that a superuser has named are members at once, and nobody can be taken over', async () => {
  const domain = `${makeRandomId()}.example`
  const shop = await makeShop(domain)
  const [email, known, squatted] = [newEmail(domain), newEmail(domain), newEmail(domain)]
  const ben = await newUser(url, root, { email: known, verified: true })
  await newUser(url, root, { email: squatted })
  const ids = [
    await created(shop, email),
    await created(shop, known),
    await created(shop, squatted),
  ]
  const [[madeId, ...made] = []] = await rows(
    'select id, verified, member_only, name from users where email = $1',
    email,
  )
  expect(made).toEqual([true, true, 'Ben Lee'])
  expect((await membersOf(shop.owner)).map(({ member }: Named) => member)).toEqual([madeId, ben.id])
  expect([email, known, squatted].map((to) => mailsTo(to).length)).toEqual([0, 0, 1])
  await signIn(url, 'users', known, PASSWORD)
  for (const id of ids) expect((await shop.scim('DELETE', `Users/${id}`)).status).toBe(204)
  expect(await membersOf(shop.owner)).toEqual([])
  expect(
    await rows('select 1 from users where email = any($1)', [email, known, squatted]),
  ).toHaveLength(3)
  const settings = (await listOf(shop.owner, 'user_settings'))[0]
  const steal = { directory_domains: 'example.com' }
  expect(
    (await shop.owner.call('PATCH', records('user_settings', settings.id), steal)).status,
  ).toBe(404)
  const other = await newUser(url, root)
  expect(
    (await other.call('POST', records('user_settings'), { user: other.id, ...steal })).status,
  ).toBe(400)
})

test('a member who left is not brought back, and is invited anew only when the directory activates them again', async () => {
  const shop = await makeShop()
  const email = newEmail()
  const id = await created(shop, email)
  const ben = await join(email)
  const [{ id: membership }] = await listOf(shop.owner, 'members')
  await ben.call('DELETE', records('members', membership))
  expect((await shop.scim('PUT', `Users/${id}`, user(email))).status).toBe(200)
  await makeGroup(shop, 'agents', id)
  expect([await membersOf(shop.owner), mailsTo(email).length]).toEqual([[], 1])
  await shop.scim('PATCH', `Users/${id}`, disable)
  await shop.scim('PATCH', `Users/${id}`, enable)
  expect([await membersOf(shop.owner), mailsTo(email).length]).toEqual([[], 2])
})

test('an open invitation ends with the directory, and has the role of the groups by then', async () => {
  const shop = await makeShop()
  const [email, next] = [newEmail(), newEmail()]
  const id = await created(shop, email)
  const first = secretOf(email)
  await makeGroup(shop, 'agents', id)
  expect((await listOf(shop.owner, 'member_invitations')).map(({ role }: Named) => role)).toEqual([
    'agent',
  ])
  const moved = {
    Operations: [{ op: 'Replace', path: 'emails[type eq "work"].value', value: next }],
  }
  await shop.scim('PATCH', `Users/${id}`, moved)
  const show = (secret: string) => guest.call('POST', '/api/account/invitations/show', { secret })
  expect([(await show(first)).status, (await show(secretOf(next))).body.role]).toEqual([
    400,
    'agent',
  ])
  await shop.scim('DELETE', `Users/${id}`)
  expect((await show(secretOf(next))).status).toBe(400)
})

test('an invitation by the owner to the same address gives the role of the directory', async () => {
  const shop = await makeShop()
  const email = newEmail()
  await created(shop, email)
  await shop.owner.call('POST', '/api/account/invitations', { role: 'admin', email })
  const ben = await join(email)
  const member = { member: ben.id, role: 'viewer', directory: 'scim' }
  expect(await membersOf(shop.owner)).toEqual([member])
})

test('roles that a request could not finish are given by the next one', async () => {
  const domain = `${makeRandomId()}.example`
  const shop = await makeShop(domain)
  const id = await created(shop, newEmail(domain))
  const group = await makeGroup(shop, 'admins', id)
  await rows(`update directory_people set groups = '{}' where id = $1`, id)
  await makeGroup(shop, 'Sales')
  expect((await membersOf(shop.owner)).map(({ role }: Named) => role)).toEqual(['viewer'])
  expect((await shop.scim('GET', `Groups/${group}`)).body.members).toEqual([])
})

test('the owner of the account cannot be made a member, changed or removed', async () => {
  const shop = await makeShop()
  const { email } = (await shop.owner.call('GET', records('users', shop.owner.id))).body
  for (const address of [email, email.toUpperCase()]) {
    const refused = await shop.scim('POST', 'Users', user(address))
    expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining('owner')])
  }
  expect((await shop.scim('GET', 'Users')).body.totalResults).toBe(0)
})

test('a directory sees and changes its own account only', async () => {
  const [shop, other] = [await makeShop(), await makeShop()]
  const id = await created(shop, newEmail())
  const group = await makeGroup(shop, 'agents', id)
  for (const [method, path, body] of [
    ['GET', `Users/${id}`],
    ['PUT', `Users/${id}`, user(newEmail())],
    ['PATCH', `Users/${id}`, disable],
    ['DELETE', `Users/${id}`],
    ['GET', `Groups/${group}`],
    ['PUT', `Groups/${group}`, { displayName: 'x' }],
    ['PATCH', `Groups/${group}`, addTo()],
    ['DELETE', `Groups/${group}`],
  ] as const)
    expect([path, (await other.scim(method, path, body)).status]).toEqual([path, 404])
  expect(
    (await other.scim('GET', `Groups?filter=${encodeURIComponent(`members eq "${id}"`)}`)).body
      .totalResults,
  ).toBe(0)
  const foreign = await other.scim('POST', 'Groups', { displayName: 'x', members: [{ value: id }] })
  expect([foreign.status, foreign.body.scimType]).toEqual([400, 'invalidValue'])
  expect((await other.scim('GET', 'Groups')).body.totalResults).toBe(0)
  expect(await listOf(other.owner, 'directory_people')).toEqual([])
  expect((await shop.scim('GET', `Users/${id}`)).body.groups).toEqual([
    { value: group, display: 'agents' },
  ])
})

test('only a key with the scope members:manage opens it, and only the owner makes and changes such keys', async () => {
  const shop = await makeShop()
  const admin = await newUser(url, root, { verified: true })
  await root.call('POST', records('members'), {
    account: shop.owner.id,
    member: admin.id,
    role: 'admin',
  })
  const acting = client(url, shop.owner.id, (await actFor(admin, shop)).body.token)
  const values = { user: shop.owner.id, name: 'x' }
  const make = (who: Client, scopes: string[]) =>
    who.call('POST', records('api_keys'), { ...values, scopes })
  const all = (await make(acting, ['all:any'])).body
  expect((await makeScim(all.key)('GET', 'Users')).status).toBe(403)
  expect((await makeScim('psk_wrong')('GET', 'Users')).status).toBe(401)
  expect((await makeScim(shop.owner.token)('GET', 'Users')).status).toBe(401)
  expect((await make(acting, ['members:manage'])).status).toBe(403)
  const change = (id: string, body: object) => acting.call('PATCH', records('api_keys', id), body)
  expect((await change(all.id, { scopes: ['members:manage'] })).status).toBe(403)
  expect((await change(shop.keyId, { prefix: '' })).status).toBe(403)
  expect((await change(shop.keyId, { addresses: '' })).status).toBe(403)
  expect((await acting.call('DELETE', records('api_keys', shop.keyId))).status).toBe(204)
  const { status, body } = await shop.scim('GET', 'Users')
  expect([status, body.schemas, body.status]).toEqual([
    401,
    ['urn:ietf:params:scim:api:messages:2.0:Error'],
    '401',
  ])
})

test('lists are found and paged as Entra ID, Okta and authentik ask for them', async () => {
  const shop = await makeShop()
  const emails = ['a', 'b', 'c'].map((name) => `${name}${newEmail()}`)
  const ids: string[] = []
  for (const email of emails) ids.push(await created(shop, email))
  const groups = [await makeGroup(shop, 'Viewers', ids[0]!), await makeGroup(shop, 'Sales')]
  const list = async (path: string) => {
    const { body } = await shop.scim('GET', path)
    return [
      body.totalResults,
      body.startIndex,
      body.itemsPerPage,
      body.Resources.map(({ id }: Named) => id),
    ]
  }
  const by = (filter: string) => `filter=${encodeURIComponent(filter)}`
  expect(await list('Users?startIndex=1&count=2')).toEqual([3, 1, 2, ids.slice(0, 2)])
  expect(await list('Users?startIndex=3&count=2')).toEqual([3, 3, 1, ids.slice(2)])
  expect(await list('Users?startIndex=9')).toEqual([3, 9, 0, []])
  expect(await list('Users?count=0')).toEqual([3, 1, 0, []])
  expect(await list(`Users?${by(`userName eq "${emails[1]!.toUpperCase()}"`)}`)).toEqual([
    1,
    1,
    1,
    [ids[1]],
  ])
  expect(await list(`Users?${by(`emails[type eq "work"].value eq "${emails[2]}"`)}`)).toEqual([
    1,
    1,
    1,
    [ids[2]],
  ])
  expect(await list(`Users?${by(`externalId eq "of-${emails[0]}" and active eq true`)}`)).toEqual([
    1,
    1,
    1,
    [ids[0]],
  ])
  expect(await list(`Users?${by('userName eq "0a21f0f2"')}`)).toEqual([0, 1, 0, []])
  expect(await list(`Groups?excludedAttributes=members&${by('displayName eq "viewers"')}`)).toEqual(
    [1, 1, 1, groups.slice(0, 1)],
  )
  expect(await list(`Groups?${by(`id eq "${groups[0]}" and members eq "${ids[0]}"`)}`)).toEqual([
    1,
    1,
    1,
    groups.slice(0, 1),
  ])
  expect(await list('Groups?startIndex=2&count=1')).toEqual([2, 2, 1, groups.slice(1)])
  const group = await shop.scim('GET', `Groups/${groups[0]}`)
  expect(group.body.members).toEqual([{ value: ids[0], $ref: expect.stringContaining(ids[0]!) }])
  expect(
    (await shop.scim('GET', `Groups/${groups[0]}?excludedAttributes=members`)).body.members,
  ).toBeUndefined()
  const only = (await shop.scim('GET', `Users/${ids[0]}?attributes=userName`)).body
  expect(Object.keys(only)).toEqual(['schemas', 'id', 'userName', 'meta'])
})

test('wrong requests get an error of SCIM that says what is wrong, and change nothing', async () => {
  const shop = await makeShop()
  const email = newEmail()
  const id = await created(shop, email)
  const group = await makeGroup(shop, 'Sales')
  for (const [method, path, body, status, scimType] of [
    ['POST', 'Users', user(email.toUpperCase()), 409, 'uniqueness'],
    ['POST', 'Users', user(email, { userName: 'other' }), 409, 'uniqueness'],
    ['POST', 'Users', {}, 400, 'invalidValue'],
    ['POST', 'Users', [], 400, 'invalidValue'],
    ['POST', 'Users', 'no json', 400, undefined],
    ['POST', 'Users', { userName: 'without an address' }, 400, 'invalidValue'],
    ['PUT', `Users/${id}`, user(email, { active: 'maybe' }), 400, 'invalidValue'],
    [
      'PATCH',
      `Users/${id}`,
      { Operations: [{ op: 'remove', path: 'userName' }] },
      400,
      'invalidValue',
    ],
    ['POST', 'Groups', { displayName: 'SALES' }, 409, 'uniqueness'],
    ['POST', 'Groups', { members: [] }, 400, 'invalidValue'],
    ['PATCH', `Groups/${group}`, addTo('nobody'), 400, 'invalidValue'],
    ['GET', 'Users?filter=userName%20sw%20"a"', undefined, 400, 'invalidFilter'],
    ['GET', 'Users?filter=title%20eq%20"a"', undefined, 400, 'invalidFilter'],
    ['GET', 'Groups?filter=__proto__%20eq%20"a"', undefined, 400, 'invalidFilter'],
    ['GET', 'Users?count=many', undefined, 400, 'invalidValue'],
    ['GET', 'Users/unknown', undefined, 404, undefined],
    ['GET', 'Schemas/unknown', undefined, 404, undefined],
    ['PUT', 'Schemas', {}, 405, undefined],
    ['GET', 'Me', undefined, 404, undefined],
  ] as const) {
    const answer = await shop.scim(method, path, body)
    const { schemas, detail, ...rest } = answer.body
    expect([path, schemas[0]]).toEqual([path, 'urn:ietf:params:scim:api:messages:2.0:Error'])
    expect([path, rest, detail !== '']).toEqual([
      path,
      { status: String(status), ...(scimType && { scimType }) },
      true,
    ])
  }
  expect((await shop.scim('GET', 'Users')).body.totalResults).toBe(1)
  expect((await shop.scim('GET', 'Groups')).body.Resources).toMatchObject([
    { displayName: 'Sales', members: [] },
  ])
})

test('requests at once lose no member of a group', async () => {
  const domain = `${makeRandomId()}.example`
  const shop = await makeShop(domain)
  const ids = await Promise.all(Array.from({ length: 6 }, () => created(shop, newEmail(domain))))
  const group = await makeGroup(shop, 'agents')
  const answers = await Promise.all(
    ids.map((id) => shop.scim('PATCH', `Groups/${group}`, addTo(id))),
  )
  expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 204))
  expect((await membersOf(shop.owner)).map(({ role }: Named) => role)).toEqual(
    ids.map(() => 'agent'),
  )
  const twice = user(newEmail(domain))
  const made = await Promise.all([1, 2].map(() => shop.scim('POST', 'Users', twice)))
  expect(made.map(({ status }) => status).sort()).toEqual([201, 409])
})

test('without a mail server nobody is invited, and the error says what a superuser can do', async () => {
  const shop = await makeShop()
  const { settings } = fixture.server.services
  const { smtp } = settings.current
  await settings.save({ smtp: { ...smtp, enabled: false } })
  const { status, body } = await shop.scim('POST', 'Users', user(newEmail()))
  await settings.save({ smtp })
  expect([status, body.detail]).toEqual([400, expect.stringContaining('directory_domains')])
  expect((await shop.scim('GET', 'Users')).body.totalResults).toBe(0)
})

test('the server describes itself by what it stores', async () => {
  const shop = await makeShop()
  const { body: config } = await shop.scim('GET', 'ServiceProviderConfig')
  expect(config).toMatchObject({ patch: { supported: true }, bulk: { supported: false } })
  const { body: schemas } = await shop.scim('GET', 'Schemas')
  const names = schemas.Resources[0].attributes.map(({ name }: { name: string }) => name)
  expect(names).toEqual(['userName', 'displayName', 'active', 'name', 'emails', 'roles', 'groups'])
  expect((await shop.scim('GET', `Schemas/${USER}`)).body.name).toBe('User')
  expect((await shop.scim('GET', 'ResourceTypes')).body.totalResults).toBe(2)
  const hash = createHash('sha256').update(shop.key).digest('hex')
  expect(await rows('select hash from api_keys where id = $1', shop.keyId)).toEqual([[hash]])
})
