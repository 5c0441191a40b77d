import { createLogger } from '../../../src/platform/log.ts'
import { runServer } from '../../support/database/open.ts'
import { request } from '../../support/server/request.ts'
import { PASSWORD, startServerWithMail } from '../../support/server/server-with-mail.ts'
import { setUpApp } from '../../support/server/set-up-app.ts'
import { oauth2By, startOidcServer } from '../../support/services/oidc-server.ts'

// A shop whose people come from an OpenID provider: its groups say who may do what.

const server = await startServerWithMail({ SIGN_IN_TRIES: '1000' })
const { url } = server.server
const redirectURL = `${url}/api/oauth2-redirect`
const oidc = await startOidcServer(redirectURL)
const other = await runServer(server.server.services.config, createLogger({ logLevel: 'silent' }))
const root = await server.superuser()

type Headers = Readonly<Record<string, string>>
const call = (by: Headers, method: string, path: string, body?: unknown, at = url) =>
  request(at, method, path, body, by)
const records = (name: string, id = '') => `/api/collections/${name}/records${id && `/${id}`}`

const configure = (options: object = {}, more: object = {}) =>
  server.change('users', {
    oauth2: oauth2By(oidc, { extra: { scopes: ['groups'] }, ...options }),
    createRule: null,
    ...more,
  })
await configure()

let count = 0
let shop: { id: string; headers: Headers }
let email: string
beforeEach(async () => {
  const owner = `owner-${++count}@example.com`
  const id = await server.addUser(owner, { verified: true })
  shop = { id, headers: { authorization: await server.signIn('users', owner, PASSWORD) } }
  email = `person-${count}@example.com`
  oidc.account = `person-${count}`
  say({ groups: ['Everyone', `agents-${count}`] })
  await addRow({})
  await addRow({ value: `admins-${count}`, role: 'admin' })
})

/** What the provider says about the person from now on. */
const say = (claims: object, account = oidc.account) =>
  oidc.accounts.set(account, { email: `${account}@example.com`, email_verified: true, ...claims })

const addRow = (row: object, by: Headers = root) =>
  call(by, 'POST', records('directory_roles'), {
    user: shop.id,
    provider: 'oidc',
    claim: 'groups',
    value: `agents-${count}`,
    role: 'agent',
    ...row,
  })

/** A code that the provider has given the person, with all that belongs to it. */
async function takeCode() {
  const methods = await call({}, 'GET', '/api/collections/users/auth-methods')
  const { name, authURL, codeVerifier } = methods.body.oauth2.providers[0]
  const back = await oidc.browseBack(authURL + encodeURIComponent(redirectURL))
  return { provider: name, code: new URL(back).searchParams.get('code'), codeVerifier, redirectURL }
}
/** Signs in by the provider, as an app does. */
const signIn = async (at = url, form?: object) =>
  call({}, 'POST', '/api/collections/users/auth-with-oauth2', form ?? (await takeCode()), at)
const headersOf = ({ body }: { body: { token: string } }): Headers => ({
  authorization: body.token,
})
const roles = async () =>
  (await call(shop.headers, 'GET', records('members'))).body.items.map(
    ({ role, directory }: Record<string, string>) => `${role} by ${directory}`,
  )
const act = (by: Headers) => call(by, 'POST', '/api/account/act-for', { account: shop.id })

test('a new person with a group becomes a member without an account, and follows the group from then on', async () => {
  const first = await signIn()
  expect([first.status, first.body.record.email, first.body.record.member_only]).toEqual([
    200,
    email,
    true,
  ])
  expect(await roles()).toEqual(['agent by oidc'])
  const acting = headersOf(await act(headersOf(first)))
  expect((await call(acting, 'GET', '/api/account/me')).body).toMatchObject({ role: 'agent' })

  say({ groups: [`admins-${count}`, `agents-${count}`] })
  expect((await signIn()).status).toBe(200)
  expect(await roles()).toEqual(['admin by oidc'])
  expect((await call(acting, 'GET', '/api/account/me')).status).toBe(401)

  say({ groups: ['Everyone'] })
  expect((await signIn()).status).toBe(403)
  expect([await roles(), (await act(headersOf(first))).status]).toEqual([[], 401])

  say({ groups: [`agents-${count}`] })
  expect((await signIn(other.url)).body.record.id).toBe(first.body.record.id)
  expect(await roles()).toEqual(['agent by oidc'])
  const { body } = await call(shop.headers, 'GET', `${records('account_audit')}?sort=@rowid`)
  expect(body.items.map((one: Record<string, string>) => one.action)).toEqual([
    'create',
    'update',
    'delete',
    'create',
  ])
})

