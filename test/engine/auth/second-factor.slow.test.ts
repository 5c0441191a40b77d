import { setTimeout as sleep } from 'node:timers/promises'
import PocketBase, { type ClientResponseError } from 'pocketbase'
import { removeSuperuserFactor, upsertSuperuser } from '../../../src/engine/auth/superusers.ts'
import { computeTotp, readTotpStep } from '../../../src/engine/auth/totp.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { runServer } from '../../support/database/open.ts'
import { basic, request } from '../../support/server/request.ts'
import { PASSWORD, startServerWithMail, tokenIn } from '../../support/server/server-with-mail.ts'
import { setUpApp } from '../../support/server/set-up-app.ts'
import { oauth2By, startOidcServer } from '../../support/services/oidc-server.ts'

// People who sign in with a password and an authenticator app, at two servers; and those who try without.

const ENV = { TRUSTED_PROXIES: '127.0.0.1', SIGN_IN_TRIES: '1000' }
const server = await startServerWithMail(ENV)
const { url } = server.server
const { store, config } = server.server.services
const other = await runServer(config, createLogger({ logLevel: 'silent' }))
const root = await server.superuser()

interface Person {
  readonly id: string
  readonly email: string
  readonly collection: string
  readonly headers: { readonly authorization: string }
  readonly secret: string
  readonly recovery: string[]
}

const STEP_MS = 30_000
const SPARE_MS = 3_000
const FACTOR = '/api/account/second-factor'
/** A network of its own for each request, so that only limits of the person count. */
let networks = 0
const from = () => ({ 'x-forwarded-for': `198.51.${++networks >> 8}.${networks & 255}` })
const post = (path: string, body: unknown, headers: object = {}, at = url) =>
  request(at, 'POST', path, body, { ...from(), ...headers })

async function setUp(id: string, email: string, collection = 'users'): Promise<Person> {
  const headers = { authorization: await server.signIn(collection, email, PASSWORD) }
  const app = await setUpApp(url, { ...from(), ...headers }, PASSWORD)
  return { id, email, collection, headers, ...app }
}

const [ann, ben] = await Promise.all(
  ['ann@example.com', 'ben@example.com'].map(async (email) =>
    setUp(await server.addUser(email, { verified: true }), email),
  ),
)
/** What tests before have left is gone: used time steps, and counts of wrong codes. */
beforeEach(async () => {
  // codes are made and checked in the same step of 30 s
  const restMs = STEP_MS - (Date.now() % STEP_MS)
  if (restMs < SPARE_MS) await sleep(restMs)
  await server.rows('update auth_factors set last_step = 0')
  await server.rows('delete from auth_tries')
  await server.rows('delete from _mfas')
  await server.rows('delete from _otps')
})

const makeCode = ({ secret }: Person, drift = 0) => computeTotp(secret, readTotpStep() + drift)
const signInPath = ({ collection }: Pick<Person, 'collection'>, way: string) =>
  `/api/collections/${collection}/${way}`
const startByPassword = (who: Person, at = url, more: object = {}) =>
  post(
    signInPath(who, 'auth-with-password'),
    { identity: who.email, password: PASSWORD, ...more },
    {},
    at,
  )
const start = async (who: Person, at = url) => String((await startByPassword(who, at)).body.mfaId)
const requestOtp = async (who: Person, at = url) =>
  String((await post(signInPath(who, 'request-otp'), { email: who.email }, {}, at)).body.otpId)
const enter = (who: Pick<Person, 'collection'>, form: object, at = url) =>
  post(signInPath(who, 'auth-with-otp'), form, {}, at)
/** All that a sign-in needs, of one person. */
const begin = async (who: Person, password = makeCode(who)) => ({
  ...{ mfaId: await start(who), otpId: await requestOtp(who), password },
})
const countSessions = async () =>
  (await server.rows('select count(*)::int from auth_sessions'))[0]![0] as number

