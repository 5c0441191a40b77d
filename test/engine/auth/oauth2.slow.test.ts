import { EventSource } from 'eventsource'
import PocketBase from 'pocketbase'
import { OAUTH2_FORM } from '../../../src/engine/auth/oauth2/identify-by-oauth2.ts'
import type { OAuth2Provider } from '../../../src/engine/collections/auth-shape.ts'
import type { AuthCollection } from '../../../src/engine/collections/collection.ts'
import type { FileField } from '../../../src/engine/fields/field.ts'
import { PASSWORD, startServerWithMail } from '../../support/server/server-with-mail.ts'
import { oauth2By, startOidcServer } from '../../support/services/oidc-server.ts'

globalThis.EventSource ??= EventSource as unknown as typeof globalThis.EventSource

const MAPPED = { id: '', name: 'name', username: '', avatarURL: '' }
const server = await startServerWithMail()
const redirectURL = `${server.server.url}/api/oauth2-redirect`
const oidc = await startOidcServer(redirectURL)
await setUp({})

type OAuth2 = AuthCollection['oauth2']
/** Lets users in by the provider. `options`: of the provider. */
async function setUp(
  options: Partial<OAuth2Provider>,
  more: Partial<OAuth2> = {},
  rest: Partial<AuthCollection> = {},
) {
  await server.change('users', {
    oauth2: { ...oauth2By(oidc, options), ...more },
    createRule: '',
    ...rest,
  })
}

let count = 0
let email: string
beforeEach(() => {
  const sub = `account-${++count}`
  email = `${sub}@example.com`
  oidc.account = sub
  oidc.accounts.set(sub, {
    name: `Ann ${count}`,
    preferred_username: 'ann',
    email,
    email_verified: true,
    picture: 'https://x.example/a.png',
  })
})

/** Signs in as an app does, with the unmodified SDK. */
async function signIn(pb = new PocketBase(server.server.url), options: object = {}) {
  const seen: string[] = []
  const answer = await pb.collection('users').authWithOAuth2({
    provider: 'oidc',
    urlCallback: async (url) => void seen.push(await oidc.browse(url)),
    ...options,
  })
  return { pb, answer, meta: answer.meta as Record<string, unknown>, record: answer.record, seen }
}

/** A code that was not exchanged yet, with all that belongs to it. */
async function takeCode() {
  const methods = await new PocketBase(server.server.url).collection('users').listAuthMethods()
  const { authURL, codeVerifier } = methods.oauth2.providers[0]!
  const back = await oidc.browseBack(authURL + encodeURIComponent(redirectURL))
  return {
    provider: 'oidc',
    code: new URL(back).searchParams.get('code')!,
    codeVerifier,
    redirectURL,
  }
}
const submit = (form: object, headers = {}) =>
  server.post('/api/collections/users/auth-with-oauth2', form, headers)

const linksOf = async (id: string) =>
  (
    await server.rows(
      `select provider, "providerId" from "_externalAuths" where "recordRef" = $1`,
      id,
    )
  ).map((row) => row.join(' '))
const isThere = async (address: string) =>
  (await server.rows('select 1 from users where email = $1', address)).length > 0