test('a member whom the owner removes is added again by the next sign-in', async () => {
  await signIn()
  const [member] = (await call(shop.headers, 'GET', records('members'))).body.items
  expect((await call(shop.headers, 'DELETE', `${records('members')}/${member.id}`)).status).toBe(
    204,
  )
  expect(await roles()).toEqual([])
  await signIn()
  expect(await roles()).toEqual(['agent by oidc'])
})

test('a new person without a group is refused, as before', async () => {
  say({ groups: ['Everyone'] })
  expect((await signIn()).status).toBe(403)
  say({})
  expect((await signIn()).status).toBe(403)
  expect(await server.rows('select 1 from users where email = $1', email)).toEqual([])
})

test('a user with an account keeps it, and becomes a member of the team as well', async () => {
  const id = await server.addUser(email, { verified: true })
  expect((await signIn()).body.record).toMatchObject({ id, member_only: false })
  expect(await roles()).toEqual(['agent by oidc'])
  say({ groups: [] })
  expect((await signIn()).body.record).toMatchObject({ id })
  expect(await roles()).toEqual([])
})

test('invited members and the owner keep their roles', async () => {
  const id = await server.addUser(email, { verified: true })
  const values = { account: shop.id, member: id, role: 'viewer' }
  await call(root, 'POST', records('members'), values)
  for (const groups of [[`admins-${count}`], []]) {
    say({ groups })
    expect((await signIn()).status).toBe(200)
    expect(await roles()).toEqual(['viewer by '])
  }
  oidc.account = `owner-${count}`
  say({ groups: [`agents-${count}`] })
  expect((await signIn()).body.record.id).toBe(shop.id)
  expect(await roles()).toEqual(['viewer by '])
})

test('a disabled user stays out, with any groups', async () => {
  const first = await signIn()
  const settings = { user: first.body.record.id, disabled: true }
  expect((await call(root, 'POST', records('user_settings'), settings)).status).toBe(200)
  expect((await signIn()).status).toBe(403)
})