test('a person signs in with password and code, and the code of the clock before or after counts', async () => {
  for (const drift of [0, -1, 1]) {
    await server.rows('update auth_factors set last_step = 0')
    const { status, body } = await enter(ann!, await begin(ann!, makeCode(ann!, drift)))
    expect([status, body.record?.id]).toEqual([200, ann!.id])
  }
  const methods = `select method from auth_sessions where record = '${ann!.id}' order by created desc limit 1`
  expect(await server.rows(methods)).toEqual([['totp']])
})

test('the started sign-in replaces the one-time password, once', async () => {
  const mfaId = await start(ann!)
  const form = { mfaId, otpId: mfaId, password: makeCode(ann!) }
  expect((await enter(ann!, { ...form, password: '000000' })).status).toBe(400)
  const { status, body } = await enter(ann!, form)
  expect([status, body.record?.id]).toEqual([200, ann!.id])
  await server.rows('update auth_factors set last_step = 0')
  expect((await enter(ann!, form)).status).toBe(400)
})

test('the SDK of PocketBase signs in, also with a code that is typed in groups', async () => {
  const users = new PocketBase(url).collection('users')
  const { mfaId, method } = await users.authWithPassword(ann!.email, PASSWORD).then(
    () => {
      throw new Error('The password was enough.')
    },
    (error: ClientResponseError) => error.response,
  )
  expect(method).toBe('totp')
  const { otpId } = await users.requestOTP(ann!.email)
  const code = makeCode(ann!).replace(/^.../, '$& ')
  const { record } = await users.authWithOTP(otpId, code, { mfaId })
  expect(record.id).toBe(ann!.id)
  expect(
    server.mail.mails.filter(({ to, text }) => to === ann!.email && /password is/.test(text)),
  ).toEqual([])
})

/**
 * A request as PocketBase's client for Dart sends it: lib/src/client.dart and services/record_service.dart in
 * github.com/pocketbase/dart-sdk (2026-11-29). Its parser fails on an answer that is no JSON object.
 */
