import PocketBase from 'pocketbase'
import { upsertSuperuser } from '../../../src/engine/auth/superusers.ts'
import { computeTotp, readTotpStep } from '../../../src/engine/auth/totp.ts'
import { request } from '../../support/server/request.ts'
import { PASSWORD, startServerWithMail, tokenIn } from '../../support/server/server-with-mail.ts'
import { setUpApp } from '../../support/server/set-up-app.ts'
import { TestPasskey } from '../../support/services/authenticator.ts'
import { oauth2By, startOidcServer } from '../../support/services/oidc-server.ts'

// What a thief with a session, or with a session and the password, begins; and what becomes of it.

const SITE = 'https://sms.example.com'
const server = await startServerWithMail({
  ...{ PUBLIC_URL: SITE, TRUSTED_PROXIES: '127.0.0.1', SIGN_IN_TRIES: '1000' },
})
const { url } = server.server
const { store } = server.server.services
const root = await server.superuser()

const FACTOR = '/api/account/second-factor'
const PASSKEYS = '/api/account/passkeys'
let networks = 0
const from = () => ({ 'x-forwarded-for': `198.51.${++networks >> 8}.${networks & 255}` })
type Headers = Readonly<Record<string, string>>
const post = (path: string, body: unknown = {}, headers: Headers = {}) =>
  request(url, 'POST', path, body, { ...from(), ...headers })
const patch = (path: string, body: unknown) => request(url, 'PATCH', path, body, root)

interface Person {
  readonly id: string
  readonly email: string
  readonly collection: string
  /** The session that the thief has, too. */
  readonly old: Headers
}

const signIn = async (collection: string, email: string, password = PASSWORD): Promise<Headers> => {
  const path = `/api/collections/${collection}/auth-with-password`
  const { token } = (await post(path, { identity: email, password })).body
  return { authorization: String(token) }
}

let people = 0
async function addPerson(collection = 'users'): Promise<Person> {
  const email = `person-${++people}@example.com`
  if (collection === 'users') await server.addUser(email, { verified: true })
  else await upsertSuperuser(store, email, PASSWORD)
  const [[id]] = (await server.rows(`select id from "${collection}" where email = $1`, email)) as [
    [string],
  ]
  return { id, email, collection, old: await signIn(collection, email) }
}

beforeEach(async () => {
  await server.rows('delete from auth_tries')
  await server.rows('update auth_factors set last_step = 0')
})

const makeCode = (secret: string, drift = 0) => computeTotp(secret, readTotpStep() + drift)

async function makePasskey(headers: Headers, proof: object = {}) {
  const key = new TestPasskey(SITE, 0)
  const { body } = await post(`${PASSKEYS}/options`, { password: PASSWORD, ...proof }, headers)
  return () => post(PASSKEYS, { name: 'Key', credential: key.create(body) }, headers)
}

/** Each begins something with the thief's session, and returns how the thief ends it with a session. */
const BEGUN: Readonly<Record<string, (who: Person) => Promise<(by: Headers) => Promise<number>>>> =
  {
    'an authenticator app': async ({ old }) => {
      const { secret } = (await post(FACTOR, { password: PASSWORD }, old)).body
      return async (by) => (await post(`${FACTOR}/confirm`, { code: makeCode(secret) }, by)).status
    },
    'a passkey': async ({ old }) => {
      const key = new TestPasskey(SITE, 0)
      const { body } = await post(`${PASSKEYS}/options`, { password: PASSWORD }, old)
      const form = { name: 'Key', credential: key.create(body) }
      return async (by) => (await post(PASSKEYS, form, by)).status
    },
  }
/** Each changes by what the person signs in, and returns a session that is valid after it. */
const CHANGES: Readonly<Record<string, (who: Person) => Promise<Headers>>> = {
  'the person makes a passkey': async ({ old }) => {
    expect((await (await makePasskey(old))()).status).toBe(200)
    return old
  },
  'a new password': async ({ id, collection, email }) => {
    const password = 'another-password'
    const form = { password, passwordConfirm: password }
    expect((await patch(`/api/collections/${collection}/records/${id}`, form)).status).toBe(200)
    return signIn(collection, email, password)
  },
  'a new email': async ({ id, collection, email }) => {
    const form = { email: `new-${email}` }
    expect((await patch(`/api/collections/${collection}/records/${id}`, form)).status).toBe(200)
    return signIn(collection, `new-${email}`)
  },
  'signing out everywhere else': async ({ old }) => ({
    authorization: (await post('/api/account/end-other-sessions', {}, old)).body.token,
  }),
  'an hour': async ({ id, old }) => {
    await server.rows(`update auth_factors set pending_until = now() where record = $1`, id)
    await server.rows(`update auth_challenges set ends = now() where record = $1`, id)
    return old
  },
}

