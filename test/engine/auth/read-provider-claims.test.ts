import { SignJWT } from 'jose'
import { completeProvider } from '../../../src/engine/auth/oauth2/complete-provider-profile.ts'
import type { OAuth2Identity } from '../../../src/engine/auth/oauth2/identify-by-oauth2.ts'
import { readProviderClaims } from '../../../src/engine/auth/oauth2/read-provider-claims.ts'

const TENANT = 'https://login.microsoftonline.com/833ced3d-cb2e-41de-92f1-29e2af035ddc/oauth2/v2.0'
const OF_TENANT = { authURL: `${TENANT}/authorize`, tokenURL: `${TENANT}/token` }

const sign = (claims: object) =>
  new SignJWT({ sub: 'ann', aud: 'sms', exp: Date.now() / 1000 + 60, ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode('x'.repeat(32)))

/** What the provider of these options has answered at a sign-in. */
async function arrive(options: object, inToken: object | undefined, raw: object) {
  const defaults = {
    name: 'oidc',
    clientId: 'sms',
    clientSecret: 'x',
    extra: {},
    userInfoURL: 'https://id.example.com/me',
  }
  const provider = completeProvider({ ...defaults, ...options } as never)!
  const token = { raw: inToken ? { id_token: await sign(inToken) } : {} }
  return readProviderClaims({ provider, raw, token } as unknown as OAuth2Identity)
}

test('the user info completes the id token, and counts where both say something', async () => {
  const claims = await arrive(
    {},
    { groups: ['old'], roles: ['a'] },
    { sub: 'ann', groups: ['new'] },
  )
  expect(claims).toMatchObject({ groups: ['new'], roles: ['a'] })
  expect(await arrive({}, undefined, { groups: ['new'] })).toEqual({ groups: ['new'] })
})

test("of Microsoft's answers only the id token counts", async () => {
  const microsoft = { ...OF_TENANT, name: 'microsoft' }
  const claims = await arrive(
    microsoft,
    { groups: ['a'] },
    { id: '1', roles: ['admin'], groups: ['b'] },
  )
  expect([claims.groups, claims.roles]).toEqual([['a'], undefined])
  expect(await arrive(microsoft, undefined, { roles: ['admin'] })).toEqual({})
})

test.each([
  ['for another client', { aud: 'other' }, 'the id_token is for another client'],
  ['about somebody else', { sub: 'ben' }, 'the id_token is about somebody else'],
  ['that has expired', { exp: 1 }, 'the id_token has expired or is not valid yet'],
])('an id token %s gives no claims', async (_, claims, message) => {
  await expect(arrive({}, claims, { sub: 'ann', groups: ['a'] })).rejects.toThrow(message)
})

test.each(['common', 'organizations', 'consumers', 'COMMON'])(
  'a provider at the tenant `%s`, which is everybody, gives no claims',
  async (tenant) => {
    const base = `https://login.microsoftonline.com/${tenant}/oauth2/v2.0`
    for (const more of [{ authURL: `${base}/authorize` }, { tokenURL: `${base}/token` }])
      await expect(arrive({ ...OF_TENANT, ...more }, {}, { sub: 'ann' })).rejects.toThrow(
        'people of every organization',
      )
  },
)