async function sendAsDart(path: string, form: object, query: Record<string, string>, token = '') {
  const search = new URLSearchParams(query).toString()
  const response = await fetch(`${url}${path}${search && `?${search}`}`, {
    method: 'POST',
    // no body at all for an empty form, but the type all the same
    ...(Object.keys(form).length > 0 && { body: JSON.stringify(form) }),
    headers: {
      ...{ 'user-agent': 'Dart/3.9 (dart:io)', 'accept-language': 'en-US', ...from() },
      ...{ 'content-type': 'application/json', ...(token && { authorization: token }) },
    },
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

test.each(['query', 'body'])(
  "Dart's client of PocketBase signs in, with mfaId in the %s",
  async (place) => {
    const users = '/api/collections/users'
    const first = { identity: ann!.email, password: PASSWORD }
    const asked = await sendAsDart(`${users}/auth-with-password`, first, {})
    expect(asked).toMatchObject({
      status: 401,
      body: { mfaId: expect.any(String), method: 'totp' },
    })
    const { mfaId } = asked.body
    const { body: otp } = await sendAsDart(`${users}/request-otp`, { email: ann!.email }, {})
    const second = { otpId: otp.otpId, password: makeCode(ann!) }
    const { status, body } = await sendAsDart(
      `${users}/auth-with-otp`,
      place === 'body' ? { mfaId, ...second } : second,
      place === 'query' ? { mfaId } : {},
    )
    expect([status, body.record.id]).toEqual([200, ann!.id])
    const again = await sendAsDart(`${users}/auth-refresh`, {}, {}, body.token)
    expect([again.status, again.body.record.id]).toEqual([200, ann!.id])
  },
)

test('a recovery code signs in once, in any case and with or without hyphens', async () => {
  const [first, second] = ann!.recovery.splice(0, 2)
  expect(
    (await enter(ann!, await begin(ann!, first!.toUpperCase().replaceAll('-', ' ')))).status,
  ).toBe(200)
  expect((await enter(ann!, await begin(ann!, second))).status).toBe(200)
  expect((await enter(ann!, await begin(ann!, first))).status).toBe(400)
  const { body } = await request(url, 'GET', FACTOR, undefined, ann!.headers)
  expect(body).toMatchObject({ enabled: true, recovery_codes: 8 })
  const sessions = await request(url, 'GET', '/api/account/sessions', undefined, ann!.headers)
  const methods = sessions.body.items.map(({ method }: { method: string }) => method)
  expect(methods.filter((method: string) => method === 'recovery')).toHaveLength(2)
})

test('codes entered without the password use up no tries of others in the same network', async () => {
  const network = { 'x-forwarded-for': '198.18.0.1' }
  const inNetwork = (form: object) => post(signInPath(ann!, 'auth-with-otp'), form, network)
  const otpId = await requestOtp(ann!)
  for (let tries = 0; tries < 7; tries++)
    expect((await inNetwork({ otpId, password: '000000' })).status).toBe(400)
  expect((await inNetwork(await begin(ann!))).status).toBe(200)
})

const ATTACKS: Readonly<Record<string, () => Promise<{ status: number; body: unknown }>>> = {
  'the password alone': () => startByPassword(ann!),
  'a code without a started sign-in': async () =>
    enter(ann!, { ...(await begin(ann!)), mfaId: '' }),
  'a made-up started sign-in': async () =>
    enter(ann!, { ...(await begin(ann!)), mfaId: 'a'.repeat(15) }),
  "another person's started sign-in": async () =>
    enter(ann!, { ...(await begin(ann!)), mfaId: await start(ben!) }),
  "another person's code": async () => enter(ann!, await begin(ann!, makeCode(ben!))),
  "another person's recovery code": async () => enter(ann!, await begin(ann!, ben!.recovery[0])),
  "another person's otpId and code": async () =>
    enter(ann!, { ...(await begin(ben!)), mfaId: await start(ann!) }),
  'an otpId as the started sign-in': async () => {
    const form = await begin(ann!)
    return enter(ann!, { ...form, mfaId: form.otpId })
  },
  "another person's code for a started sign-in as the otpId": async () => {
    const mfaId = await start(ann!)
    return enter(ann!, { mfaId, otpId: mfaId, password: makeCode(ben!) })
  },
  "another person's started sign-in as the otpId": async () =>
    enter(ann!, { ...(await begin(ann!)), otpId: await start(ben!) }),
  'a started sign-in as the otpId alone': async () =>
    enter(ann!, { otpId: await start(ann!), password: makeCode(ann!) }),
  'a started sign-in as the otpId that has expired': async () => {
    const mfaId = await start(ann!)
    await server.rows(`update _mfas set created = '2020-01-01 00:00:00.000Z'`)
    return enter(ann!, { mfaId, otpId: mfaId, password: makeCode(ann!) })
  },
  'a code of another collection': async () =>
    enter({ collection: '_superusers' }, await begin(ann!)),
  'the password as the second method': async () =>
    startByPassword(ann!, url, { mfaId: await start(ann!) }),
  'a started sign-in that has expired': async () => {
    const form = await begin(ann!)
    await server.rows(`update _mfas set created = '2020-01-01 00:00:00.000Z'`)
    return enter(ann!, form)
  },
  'an otpId that has expired': async () => {
    const form = await begin(ann!)
    await server.rows(`update _otps set created = '2020-01-01 00:00:00.000Z'`)
    return enter(ann!, form)
  },
  'a code that was used': async () => {
    expect((await enter(ann!, await begin(ann!))).status).toBe(200)
    return enter(ann!, await begin(ann!))
  },
  'a code that was used at another server': async () => {
    expect((await enter(ann!, await begin(ann!), other.url)).status).toBe(200)
    return enter(ann!, await begin(ann!))
  },
  'an earlier code after a later one': async () => {
    expect((await enter(ann!, await begin(ann!, makeCode(ann!, 1)))).status).toBe(200)
    return enter(ann!, await begin(ann!, makeCode(ann!, -1)))
  },
  'a started sign-in that was used': async () => {
    const form = await begin(ann!)
    expect((await enter(ann!, form)).status).toBe(200)
    await server.rows('update auth_factors set last_step = 0')
    return enter(ann!, { ...form, otpId: await requestOtp(ann!) })
  },
  'an otpId that was used': async () => {
    const form = await begin(ann!)
    expect((await enter(ann!, form)).status).toBe(200)
    await server.rows('update auth_factors set last_step = 0')
    return enter(ann!, { ...form, mfaId: await start(ann!) })
  },
  'a code of three steps ago': async () => enter(ann!, await begin(ann!, makeCode(ann!, -3))),
  'a code of three steps ahead': async () => enter(ann!, await begin(ann!, makeCode(ann!, 3))),
  'no code': async () => enter(ann!, await begin(ann!, '')),
  'five digits of the code': async () => enter(ann!, await begin(ann!, makeCode(ann!).slice(1))),
  'the code with a digit more': async () => enter(ann!, await begin(ann!, `${makeCode(ann!)}0`)),
  'two codes in one text': async () =>
    enter(ann!, await begin(ann!, `${makeCode(ann!)} or ${makeCode(ben!)}`)),
  'the secret': async () => enter(ann!, await begin(ann!, ann!.secret)),
  'the password as the code': async () => enter(ann!, await begin(ann!, PASSWORD)),
  'a list of codes': async () =>
    enter(ann!, { ...(await begin(ann!)), password: [makeCode(ann!)] }),
  'a recovery code with SQL': async () => enter(ann!, await begin(ann!, `' or ''='`)),
  'the registration of a phone by the password': () =>
    post('/api/mobile/v1/device', { name: 'phone' }, basic(ann!.email, PASSWORD)),
  'a new password by a mailed link': async () => {
    await post(signInPath(ann!, 'request-password-reset'), { email: ann!.email })
    const token = tokenIn(await findMail(ann!))
    const form = { token, password: PASSWORD, passwordConfirm: PASSWORD }
    expect((await post(signInPath(ann!, 'confirm-password-reset'), form)).status).toBe(204)
    return startByPassword(ann!)
  },
  'a new password by a superuser': async () => {
    const body = { password: PASSWORD, passwordConfirm: PASSWORD }
    const path = `/api/collections/users/records/${ann!.id}`
    expect((await request(url, 'PATCH', path, body, root)).status).toBe(200)
    return startByPassword(ann!)
  },
  'an OAuth2 provider alone': () => signInByProvider(''),
  'an OAuth2 provider as the second method': async () => signInByProvider(await start(ann!)),
  'a secret that a thief of the database copied from another row': async () => {
    const [[sealed]] = (await server.rows(
      'select sealed from auth_factors where record = $1',
      ann!.id,
    )) as [[string]]
    const [[mine]] = (await server.rows(
      'select sealed from auth_factors where record = $1',
      ben!.id,
    )) as [[string]]
    await server.rows('update auth_factors set sealed = $1 where record = $2', mine, ann!.id)
    const answer = await enter(ann!, await begin(ann!, makeCode(ben!)))
    await server.rows('update auth_factors set sealed = $1 where record = $2', sealed, ann!.id)
    return answer
  },
}

const findMail = async ({ email }: Person) => {
  for (;;) {
    const mail = await server.mail.next()
    if (mail.to === email && tokenIn(mail.text)) return mail.text
  }
}

const redirectURL = `${url}/api/oauth2-redirect`
const oidc = await startOidcServer(redirectURL)
await server.change('users', { oauth2: oauth2By(oidc) })
async function signInByProvider(mfaId: string, { id, email } = { id: 'ann', email: ann!.email }) {
  oidc.account = id
  oidc.accounts.set(id, { name: id, email, email_verified: true })
  const methods = await new PocketBase(url).collection('users').listAuthMethods()
  const { authURL, codeVerifier } = methods.oauth2.providers[0]!
  const back = await oidc.browseBack(authURL + encodeURIComponent(redirectURL))
  const code = new URL(back).searchParams.get('code')!
  return post('/api/collections/users/auth-with-oauth2', {
    ...{ provider: 'oidc', code, codeVerifier, redirectURL, mfaId },
  })
}

test('a fresh sign-in by a provider replaces the password, an old one and one by password do not', async () => {
  const email = 'dora@example.com'
  const id = await server.addUser(email, { verified: true })
  const { token } = (await signInByProvider('', { id, email })).body
  const byProvider = { authorization: token }
  const byPassword = { authorization: await server.signIn('users', email, PASSWORD) }
  const ask = async (headers: object) => {
    const { body } = await request(url, 'GET', FACTOR, undefined, { ...from(), ...headers })
    return [body.fresh, (await post(FACTOR, {}, headers)).status]
  }
  expect(await ask(byProvider)).toEqual([true, 200])
  expect(await ask(byPassword)).toEqual([false, 400])
  expect((await post(FACTOR, { password: 'not-hers' }, byProvider)).status).toBe(400)
  const { recovery } = await setUpApp(url, { ...from(), ...byProvider })
  expect((await post(`${FACTOR}/remove`, {}, byProvider)).status).toBe(400)
  await server.rows(
    `update auth_sessions set proven_at = proven_at - interval '10 minutes' where record = '${id}'`,
  )
  expect(await ask(byProvider)).toEqual([false, 400])
  expect((await post(`${FACTOR}/remove`, { code: recovery[0] }, byProvider)).status).toBe(400)
  const all = { code: recovery[0], password: PASSWORD }
  expect((await post(`${FACTOR}/remove`, all, byProvider)).status).toBe(204)
})

test.each(Object.entries(ATTACKS))('nobody signs in by %s', async (_, attack) => {
  const { status, body } = await attack()
  expect([400, 401, 403]).toContain(status)
  expect(body).not.toHaveProperty('token')
})

test.each(['a code of the app', 'a recovery code'])(
  '%s that ten requests at two servers use at once signs in once',
  async (what) => {
    const code = what === 'a code of the app' ? makeCode(ben!) : ben!.recovery.pop()!
    const before = await countSessions()
    const forms = await Promise.all(Array.from({ length: 9 }, () => begin(ben!, code)))
    const answers = await Promise.all(
      forms.map((form, i) => enter(ben!, form, i % 2 ? url : other.url)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await countSessions()).toBe(before + 1)
  },
)

test('after ten wrong codes from ten networks the right one is refused for an hour, at both servers', async () => {
  for (let i = 0; i < 10; i++)
    expect((await enter(ann!, await begin(ann!, '000000'), i % 2 ? url : other.url)).status).toBe(
      400,
    )
  expect((await enter(ann!, await begin(ann!))).status).toBe(429)
  expect((await enter(ann!, await begin(ann!, ann!.recovery[0]))).status).toBe(429)
})

test('a stranger without the password cannot use up the tries of a person', async () => {
  for (let i = 0; i < 12; i++)
    await enter(ann!, { otpId: await requestOtp(ann!), password: '000000', mfaId: '' })
  await server.rows('delete from _otps')
  expect((await enter(ann!, await begin(ann!))).status).toBe(200)
})

test('a request for a code answers alike for people with an app, without one, and for strangers', async () => {
  await server.addUser('cat@example.com', { verified: true })
  const ask = (email: string) => post('/api/collections/users/request-otp', { email })
  for (const email of [ann!.email, 'cat@example.com', 'nobody@example.com']) {
    const { status, body } = await ask(email)
    expect([status, Object.keys(body)]).toEqual([200, ['otpId']])
    const { text } = await enter(ann!, { otpId: body.otpId, password: '123456' })
    expect(JSON.parse(text)).toEqual({ data: {}, message: 'Invalid or expired OTP.', status: 400 })
  }
})

describe('a second factor', () => {
  const remove = (body: object, headers: object) => post(`${FACTOR}/remove`, body, headers)

  test.each<[what: string, body: () => object]>([
    ['without the password', () => ({ password: 'wrong-password', code: makeCode(ben!) })],
    ['without a code', () => ({ password: PASSWORD, code: '000000' })],
    ["with another person's code", () => ({ password: PASSWORD, code: makeCode(ann!) })],
  ])('a second factor is not removed by a stolen session %s', async (_, body) => {
    expect((await remove(body(), ben!.headers)).status).toBe(400)
  })

  test('a second factor is not replaced or confirmed again', async () => {
    expect((await post(FACTOR, { password: PASSWORD }, ben!.headers)).status).toBe(400)
    expect((await post(`${FACTOR}/confirm`, { code: makeCode(ben!) }, ben!.headers)).status).toBe(
      400,
    )
    expect((await enter(ben!, await begin(ben!))).status).toBe(200)
  })

  test('a second factor is not set up with a wrong password, by a superuser who impersonates, or by guests', async () => {
    const id = await server.addUser('dan@example.com', { verified: true })
    const path = `/api/collections/users/impersonate/${id}`
    const { token } = (await post(path, {}, root)).body
    const ask = (headers: object) => post(FACTOR, { password: 'wrong-password' }, headers)
    expect((await ask({ authorization: token })).status).toBe(400)
    expect((await ask({})).status).toBe(401)
  })

  test('a second factor is not asked for before its first code', async () => {
    const email = 'eve@example.com'
    await server.addUser(email, { verified: true })
    const headers = { authorization: await server.signIn('users', email, PASSWORD) }
    const { body } = await post(FACTOR, { password: PASSWORD }, headers)
    expect(body.url).toContain(`secret=${body.secret}`)
    expect((await post(`${FACTOR}/confirm`, { code: '000000' }, headers)).status).toBe(400)
    expect(await server.signIn('users', email, PASSWORD)).not.toBe('undefined')
  })

  test('a second factor is removed with password and code, by a superuser, and with its record', async () => {
    const make = async (email: string) =>
      setUp(await server.addUser(email, { verified: true }), email)
    const [fay, gus, hal] = [
      await make('fay@example.com'),
      await make('gus@example.com'),
      await make('hal@example.com'),
    ]
    await server.rows('update auth_factors set last_step = 0')
    await server.rows('delete from _audit')
    expect((await remove({ password: PASSWORD, code: makeCode(fay) }, fay.headers)).status).toBe(
      204,
    )
    const path = `/api/users/${gus.id}/second-factor`
    expect((await request(url, 'DELETE', path, undefined, gus.headers)).status).toBe(403)
    expect((await request(url, 'DELETE', path, undefined, root)).status).toBe(204)
    expect((await request(url, 'DELETE', path, undefined, root)).status).toBe(404)
    for (const who of [fay, gus]) expect((await startByPassword(who)).status).toBe(200)
    expect(await server.rows('select action, record, email from _audit order by created')).toEqual([
      ['remove second factor', fay.id, ''],
      ['remove second factor', gus.id, expect.stringContaining('@')],
    ])
    await request(url, 'DELETE', `/api/collections/users/records/${hal.id}`, undefined, root)
    expect(await server.rows('select 1 from auth_factors where record = $1', hal.id)).toEqual([])
  })

  test('a second factor of a superuser is asked for, and removed at the terminal', async () => {
    const email = 'two@example.com'
    await upsertSuperuser(store, email, PASSWORD)
    const [[id]] = (await server.rows('select id from _superusers where email = $1', email)) as [
      [string],
    ]
    const two = await setUp(id, email, '_superusers')
    await server.rows('update auth_factors set last_step = 0')
    expect((await startByPassword(two)).status).toBe(401)
    expect((await enter(two, await begin(two))).status).toBe(200)
    await removeSuperuserFactor(store, email)
    expect((await startByPassword(two)).status).toBe(200)
    await expect(removeSuperuserFactor(store, email)).rejects.toThrow('no second factor')
    const [[ip]] = (await server.rows(
      `select ip from _audit where action = 'remove second factor' and record = $1`,
      id,
    )) as [[string]]
    expect(ip).toBe('terminal')
  })
})