describe.each(['users', '_superusers'])('of %s', (collection) => {
  test.each(
    Object.keys(BEGUN).flatMap((what) => Object.keys(CHANGES).map((change) => [what, change])),
  )('%s that was begun cannot be ended after %s', async (what, change) => {
    const who = await addPerson(collection)
    const end = await BEGUN[what!]!(who)
    const by = await CHANGES[change!]!(who)
    expect(await end(by)).toBe(400)
    const kept = await server.rows('select sealed from auth_factors where record = $1', who.id)
    expect(kept.flat().join('')).toBe('')
  })

  test('an app that was begun cannot be confirmed after another app was removed', async () => {
    const who = await addPerson(collection)
    const [first, second] = [
      await BEGUN['a passkey']!(who),
      await BEGUN['an authenticator app']!(who),
    ]
    const { recovery } = await setUpApp(url, { ...from(), ...who.old }, PASSWORD)
    const proof = { password: PASSWORD, code: recovery[0] }
    expect((await post(`${FACTOR}/remove`, proof, who.old)).status).toBe(204)
    expect(await first(who.old)).toBe(200)
    expect(await second(who.old)).toBe(400)
  })
})

test('of an app and a passkey that are ended at the same moment, one stays', async () => {
  for (let round = 0; round < 4; round++) {
    const who = await addPerson()
    const ends = await Promise.all(Object.values(BEGUN).map((begin) => begin(who)))
    const statuses = await Promise.all(ends.map((end) => end(who.old)))
    expect(statuses.toSorted()).toEqual([200, 400])
  }
})

test.each(['email-change', 'password-reset'])(
  'a link for %s that was mailed before a second factor counts no more after it',
  async (link) => {
    const { email, old, id } = await addPerson()
    const to = link === 'email-change' ? `thief-${email}` : email
    const path = `/api/collections/users/request-${link}`
    expect((await post(path, { email, newEmail: to }, old)).status).toBe(204)
    let token = ''
    while (!token) {
      const mail = await server.mail.next()
      if (mail.to === to) token = tokenIn(mail.text)
    }
    await setUpApp(url, { ...from(), ...old }, PASSWORD)
    const form = { token, password: PASSWORD, passwordConfirm: PASSWORD }
    const { status, body } = await post(`/api/collections/users/confirm-${link}`, form)
    expect([status, body.data.token.code]).toEqual([400, 'validation_invalid_token'])
    expect(await server.rows('select email from users where id = $1', id)).toEqual([[email]])
  },
)

test('a sign-in that waits for a code ends with the app that it waits for', async () => {
  const { email, old } = await addPerson()
  const { recovery } = await setUpApp(url, { ...from(), ...old }, PASSWORD)
  const path = '/api/collections/users/auth-with-password'
  const { mfaId } = (await post(path, { identity: email, password: PASSWORD })).body
  const proof = { password: PASSWORD, code: recovery[0] }
  expect((await post(`${FACTOR}/remove`, proof, old)).status).toBe(204)
  expect(await server.rows('select 1 from _mfas where id = $1', mfaId)).toEqual([])
})