test('a person who signs in twice at once, at two servers, is one user and one member', async () => {
  const answers = await Promise.all([url, other.url, url, other.url].map((at) => signIn(at)))
  const good = answers.filter(({ status }) => status === 200)
  // a sign-in that lost the race for the new record is refused, and works when it is tried again
  expect([good.length > 0, answers.every(({ status }) => [200, 400].includes(status))]).toEqual([
    true,
    true,
  ])
  expect(new Set(good.map(({ body }) => body.record.id)).size).toBe(1)
  const again = await Promise.all([url, other.url, url, other.url].map((at) => signIn(at)))
  expect(again.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(await roles()).toEqual(['agent by oidc'])
})

test('roles are also read from the id token, and from nested claims', async () => {
  await addRow({ claim: 'realm_access.roles', value: `chiefs-${count}`, role: 'admin' })
  say({ realm_access: { roles: [`chiefs-${count}`] } })
  await configure({ userInfoURL: '' })
  expect((await signIn()).status).toBe(200)
  expect(await roles()).toEqual(['admin by oidc'])
  await configure()
})

test('an id token that is not to be trusted changes no role', async () => {
  const first = await signIn()
  say({ groups: [] })
  await configure({ extra: { scopes: ['groups'], issuers: ['https://other.example.com'] } })
  expect((await signIn()).status).toBe(200)
  expect(await roles()).toEqual(['agent by oidc'])
  expect((await act(headersOf(first))).status).toBe(200)
  await configure()
})

test('24 hours after the last sign-in by the provider it takes another one to act', async () => {
  const first = await signIn()
  const [[seconds]] = (await server.rows(
    `select extract(epoch from proven_until::timestamptz - now())::int from members where account = $1`,
    shop.id,
  )) as [[number]]
  expect([seconds > 86_000, seconds <= 86_400]).toEqual([true, true])
  await server.rows('update members set proven_until = pb_text(now()) where account = $1', shop.id)
  const refused = await act(headersOf(first))
  expect([refused.status, refused.body.message]).toEqual([
    403,
    'Your directory must confirm this membership: sign in by it again.',
  ])
  expect((await act(headersOf(await signIn()))).status).toBe(200)
})

test('a second factor that the account requires is required of members by the directory, too', async () => {
  await setUpApp(url, shop.headers, PASSWORD)
  const from = new Date(Date.now() - 1000).toISOString().replace('T', ' ')
  const settings = { user: shop.id, second_factor_from: from }
  expect((await call(shop.headers, 'POST', records('user_settings'), settings)).status).toBe(200)
  const refused = await act(headersOf(await signIn()))
  expect([refused.status, refused.body.message]).toEqual([
    403,
    expect.stringMatching(/requires a second factor/),
  ])
})

describe('half a sign-in', () => {
  /** A person whose provider has signed them in, and who has an authenticator app since. */
  async function addMember() {
    const headers = headersOf(await signIn())
    const { recovery } = await setUpApp(url, headers)
    const [[id]] = (await server.rows('select id from users where email = $1', email)) as [[string]]
    return { id, recovery }
  }
  const proven = async () =>
    String(await server.rows('select role, proven_until from members where account = $1', shop.id))
  const complete = (mfaId: string, password = '', at = url) =>
    call({}, 'POST', '/api/collections/users/auth-with-otp', { mfaId, otpId: mfaId, password }, at)
  const ageProofs = () =>
    server.rows(`update members set proven_until = '2026-01-01 00:00:00.000Z'`)

  test('by a provider renews no role and no proof, and the code renews both', async () => {
    const { recovery } = await addMember()
    await ageProofs()
    say({ groups: [`admins-${count}`] })
    const { status, body } = await signIn()
    expect(status).toBe(401)
    expect(await proven()).toBe('agent,2026-01-01 00:00:00.000Z')
    expect((await complete(body.mfaId, 'abcd-efgh-jkmn')).status).toBe(400)
    expect(await proven()).toBe('agent,2026-01-01 00:00:00.000Z')
    const done = await complete(body.mfaId, recovery[0], other.url)
    expect(done.status).toBe(200)
    expect(await proven()).toMatch(/^admin,2/)
    expect(await proven()).not.toContain('2026-01-01')
    expect((await act(headersOf(done))).status).toBe(200)
    expect(await server.rows('select 1 from _provider_claims')).toEqual([])
  })

  test('takes no role away, and the code does', async () => {
    const { recovery } = await addMember()
    say({ groups: ['Everyone'] })
    const { body } = await signIn()
    expect(await roles()).toEqual(['agent by oidc'])
    expect((await complete(body.mfaId, recovery[0])).status).toBe(403)
    expect(await roles()).toEqual([])
  })

  test('of a person who had left all teams gives a role only with the code', async () => {
    const { id, recovery } = await addMember()
    await server.rows('delete from members where member = $1', id)
    const { status, body } = await signIn()
    expect([status, await roles()]).toEqual([401, []])
    expect((await complete(body.mfaId, recovery[0])).status).toBe(200)
    expect(await roles()).toEqual(['agent by oidc'])
  })

  test('follows from the claims of the present rows, not from the claims of its first half', async () => {
    const { recovery } = await addMember()
    say({ groups: [`admins-${count}`] })
    const { body } = await signIn()
    const all = await call(root, 'GET', `${records('directory_roles')}?perPage=500`)
    for (const { id } of all.body.items) await call(root, 'DELETE', records('directory_roles', id))
    expect((await complete(body.mfaId, recovery[0])).status).toBe(403)
    expect(await roles()).toEqual([])
  })

  test('of one person is not completed by another', async () => {
    await addMember()
    const { body } = await signIn()
    await server.rows('delete from _mfas')
    await ageProofs()
    const form = { identity: `owner-${count}@example.com`, password: PASSWORD, mfaId: body.mfaId }
    const path = '/api/collections/users/auth-with-password'
    expect((await call({}, 'POST', path, form)).status).toBe(200)
    expect(await proven()).toBe('agent,2026-01-01 00:00:00.000Z')
  })

  test('that ended with another change is completed by no other sign-in', async () => {
    const person = await addMember()
    const { body } = await signIn()
    await ageProofs()
    const removed = await call(root, 'DELETE', `/api/users/${person.id}/second-factor`)
    expect(removed.status).toBe(204)
    const password = 'another-password'
    const form = { password, passwordConfirm: password }
    expect((await call(root, 'PATCH', records('users', person.id), form)).status).toBe(200)
    const path = '/api/collections/users/auth-with-password'
    const given = { identity: email, password, mfaId: body.mfaId }
    expect((await call({}, 'POST', path, given)).status).toBe(200)
    expect(await proven()).toBe('agent,2026-01-01 00:00:00.000Z')
  })

  test('of a disabled person changes no role', async () => {
    await signIn()
    const [[id]] = (await server.rows('select id from users where email = $1', email)) as [[string]]
    const settings = { user: id, disabled: true }
    expect((await call(root, 'POST', records('user_settings'), settings)).status).toBe(200)
    await ageProofs()
    for (const groups of [[`admins-${count}`], ['Everyone']]) {
      say({ groups })
      expect((await signIn()).status).toBe(403)
      expect(await proven()).toBe('agent,2026-01-01 00:00:00.000Z')
    }
    await server.rows('delete from members where member = $1', id)
    say({ groups: [`admins-${count}`] })
    expect((await signIn()).status).toBe(403)
    expect(await roles()).toEqual([])
  })
})

test('only superusers write rows, and admins of the account read theirs', async () => {
  for (const by of [shop.headers, {}]) {
    expect((await addRow({ value: 'x', role: 'admin' }, by)).status).toBe(403)
    const [mine] = (await call(root, 'GET', records('directory_roles'))).body.items
    const path = records('directory_roles', mine.id)
    expect((await call(by, 'PATCH', path, { role: 'admin' })).status).toBe(403)
    expect((await call(by, 'DELETE', path)).status).toBe(403)
  }
  const seen = async (by: Headers) =>
    (await call(by, 'GET', records('directory_roles'))).body.items?.length
  expect(await seen(shop.headers)).toBe(2)
  expect(await seen(headersOf(await act(headersOf(await signIn()))))).toBeUndefined()
})

test.each([
  ['a claim that people edit', { claim: 'email' }, 'claim', 'validation_own_claim'],
  ['a part of one', { claim: 'address.country' }, 'claim', 'validation_own_claim'],
  ['a claim with a space', { claim: ' groups' }, 'claim', 'validation_invalid_format'],
  ['another kind of provider', { provider: 'github' }, 'provider', 'validation_invalid_value'],
  ['the role of an owner', { role: 'owner' }, 'role', 'validation_invalid_value'],
  ['no value', { value: '' }, 'value', 'validation_required'],
  [
    'an account that is not there',
    { user: 'nobodyisthereee' },
    'user',
    'validation_missing_rel_records',
  ],
])('a row with %s is refused', async (_, row, field, code) => {
  const { status, body } = await addRow({ value: 'x', ...row })
  expect([status, body.data[field]?.code]).toEqual([400, code])
})

test('an account has at most 100 rows', async () => {
  await server.rows(
    `insert into directory_roles (id, "user", provider, claim, value, role, created, updated)
     select pb_new_id(), $1, 'oidc3', 'groups', n::text, 'viewer', '', '' from generate_series(1, 98) n`,
    shop.id,
  )
  const { status, body } = await addRow({ value: 'one more' })
  expect([status, body.data.user?.code]).toEqual([400, 'validation_too_many_roles'])
})

test('a provider of every organization changes no roles, and takes no rows', async () => {
  await signIn()
  say({ groups: [`admins-${count}`] })
  const code = await takeCode()
  await configure({ authURL: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize' })
  expect((await signIn(url, code)).status).toBe(200)
  expect(await roles()).toEqual(['agent by oidc'])
  const { status, body } = await addRow({ value: 'x' })
  expect([status, body.data.provider?.code]).toEqual([400, 'validation_shared_provider'])
  await configure()
})
