import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { renderAuthMethods } from '../../../src/engine/auth/oauth2/auth-methods.ts'
import {
  completeProvider,
  PROVIDERS,
} from '../../../src/engine/auth/oauth2/complete-provider-profile.ts'
import { exchangeAuthCode, fetchUser } from '../../../src/engine/auth/oauth2/identify-by-oauth2.ts'
import { makeProviderClient } from '../../../src/engine/auth/oauth2/read-provider-profile.ts'
import { type AuthCollection, USERS_ID } from '../../../src/engine/collections/collection.ts'
import { makeBuiltInCollections } from '../../../src/engine/collections/definition/built-in-collections.ts'
import { OAUTH2_PROVIDERS } from '../../../src/engine/collections/definition/oauth2-providers.ts'
import { BUILT_IN } from '../../../src/main/collection-definitions.ts'
import { listenLocally } from '../../support/services/listen.ts'

/** What the provider answers: to the exchange, to the question who it is, and to that for addresses. */
interface Says {
  token?: object | string
  type?: string
  me?: unknown
  emails?: unknown
}
let says: Says = {}
const asked: string[] = []

const server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`)
  const isToken = request.url === '/token'
  response.setHeader('content-type', (isToken && says.type) || 'application/json')
  if (isToken && typeof says.token === 'string') return response.end(says.token)
  if (isToken) return response.end(JSON.stringify({ access_token: 'a', ...(says.token as object) }))
  response.end(JSON.stringify(request.url === '/me/emails' ? says.emails : says.me))
})
const { url } = await listenLocally(server)

async function whoIs(name: string, said: Says, extra: Record<string, unknown> = {}) {
  says = said
  const provider = completeProvider({
    name,
    clientId: 'us',
    clientSecret: 'hush',
    authURL: '',
    tokenURL: `${url}/token`,
    userInfoURL: `${url}/me`,
    displayName: '',
    pkce: null,
    extra,
  })!
  const send = makeProviderClient()
  const token = await exchangeAuthCode(
    provider,
    { code: 'c', codeVerifier: 'v', redirectURL: 'http://x' },
    send,
  )
  return { ...(await fetchUser(provider, token, send)).profile, token }
}

test('every provider that a collection may name is implemented', () => {
  expect(Object.keys(PROVIDERS).sort()).toEqual([...OAUTH2_PROVIDERS.keys()].sort())
})

/**
 * SHA-256 of `[name, displayName, logo]` of all, as PocketBase 0.40.6 lists them in
 * `/api/collections/meta/oauth2-providers`.
 */
const AS_LISTED = '1659e01bb16ca2848694003034c5a4d443a87d463af91e80f88ef7c01d5f625c'

test("names and logos of providers equal PocketBase's", () => {
  const all = [...OAUTH2_PROVIDERS].map(([name, { displayName, logo }]) => [
    name,
    displayName,
    logo,
  ])
  expect(createHash('sha256').update(JSON.stringify(all)).digest('hex')).toBe(AS_LISTED)
})

test('auth-methods shows the logo of a renamed provider, but not under the old key', () => {
  const more = { clientId: 'us', clientSecret: 'hush', authURL: 'http://x', pkce: null, extra: {} }
  const set = [...OAUTH2_PROVIDERS.keys()].map((name) => ({
    ...more,
    name,
    displayName: 'Ours',
    tokenURL: '',
    userInfoURL: '',
  }))
  const users = makeBuiltInCollections(BUILT_IN).find(({ id }) => id === USERS_ID) as AuthCollection
  const methods = JSON.parse(
    renderAuthMethods({ ...users, oauth2: { ...users.oauth2, enabled: true, providers: set } }),
  )
  for (const { name, displayName, logo } of methods.oauth2.providers)
    expect([displayName, logo]).toEqual(['Ours', OAUTH2_PROVIDERS.get(name)!.logo])
  expect(methods.authProviders).toEqual(
    methods.oauth2.providers.map((one: object) => ({ ...one, logo: '' })),
  )
})

const listed = [
  { email: 'old@example.com', verified: true, primary: false },
  { email: 'ann@example.com', verified: true, primary: true },
]
const ANN = 'ann@example.com'
test.each([
  [
    'github',
    { me: { id: 7, login: 'ann', name: 'Ann', avatar_url: 'a' }, emails: listed },
    { id: '7', username: 'ann', name: 'Ann', email: ANN, avatarURL: 'a' },
  ],
  [
    'gitlab',
    { me: { id: 7, username: 'ann', email: ANN, confirmed_at: '2020-01-01T00:00:00Z' } },
    { id: '7', username: 'ann', email: ANN },
  ],
  ['gitlab', { me: { id: 7, email: ANN } }, { id: '7', email: '' }],
  [
    'google',
    { me: { sub: '7', email: ANN, email_verified: true, picture: 'p' } },
    { id: '7', email: ANN, avatarURL: 'p' },
  ],
  ['google', { me: { sub: '7', email: ANN, email_verified: false } }, { id: '7', email: '' }],
  [
    'microsoft',
    { me: { id: 'm', displayName: 'Ann', mail: ANN } },
    { id: 'm', name: 'Ann', email: ANN },
  ],
  [
    'discord',
    {
      me: {
        id: '7',
        username: 'ann',
        discriminator: '12',
        avatar: 'x',
        email: ANN,
        verified: true,
      },
    },
    { name: 'ann#12', email: ANN, avatarURL: 'https://cdn.discordapp.com/avatars/7/x.png' },
  ],
  [
    'facebook',
    { me: { id: '7', name: 'Ann', email: ANN, picture: { data: { url: 'p' } } } },
    { name: 'Ann', email: ANN, avatarURL: 'p' },
  ],
  [
    'vk',
    { me: { response: [{ id: 7, first_name: 'Ann', last_name: 'Lee' }] }, token: { email: ANN } },
    { id: '7', name: 'Ann Lee', email: ANN },
  ],
  [
    'bitbucket',
    {
      me: { uuid: '{7}', account_status: 'active' },
      emails: { values: [{ email: ANN, is_primary: true, is_confirmed: true }] },
    },
    { id: '{7}', email: ANN },
  ],
  [
    'linear',
    { me: { data: { viewer: { id: '7', displayName: 'ann', email: ANN, active: true } } } },
    { id: '7', username: 'ann', email: ANN },
  ],
  [
    'mailcow',
    { me: { id: '7', username: 'ann@example.com', email: ANN, active: 1 } },
    { username: 'ann', email: ANN },
  ],
  ['oidc', { me: { sub: '7', email: ANN, email_verified: 'true' } }, { id: '7', email: ANN }],
] as const)('a profile of %s with %j is read as $2', async (name, said, profile) => {
  expect(await whoIs(name, said)).toMatchObject(profile)
})

test.each([
  ['an account that is closed', 'gitea', { me: { id: 7, active: false } }],
  ['a text where a number belongs', 'github', { me: { id: '7' } }],
  ['a number where a text belongs', 'oidc', { me: { sub: 7 } }],
  ['a list', 'oidc', { me: [] }],
  ['an empty token', 'oidc', { token: { access_token: '' } }],
  ['an error under a success', 'oidc', { token: { error: 'invalid_grant' } }],
  ['an expired token', 'oidc', { token: { expires_in: -5 }, me: { sub: '7' } }],
  ['an expiry that is not a number', 'oidc', { token: { expires_in: 'soon' } }],
] as const)('a sign-in with %s is refused', async (_, name, said) => {
  await expect(whoIs(name, said)).rejects.toThrow()
})

test('a token response may be form-encoded', async () => {
  const type = 'application/x-www-form-urlencoded; charset=utf-8'
  const { token, id } = await whoIs('oidc', {
    type,
    token: 'access_token=a&expires_in=60&refresh_token=r',
    me: { sub: '7' },
  })
  expect([id, token.accessToken, token.refreshToken, token.expiry > Date.now()]).toEqual([
    '7',
    'a',
    'r',
    true,
  ])
})

test("Microsoft's mail field counts as an address only if the options allow it", async () => {
  const idToken = (claims: object) => ({
    id_token: `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`,
  })
  const me = { id: 'm', mail: 'anybody@example.com' }
  const confirmed = { me, token: idToken({ email: ANN, xms_edov: '1' }) }
  const asked = { me, token: idToken({ email: ANN }) }
  const extra = { idTokenEmailClaim: 'email_and_xms_edov' }
  expect([
    (await whoIs('microsoft', confirmed, extra)).email,
    (await whoIs('microsoft', asked, extra)).email,
  ]).toEqual([ANN, ''])
})