describe('wrong codes of a set-up', () => {
  const enter = async (email: string, password: string) => {
    const users = '/api/collections/users'
    const { mfaId } = (
      await post(`${users}/auth-with-password`, { identity: email, password: PASSWORD })
    ).body
    return post(`${users}/auth-with-otp`, { mfaId, otpId: mfaId, password })
  }
  const confirm = (code: string, by: Headers) => post(`${FACTOR}/confirm`, { code }, by)

  test('a session alone uses up no tries of the sign-in, before and after the set-up of an app', async () => {
    const { email, old } = await addPerson()
    for (let i = 0; i < 12; i++) expect((await confirm('000000', old)).status).toBe(400)
    const { secret } = await setUpApp(url, { ...from(), ...old }, PASSWORD)
    for (let i = 0; i < 12; i++) expect((await confirm('000000', old)).status).toBe(400)
    await server.rows('update auth_factors set last_step = 0')
    expect((await enter(email, makeCode(secret))).status).toBe(200)
  })

  test('after ten of them the app must be begun again, and a new beginning counts anew', async () => {
    const { old } = await addPerson()
    await post(FACTOR, { password: PASSWORD }, old)
    for (let i = 0; i < 10; i++) expect((await confirm('000000', old)).status).toBe(400)
    expect((await confirm('000000', old)).status).toBe(429)
    await setUpApp(url, { ...from(), ...old }, PASSWORD)
  })

  test('an entry that cannot be a code is no try, and a recovery code counts as a phone writes it', async () => {
    const { email, old } = await addPerson()
    const { recovery } = await setUpApp(url, { ...from(), ...old }, PASSWORD)
    for (const typed of ['12345', 'my dog', recovery.join('\n'), `${recovery[0]} ${recovery[1]}`])
      for (let i = 0; i < 3; i++) expect((await enter(email, typed)).status).toBe(400)
    const [a, b, c, d] = recovery as [string, string, string, string]
    for (const typed of [
      `${a[0]!.toUpperCase()}${a.slice(1).replaceAll('-', '–')}.`,
      b.replaceAll('-', '\u2011'),
      `• ${c.replaceAll('-', '\u00a0')}\u200b`,
      `Recovery code 4: ${d.replaceAll('-', '−')}`,
    ])
      expect([typed, (await enter(email, typed)).status]).toEqual([typed, 200])
  })
})

describe('clocks of servers that differ', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  test('codes count by the clock of the database, at a server that is two hours ahead or behind', async () => {
    for (const hours of [2, -2]) {
      const { email, old } = await addPerson()
      const secret = (await setUpApp(url, { ...from(), ...old }, PASSWORD)).secret
      await server.rows('update auth_factors set last_step = 0')
      const [right, wrong] = [makeCode(secret), makeCode(secret, hours * 120)]
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 })
      const users = '/api/collections/users'
      const first = { identity: email, password: PASSWORD }
      const { mfaId } = (await post(`${users}/auth-with-password`, first)).body
      const enter = (password: string) =>
        post(`${users}/auth-with-otp`, { mfaId, otpId: mfaId, password })
      expect((await enter(wrong)).status).toBe(400)
      vi.useRealTimers()
      expect((await enter(right)).status).toBe(200)
    }
  })

  test('a step that only a wrong clock can have stored refuses no code', async () => {
    const { email, old } = await addPerson()
    const { secret } = await setUpApp(url, { ...from(), ...old }, PASSWORD)
    await server.rows('update auth_factors set last_step = last_step + 240')
    const users = '/api/collections/users'
    const { mfaId } = (
      await post(`${users}/auth-with-password`, { identity: email, password: PASSWORD })
    ).body
    const form = { mfaId, otpId: mfaId, password: makeCode(secret) }
    expect((await post(`${users}/auth-with-otp`, form)).status).toBe(200)
  })
})