test('the first sign-in through the SDK creates a record', async () => {
  const { pb, record, meta, seen } = await signIn()
  expect(seen[0]).toMatch(/\/_\/#\/auth\/oauth2-redirect-success$/)
  expect(record).toMatchObject({
    email,
    verified: true,
    name: `Ann ${count}`,
    collectionName: 'users',
  })
  expect(meta).toMatchObject({
    id: oidc.account,
    name: `Ann ${count}`,
    username: 'ann',
    email,
    isNew: true,
    avatarURL: 'https://x.example/a.png',
    avatarUrl: 'https://x.example/a.png',
    refreshToken: '',
  })
  expect(meta.rawUser).toMatchObject({ sub: oidc.account, email_verified: true })
  expect(String(meta.expiry)).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(await linksOf(record.id)).toEqual([`oidc ${oidc.account}`])
  expect((await pb.collection('users').authRefresh()).record.id).toBe(record.id)
})

test('a sign-in by a member acting for an account is not linked to the account', async () => {
  const account = await server.addUser(`shop-${count}@example.com`, { verified: true })
  const member = await server.addUser(`member-${count}@example.com`, { verified: true })
  const root = await server.superuser()
  const body = { account, member, role: 'admin' }
  expect((await server.post('/api/collections/members/records', body, root)).status).toBe(200)
  const own = await server.signIn('users', `member-${count}@example.com`, PASSWORD)
  const acted = await server.post('/api/account/act-for', { account }, { authorization: own })
  const answer = await submit(await takeCode(), { authorization: String(acted.body.token) })
  expect([answer.status, answer.body.message]).toEqual([403, 'Your role does not allow this.'])
  expect([await linksOf(account), await isThere(email)]).toEqual([[], false])
})

test("a second sign-in finds the same record, even if the provider's address changed", async () => {
  const first = await signIn()
  oidc.accounts.set(oidc.account, { email: `new-${email}`, email_verified: true })
  const again = await signIn()
  expect([again.record.id, again.record.email, again.meta.isNew]).toEqual([
    first.record.id,
    email,
    false,
  ])
})

test('a sign-in is linked to the verified record with its address, which keeps its password', async () => {
  const id = await server.addUser(email, { verified: true })
  const { record, meta } = await signIn()
  expect([record.id, meta.isNew, await linksOf(id)]).toEqual([id, false, [`oidc ${oidc.account}`]])
  expect(await server.signIn('users', email, PASSWORD)).not.toBe('undefined')
})

test('a sign-in takes over an unverified record with its address and voids its password, sessions and links', async () => {
  const id = await server.addUser(email)
  const session = await server.signIn('users', email, PASSWORD)
  const root = await server.superuser()
  const stranger = {
    collectionRef: '_pb_users_auth_',
    recordRef: id,
    provider: 'github',
    providerId: '1',
  }
  await server.post('/api/collections/_externalAuths/records', stranger, root)
  const { record } = await signIn()
  expect([record.id, record.verified, await linksOf(id)]).toEqual([
    id,
    true,
    [`oidc ${oidc.account}`],
  ])
  expect(await server.signIn('users', email, PASSWORD)).toBe('undefined')
  const refreshed = await server.post(
    '/api/collections/users/auth-refresh',
    {},
    { authorization: session },
  )
  expect(refreshed.status).toBe(401)
})

test('a signed-in user links a provider to the own record and keeps password and address', async () => {
  const own = `own-${email}`
  const id = await server.addUser(own)
  const pb = new PocketBase(server.server.url)
  await pb.collection('users').authWithPassword(own, PASSWORD)
  const { record } = await signIn(pb)
  expect([record.id, record.email, record.verified, await linksOf(id)]).toEqual([
    id,
    own,
    false,
    [`oidc ${oidc.account}`],
  ])
  expect(await server.signIn('users', own, PASSWORD)).not.toBe('undefined')
})

test('an email that the provider has not verified counts as missing and links no record', async () => {
  const id = await server.addUser(email, { verified: true })
  oidc.accounts.set(oidc.account, { email, email_verified: false })
  await expect(signIn()).rejects.toMatchObject({
    status: 400,
    response: { data: { email: { code: 'validation_required' } } },
  })
  expect(await linksOf(id)).toEqual([])
})

test.each([
  ['its values override the profile', { name: 'Mine' }, { name: 'Mine', verified: true }],
  [
    'another email is not verified',
    { email: 'other@example.com' },
    { email: 'other@example.com', verified: false },
  ],
  ['an empty email is replaced by the profile’s', { email: '' }, { verified: true }],
] as const)('a first sign-in with createData: %s', async (_, createData, expected) => {
  const { record } = await signIn(undefined, { createData })
  expect(record).toMatchObject(expected)
  await server.call(
    'DELETE',
    `/api/collections/users/records/${record.id}`,
    undefined,
    await server.superuser(),
  )
})

test('a new record must satisfy the createRule, which sees the context and data', async () => {
  await setUp(
    {},
    {},
    { createRule: '@request.context = "oauth2" && @request.body.name = "let me in"' },
  )
  await expect(signIn()).rejects.toMatchObject({
    status: 400,
    response: { message: 'Failed to create record.', data: {} },
  })
  expect(await isThere(email)).toBe(false)
  expect((await signIn(undefined, { createData: { name: 'let me in' } })).record.name).toBe(
    'let me in',
  )
  await setUp({}, {}, { createRule: null })
  oidc.account = `${oidc.account}-other`
  oidc.accounts.set(oidc.account, { email: `other-${email}`, email_verified: true })
  await expect(signIn()).rejects.toMatchObject({
    status: 403,
    response: { message: 'Only superusers can perform this action.' },
  })
  await setUp({})
})

test('a user name that is taken or invalid is left out of the new record', async () => {
  const { indexes } = server.server.services.store.catalog.find('users')!
  const unique =
    "CREATE UNIQUE INDEX `idx_users_login` ON `users` (`name` COLLATE NOCASE) WHERE `name` != ''"
  await setUp(
    {},
    { mappedFields: { ...MAPPED, name: '', username: 'name' } },
    { indexes: [...indexes, unique] },
  )
  oidc.accounts.set(oidc.account, { email, email_verified: true, preferred_username: 'Only One' })
  expect((await signIn()).record.name).toBe('Only One')
  oidc.account = `${oidc.account}-other`
  oidc.accounts.set(oidc.account, {
    email: `other-${email}`,
    email_verified: true,
    preferred_username: 'ONLY one',
  })
  expect((await signIn()).record.name).toBe('')
  await setUp({}, {}, { indexes })
})

test('without a userInfoURL the id token identifies the user', async () => {
  await setUp({ userInfoURL: '', extra: { issuers: [oidc.url], jwksURL: `${oidc.url}/jwks` } })
  expect((await signIn()).record.email).toBe(email)
  await setUp({ userInfoURL: '', extra: { issuers: ['https://other.example'] } })
  await expect(signIn()).rejects.toMatchObject({
    response: { message: 'Failed to fetch OAuth2 user.', data: {} },
  })
  await setUp({})
})

test('client credentials are sent in the form when the provider refuses the header', async () => {
  const other = await startOidcServer(redirectURL, 'client_secret_post')
  other.account = 'somebody'
  other.accounts.set('somebody', { email: `post-${email}`, email_verified: true })
  await setUp(other.options)
  const urlCallback = async (url: string) => void (await other.browse(url))
  expect((await signIn(undefined, { urlCallback })).record.email).toBe(`post-${email}`)
})

test('a sign-in asks for a second method if the collection requires two', async () => {
  await setUp({}, {}, { mfa: { enabled: true, duration: 600, rule: '' } })
  const id = await server.addUser(email, { verified: true })
  const first = await submit(await takeCode())
  expect([first.status, Object.keys(first.body)]).toEqual([401, ['mfaId']])
  const { mfaId } = first.body
  const second = await server.post('/api/collections/users/auth-with-password', {
    identity: email,
    password: PASSWORD,
    mfaId,
  })
  expect(second.body).toMatchObject({ record: { id } })
  await setUp({}, {}, { mfa: { enabled: false, duration: 600, rule: '' } })
})

test('a code works once and only with its verifier', async () => {
  const form = await takeCode()
  const wrong = await submit({ ...form, codeVerifier: 'x'.repeat(43) })
  expect(wrong.body).toEqual({ data: {}, message: 'Failed to fetch OAuth2 token.', status: 400 })
  const next = await takeCode()
  expect((await submit(next)).status).toBe(200)
  expect((await submit(next)).body).toMatchObject({ message: 'Failed to fetch OAuth2 token.' })
})

test('the old form field `redirectUrl` is read as redirectURL', () => {
  expect(OAUTH2_FORM.over({ redirectUrl: 'x' }, OAUTH2_FORM.zero(), true).redirectURL).toBe('x')
})

test.each([
  ['without a state', 'GET', '?code=x', 307],
  ['without a waiting client', 'GET', `?code=x&state=${'a'.repeat(40)}`, 307],
  ['by a form', 'POST', '', 303],
  ['with an invalid state', 'GET', '?code=x&state=%00', 307],
] as const)(
  'a redirect %s leads to the failure page with status $3',
  async (_, method, query, status) => {
    const response = await fetch(redirectURL + query, { method, redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([
      status,
      '../_/#/auth/oauth2-redirect-failure',
    ])
  },
)

test('an error from the provider is passed to the waiting client', async () => {
  const urlCallback = async (url: string) => {
    const state = new URL(url).searchParams.get('state')
    const response = await fetch(`${redirectURL}?state=${state}&error=access_denied`, {
      redirect: 'manual',
    })
    expect(response.headers.get('location')).toBe('../_/#/auth/oauth2-redirect-failure')
  }
  await expect(signIn(undefined, { urlCallback })).rejects.toMatchObject({
    originalError: { message: expect.stringContaining('access_denied') },
  })
})

describe('a profile picture', () => {
  const PICTURE = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108', 'hex')
  const photo = {
    id: 'file1234567',
    name: 'photo',
    type: 'file',
    system: false,
    hidden: false,
    presentable: false,
    required: false,
    protected: false,
    maxSelect: 1,
    maxSize: 1_000,
    mimeTypes: ['image/png'],
    thumbs: [],
  } as FileField
  const users = () => server.server.services.store.catalog.find('users') as AuthCollection
  beforeAll(async () => {
    const oauth2 = { mappedFields: { ...MAPPED, avatarURL: 'photo' } }
    await setUp({}, oauth2, { fields: [...users().fields, photo] })
  })
  afterAll(() => setUp({}, {}, { fields: users().fields.filter((field) => field.id !== photo.id) }))

  const comeWith = async (path: string) => {
    oidc.accounts.set(oidc.account, {
      ...oidc.accounts.get(oidc.account),
      picture: new URL(path, oidc.url).href,
    })
    return (await signIn()).record
  }

  test('the provider’s picture is stored in the file field of a new record', async () => {
    oidc.files.set('/pictures/me.png', PICTURE)
    const record = await comeWith('/pictures/me.png')
    expect(record.photo).toMatch(/^me\w*_\w{10}\.png$/)
    const served = await fetch(new PocketBase(server.server.url).files.getURL(record, record.photo))
    expect(Buffer.from(await served.arrayBuffer())).toEqual(PICTURE)
  })

  test.each([
    ['that does not exist', '/pictures/none.png'],
    ['that is not an image', '/pictures/text.png'],
    ['that is too large', '/pictures/large.png'],
    ['at a private address elsewhere', 'http://localhost:1/me.png'],
    ['at an invalid address', 'file:///etc/passwd'],
  ])('%s does not prevent the sign-in', async (_, path) => {
    oidc.files.set('/pictures/text.png', Buffer.from('a text'))
    oidc.files.set('/pictures/large.png', Buffer.concat([PICTURE, Buffer.alloc(2_000)]))
    expect(await comeWith(path)).toMatchObject({ email, photo: '' })
  })
})