describe('the age of a proof', async () => {
  const redirectURL = `${url}/api/oauth2-redirect`
  const oidc = await startOidcServer(redirectURL)
  const oauth2 = oauth2By(oidc)
  const [provider] = oauth2.providers
  // a record has one link to a provider
  const providers = [provider!, { ...provider!, name: 'oidc2' }]
  await server.change('users', { oauth2: { ...oauth2, providers } })
  async function signInByProvider(account: string, email: string, by: Headers = {}, at = 0) {
    oidc.account = account
    oidc.accounts.set(account, { name: account, email, email_verified: true })
    const methods = await new PocketBase(url).collection('users').listAuthMethods()
    const { authURL, codeVerifier } = methods.oauth2.providers[at]!
    const back = await oidc.browseBack(authURL + encodeURIComponent(redirectURL))
    const code = new URL(back).searchParams.get('code')!
    const form = { provider: providers[at]!.name, code, codeVerifier, redirectURL }
    const { body } = await post('/api/collections/users/auth-with-oauth2', form, by)
    return { authorization: String(body.token) }
  }
  const isFresh = async (by: Headers) => {
    const { body } = await request(url, 'GET', FACTOR, undefined, { ...from(), ...by })
    const { status } = await post(FACTOR, {}, by)
    expect(status).toBe(body.fresh ? 200 : 400)
    return body.fresh
  }
  const ageProof = (id: string) =>
    server.rows(
      `update auth_sessions set proven_at = now() - interval '3 days' where record = $1`,
      id,
    )

  test('signing out everywhere else renews no proof, and keeps one that is fresh', async () => {
    const who = await addPerson()
    const fresh = await signInByProvider(`of-${who.id}`, who.email)
    const renew = async (by: Headers): Promise<Headers> => ({
      authorization: (await post('/api/account/end-other-sessions', {}, by)).body.token,
    })
    const kept = await renew(fresh)
    expect(await isFresh(kept)).toBe(true)
    await ageProof(who.id)
    expect(await isFresh(await renew(kept))).toBe(false)
    expect(await isFresh(await renew(await signIn('users', who.email)))).toBe(false)
  })

  test("a thief's own account at a provider is no proof, in the session that links it and later", async () => {
    const who = await addPerson()
    const thief = ['thief', 'thief@example.net'] as const
    const linking = await signInByProvider(`${thief[0]}-${who.id}`, thief[1], who.old)
    expect(await isFresh(linking)).toBe(false)
    expect(await isFresh(await signInByProvider(`${thief[0]}-${who.id}`, thief[1]))).toBe(false)
    for (;;) {
      const mail = await server.mail.next()
      if (mail.to !== who.email) continue
      expect(mail.text).toContain('thief@example.net')
      break
    }
  })

  test('a link that a session with an old proof makes is no proof, one of a fresh proof is', async () => {
    const [old, fresh] = [await addPerson(), await addPerson()]
    const [first, second] = [
      await signInByProvider(`a-${old.id}`, old.email),
      await signInByProvider(`a-${fresh.id}`, fresh.email),
    ]
    await ageProof(old.id)
    const link = (of: Person, by?: Headers) =>
      signInByProvider(`b-${of.id}`, 'b@example.net', by, 1).then(isFresh)
    expect([await link(old, first), await link(old)]).toEqual([false, false])
    expect([await link(fresh, second), await link(fresh)]).toEqual([true, true])
  })

  describe('signing out everywhere else', () => {
    const list = async (by: Headers) =>
      (await request(url, 'GET', '/api/account/sessions', undefined, by)).body.links
    const leave = (by: Headers, body?: object) => post('/api/account/end-other-sessions', body, by)
    const isIn = async (by: Headers) =>
      (await request(url, 'GET', '/api/account/sessions', undefined, by)).status === 200

    test("ends a thief's account at a provider if the person says so, and else lists it", async () => {
      const who = await addPerson()
      await signInByProvider(`x-${who.id}`, 'x@example.net', who.old)
      const [link, ...others] = await list(who.old)
      expect([link, others]).toEqual([
        { id: expect.any(String), provider: 'Work', created: expect.any(String) },
        [],
      ])
      const own = { authorization: (await leave(who.old)).body.token }
      expect(await list(own)).toEqual([link])
      const left = await leave(own, { links: [link.id] })
      expect(left.status).toBe(200)
      expect(await list({ authorization: left.body.token })).toEqual([])
      const stranger = await signInByProvider(`x-${who.id}`, 'x@example.net')
      expect(await list(stranger)).toBeUndefined()
    })

    test('does not lock out a person who signed in by a provider', async () => {
      const who = await addPerson()
      const by = await signInByProvider(`y-${who.id}`, who.email)
      const [{ id }] = await list(by)
      const refused = await leave(by, { links: [id] })
      expect([refused.status, refused.body.data.password.code]).toEqual([
        400,
        'validation_required',
      ])
      expect((await leave(by, { links: [id], password: 'not-theirs' })).status).toBe(400)
      expect([await isIn(by), await isIn(who.old)]).toEqual([true, true])
      expect((await leave(by, { links: [id], password: PASSWORD })).status).toBe(200)
      expect([await isIn(by), await isIn(who.old)]).toEqual([false, false])
    })

    test('ends one of two links without a password, and no link of others', async () => {
      const [who, other] = [await addPerson(), await addPerson()]
      const by = await signInByProvider(`z-${who.id}`, who.email)
      await signInByProvider(`zz-${who.id}`, 'zz@example.net', by, 1)
      const [second] = await list(by)
      const theirs = await list(await signInByProvider(`z-${other.id}`, other.email))
      expect((await leave(by, { links: [theirs[0].id] })).status).toBe(404)
      for (const body of [{ links: 'x' }, { links: [{}] }, []])
        expect((await leave(by, body)).status).toBe(400)
      expect(await isIn(by)).toBe(true)
      const { token } = (await leave(by, { links: [second.id] })).body
      expect(await list({ authorization: token })).toHaveLength(1)
    })
  })
})
