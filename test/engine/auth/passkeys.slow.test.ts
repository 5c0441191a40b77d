import { cleanUpSignIns } from '../../../src/engine/auth/delete-old-sign-ins.ts'
import { removeSuperuserFactor, upsertSuperuser } from '../../../src/engine/auth/superusers.ts'
import { computeTotp, readTotpStep } from '../../../src/engine/auth/totp.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { runServer } from '../../support/database/open.ts'
import { basic, request } from '../../support/server/request.ts'
import { PASSWORD, startServerWithMail, tokenIn } from '../../support/server/server-with-mail.ts'
import { setUpApp } from '../../support/server/set-up-app.ts'
import { type Forged, TestPasskey } from '../../support/services/authenticator.ts'

// People who sign in by passkeys at two servers, and those who try without.

const SITE = 'https://sms.example.com'
const EVIL = 'https://sms.example.org'
const server = await startServerWithMail({
  ...{ PUBLIC_URL: SITE, TRUSTED_PROXIES: '127.0.0.1', SIGN_IN_TRIES: '1000' },
})
await server.allowOtp()
const { url } = server.server
const { store, config } = server.server.services
const log = createLogger({ logLevel: 'silent' })
const other = await runServer(config, log)
const root = await server.superuser()

/** A network of its own for each request, so that only limits of the person count. */
let networks = 0
const from = () => ({ 'x-forwarded-for': `198.51.${++networks >> 8}.${networks & 255}` })
type Headers = Readonly<Record<string, string>>
const post = (path: string, body: unknown = {}, headers: Headers = {}, at = url) =>
  request(at, 'POST', path, body, { ...from(), ...headers })
const PASSKEYS = '/api/account/passkeys'

interface Person {
  readonly id: string
  readonly email: string
  readonly collection: string
  readonly headers: Headers
  readonly key: TestPasskey
  readonly recovery: string[]
}

/** Makes a passkey for a person. `proof`: beside the password, of somebody with a second factor. */
async function addPasskey(headers: Headers, key: TestPasskey, proof: object = {}, forged?: Forged) {
  const asked = await post(`${PASSKEYS}/options`, { password: PASSWORD, ...proof }, headers)
  if (asked.status !== 200) return asked
  return post(PASSKEYS, { name: 'Key', credential: key.create(asked.body, forged) }, headers)
}

async function signUp(email: string, collection = 'users', counter = 0): Promise<Person> {
  const id =
    collection === 'users' ? await server.addUser(email, { verified: true }) : await addRoot(email)
  const headers = { authorization: await server.signIn(collection, email, PASSWORD) }
  const key = new TestPasskey(SITE, counter)
  const { status, body } = await addPasskey(headers, key)
  expect([status, body.recovery_codes.length]).toEqual([200, 10])
  return { id, email, collection, headers, key, recovery: body.recovery_codes }
}

async function addRoot(email: string): Promise<string> {
  await upsertSuperuser(store, email, PASSWORD)
  const [[id]] = (await server.rows('select id from _superusers where email = $1', email)) as [
    [string],
  ]
  return id
}

const ann = await signUp('ann@example.com')
const ben = await signUp('ben@example.com', 'users', 1)
const two = await signUp('two@example.com', '_superusers')

beforeEach(async () => {
  await server.rows('delete from auth_tries')
  await server.rows('delete from _mfas')
})

const pathOf = ({ collection }: Pick<Person, 'collection'>, way: string) =>
  `/api/collections/${collection}/${way}`
const startByPassword = (who: Person, more: object = {}, at = url) =>
  post(
    pathOf(who, 'auth-with-password'),
    { identity: who.email, password: PASSWORD, ...more },
    {},
    at,
  )
const start = async (who: Person, at = url) =>
  String((await startByPassword(who, {}, at)).body.mfaId)
const ask = async (who: Pick<Person, 'collection'>, mfaId = '', at = url) =>
  (await post(pathOf(who, 'passkey-options'), mfaId ? { mfaId } : {}, {}, at)).body
const enter = (
  who: Pick<Person, 'collection'>,
  credential: unknown,
  mfaId = '',
  at = url,
  headers: Headers = {},
) => post(pathOf(who, 'auth-with-passkey'), { credential, ...(mfaId && { mfaId }) }, headers, at)
/** A sign-in by the passkey alone, with what is forged. */
const alone = async (who: Person, forged?: Forged) =>
  enter(who, who.key.sign(await ask(who), forged))
/** A sign-in by the password, then the passkey. */
const second = async (who: Person, forged?: Forged) => {
  const mfaId = await start(who)
  return enter(who, who.key.sign(await ask(who, mfaId), forged), mfaId)
}
const countSessions = async () =>
  (await server.rows('select count(*)::int from auth_sessions'))[0]![0] as number

test.each<[string, Person]>([
  ['a user', ann],
  ['a user whose authenticator counts', ben],
  ['a superuser', two],
])('%s signs in by the passkey alone, and after the password', async (_, who) => {
  for (const way of [alone, second]) {
    const { status, body } = await way(who)
    expect([status, body.record?.id]).toEqual([200, who.id])
  }
  const { body } = await request(url, 'GET', PASSKEYS, undefined, who.headers)
  expect(body).toMatchObject({
    host: 'sms.example.com',
    items: [{ name: 'Key', host: 'sms.example.com', used_at: expect.stringMatching(/^\d{4}-/) }],
  })
})

test('a member who acts for an account that requires second factors signs in by a passkey alone', async () => {
  const owner = await signUp('owner@example.com')
  const member = { account: owner.id, member: ann.id, role: 'agent' }
  expect((await post('/api/collections/members/records', member, root)).status).toBe(200)
  const settings = { user: owner.id, second_factor_from: '2026-01-01 00:00:00.000Z' }
  const set = await post('/api/collections/user_settings/records', settings, owner.headers)
  expect(set.status).toBe(200)
  const { token } = (await alone(ann)).body
  const acting = await post('/api/account/act-for', { account: owner.id }, { authorization: token })
  expect(acting.status).toBe(200)
  // the token that is sent with a sign-in does not matter, whatever its role may do
  const headers = { authorization: acting.body.token }
  const again = await enter(ann, ann.key.sign(await ask(ann)), '', url, headers)
  expect([again.status, again.body.record?.id]).toEqual([200, ann.id])
})

test('the 401 of a password names the passkey, and a recovery code replaces it once', async () => {
  const { body } = await startByPassword(ann)
  expect(body).toEqual({ mfaId: expect.any(String), method: 'passkey' })
  const { otpId } = (await post(pathOf(ann, 'request-otp'), { email: ann.email })).body
  const form = { otpId, password: ann.recovery.pop(), mfaId: body.mfaId }
  expect((await post(pathOf(ann, 'auth-with-otp'), form)).status).toBe(200)
  const again = await post(pathOf(ann, 'request-otp'), { email: ann.email })
  const used = { ...form, otpId: again.body.otpId, mfaId: await start(ann) }
  expect((await post(pathOf(ann, 'auth-with-otp'), used)).status).toBe(400)
})

test('options ask for user verification at the host of PUBLIC_URL, with the passkeys of the person', async () => {
  expect(await ask(ann, await start(ann))).toMatchObject({
    rpId: 'sms.example.com',
    userVerification: 'required',
    allowCredentials: [{ id: ann.key.id }],
  })
  expect((await ask(ann)).allowCredentials ?? []).toEqual([])
})

const NOBODY = new TestPasskey(SITE)
const forge = (forged: Forged) => [() => alone(ann, forged), () => second(ann, forged)] as const

/** Fields that a browser would not forge, each as the only method and as the second one. */
const FORGED: Readonly<Record<string, Forged>> = {
  'of another origin': { origin: EVIL },
  'of http': { origin: 'http://sms.example.com' },
  'of another port': { origin: `${SITE}:8443` },
  'of a host below': { origin: 'https://evil.sms.example.com' },
  'of the host above': { origin: 'https://example.com' },
  'of an app': { origin: 'android:apk-key-hash:x' },
  'of no origin': { origin: 'null' },
  'for another host': { host: 'sms.example.org' },
  'for the host above': { host: 'example.com' },
  'without a user who was verified': { flags: 1 },
  'without a user who was present': { flags: 4 },
  'without any flag': { flags: 0 },
  'with a key that none asked for': { flags: 69 },
  'of a backup of a key that has none': { flags: 21 },
  'in a frame of another site': { crossOrigin: true },
  'of the wrong type': { type: 'webauthn.create' },
  'of a payment': { type: 'payment.get' },
  'of a made-up challenge': { challenge: Buffer.alloc(32).toString('base64url') },
  'of an empty challenge': { challenge: '' },
  'by another key': { key: NOBODY.key },
  "by another person's key": { key: ben.key.key },
  "with another person's id": { id: ben.key.id },
  'with an unknown id': { id: NOBODY.id },
  'with a NUL in its id': { id: '\0' },
  'with SQL in its id': { id: `' or ''='` },
  'for another person': {
    userHandle: Buffer.from(`_pb_users_auth_/${ben.id}`).toString('base64url'),
  },
  'for a superuser': { userHandle: Buffer.from(`pbc_3142635823/${two.id}`).toString('base64url') },
}

const FORGERIES = Object.entries(FORGED).flatMap(([name, forged]) => {
  const [first, then] = forge(forged)
  return [
    [`a signature ${name}, alone`, first],
    [`a signature ${name}, after the password`, then],
  ] as const
})

type Attack = () => Promise<{ status: number; body: unknown }>

const ATTACKS: Readonly<Record<string, Attack>> = {
  'the password alone': () => startByPassword(ann),
  'a signature that was used': async () => {
    const signed = ann.key.sign(await ask(ann))
    expect((await enter(ann, signed)).status).toBe(200)
    return enter(ann, signed)
  },
  'a signature that was used at another server': async () => {
    const signed = ann.key.sign(await ask(ann))
    expect((await enter(ann, signed, '', other.url)).status).toBe(200)
    return enter(ann, signed)
  },
  'a challenge that was used, signed again': async () => {
    const options = await ask(ann)
    expect((await enter(ann, ann.key.sign(options))).status).toBe(200)
    return enter(ann, ann.key.sign(options))
  },
  'a challenge that a wrong signature used up': async () => {
    const options = await ask(ann)
    expect((await enter(ann, ann.key.sign(options, { flags: 1 }))).status).toBe(400)
    return enter(ann, ann.key.sign(options))
  },
  'a challenge that has expired': async () => {
    const options = await ask(ann)
    await server.rows(`update auth_challenges set ends = now()`)
    return enter(ann, ann.key.sign(options))
  },
  'a challenge that was cleaned up': async () => {
    const options = await ask(ann)
    await server.rows(`update auth_challenges set ends = now()`)
    await cleanUpSignIns(store)
    return enter(ann, ann.key.sign(options))
  },
  "a challenge of another person's second step": async () => {
    const options = await ask(ben, await start(ben))
    return enter(ann, ann.key.sign(options), await start(ann))
  },
  'a challenge of a second step, alone': async () =>
    enter(ann, ann.key.sign(await ask(ann, await start(ann)))),
  'a challenge of a sign-in alone, as the second step': async () =>
    enter(ann, ann.key.sign(await ask(ann)), await start(ann)),
  'a challenge for a new passkey': async () => {
    const { body } = await post(
      `${PASSKEYS}/options`,
      { password: PASSWORD, code: ann.recovery.pop() },
      ann.headers,
    )
    return enter(ann, ann.key.sign(body))
  },
  'a challenge for a change of factors': async () => {
    const { body } = await post(`${PASSKEYS}/challenge`, {}, ann.headers)
    return enter(ann, ann.key.sign(body))
  },
  "another person's passkey as the second step": async () => {
    const mfaId = await start(ann)
    return enter(ann, ben.key.sign(await ask(ann, mfaId)), mfaId)
  },
  "another person's started sign-in": async () =>
    enter(ann, ann.key.sign(await ask(ann, await start(ann))), await start(ben)),
  'a started sign-in that was used': async () => {
    const mfaId = await start(ann)
    const [first, later] = [await ask(ann, mfaId), await ask(ann, mfaId)]
    expect((await enter(ann, ann.key.sign(first), mfaId)).status).toBe(200)
    return enter(ann, ann.key.sign(later), mfaId)
  },
  'a started sign-in that has expired': async () => {
    const mfaId = await start(ann)
    const options = await ask(ann, mfaId)
    await server.rows(`update _mfas set created = '2020-01-01 00:00:00.000Z'`)
    return enter(ann, ann.key.sign(options), mfaId)
  },
  'a made-up started sign-in': async () => enter(ann, ann.key.sign(await ask(ann)), 'a'.repeat(15)),
  'the options of a made-up started sign-in': () =>
    post(pathOf(ann, 'passkey-options'), { mfaId: 'a'.repeat(15) }),
  'the options of another collection': async () =>
    post(pathOf(two, 'passkey-options'), { mfaId: await start(ann) }),
  'a passkey of another collection': async () => enter(two, ann.key.sign(await ask(two))),
  'the passkey of a superuser as a user': async () => enter(ann, two.key.sign(await ask(ann))),
  'the copy of a passkey, whose counter did not grow': async () => {
    expect((await alone(ben)).status).toBe(200)
    return alone(ben, { counter: ben.key.counter })
  },
  'the copy of a passkey, whose counter is lower': async () => {
    expect((await alone(ben)).status).toBe(200)
    return alone(ben, { counter: 1 })
  },
  'a passkey that was removed': async () => {
    const who = await signUp('removed@example.com')
    const options = await ask(who)
    const [{ id }] = (await request(url, 'GET', PASSKEYS, undefined, who.headers)).body.items
    const proof = { password: PASSWORD, code: who.recovery[0] }
    expect((await post(`${PASSKEYS}/${id}/remove`, proof, who.headers)).status).toBe(204)
    return enter(who, who.key.sign(options))
  },
  'a passkey that a superuser removed': async () => {
    const who = await signUp('removed-by-root@example.com')
    const path = `/api/users/${who.id}/second-factor`
    expect((await request(url, 'DELETE', path, undefined, root)).status).toBe(204)
    return alone(who)
  },
  'a passkey of a deleted person': async () => {
    const who = await signUp('deleted@example.com')
    const path = `/api/collections/users/records/${who.id}`
    expect((await request(url, 'DELETE', path, undefined, root)).status).toBe(204)
    expect(await server.rows('select 1 from auth_passkeys where record = $1', who.id)).toEqual([])
    return alone(who)
  },
  'a passkey of a disabled person': async () => {
    const who = await signUp('disabled@example.com')
    const settings = { user: who.id, disabled: true }
    await post('/api/collections/user_settings/records', settings, root)
    return alone(who)
  },
  'a passkey of another PUBLIC_URL': async () => {
    await server.rows(`update auth_passkeys set host = 'old.example.com' where record = $1`, ann.id)
    const answer = await alone(ann)
    await server.rows(`update auth_passkeys set host = 'sms.example.com' where record = $1`, ann.id)
    return answer
  },
  'a public key that a thief of the database may write': async () => {
    // needs a write: a reader of the database finds nothing that signs in
    const [[key]] = (await server.rows(
      'select public_key from auth_passkeys where record = $1',
      ann.id,
    )) as [[Buffer]]
    return alone(ann, { id: key.toString('base64url') })
  },
  'no signature': async () => {
    const signed = ann.key.sign(await ask(ann))
    return enter(ann, { ...signed, response: { ...signed.response, signature: '' } })
  },
  'half a signature': async () => {
    const signed = ann.key.sign(await ask(ann))
    const signature = signed.response.signature.slice(0, 40)
    return enter(ann, { ...signed, response: { ...signed.response, signature } })
  },
  'data of an authenticator that was cut': async () => {
    const signed = ann.key.sign(await ask(ann))
    const authenticatorData = signed.response.authenticatorData.slice(0, 30)
    return enter(ann, { ...signed, response: { ...signed.response, authenticatorData } })
  },
  'client data that is no JSON': async () => {
    const signed = ann.key.sign(await ask(ann))
    const response = { ...signed.response, clientDataJSON: 'AAAA' }
    return enter(ann, { ...signed, response })
  },
  'two ids that differ': async () => {
    const signed = ann.key.sign(await ask(ann))
    return enter(ann, { ...signed, rawId: ben.key.id })
  },
  'a list of credentials': async () => enter(ann, [ann.key.sign(await ask(ann))]),
  'a credential of 200 kB': async () => {
    const signed = ann.key.sign(await ask(ann))
    const signature = 'A'.repeat(200_000)
    return enter(ann, { ...signed, response: { ...signed.response, signature } })
  },
  'the password as the second method': async () =>
    startByPassword(ann, { mfaId: await start(ann) }),
  'a mailed code': async () => {
    const { otpId } = (await post(pathOf(ann, 'request-otp'), { email: ann.email })).body
    return post(pathOf(ann, 'auth-with-otp'), { otpId, password: '12345678' })
  },
  'a new password by a mailed link': async () => {
    const who = await signUp('reset@example.com')
    await post(pathOf(who, 'request-password-reset'), { email: who.email })
    let token = ''
    while (token === '') token = tokenIn((await server.mail.next()).text)
    const form = { token, password: PASSWORD, passwordConfirm: PASSWORD }
    expect((await post(pathOf(who, 'confirm-password-reset'), form)).status).toBe(204)
    return startByPassword(who)
  },
  'the registration of a phone by the password': () =>
    post('/api/mobile/v1/device', { name: 'phone' }, basic(ann.email, PASSWORD)),
}

test.each([...FORGERIES, ...Object.entries(ATTACKS)])(
  'nobody signs in by %s',
  async (_, attack) => {
    const { status, body } = await attack()
    expect([400, 401, 403, 413]).toContain(status)
    expect(body).not.toHaveProperty('token')
  },
)

test('a signature that ten requests at two servers send at once signs in once', async () => {
  const before = await countSessions()
  const signed = ann.key.sign(await ask(ann))
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => enter(ann, signed, '', i % 2 ? url : other.url)),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(await countSessions()).toBe(before + 1)
})

test('a person gets 20 challenges in five minutes, a network 60, at both servers together', async () => {
  const mfaId = await start(ann)
  const path = pathOf(ann, 'passkey-options')
  const statuses: number[] = []
  for (let i = 0; i < 21; i++)
    statuses.push((await post(path, { mfaId }, {}, i % 2 ? url : other.url)).status)
  expect(statuses.filter((status) => status === 429)).toHaveLength(1)
  const here = { 'x-forwarded-for': '203.0.113.9' }
  const asked = Array.from({ length: 61 }, (_, i) => post(path, {}, here, i % 2 ? url : other.url))
  const answers = await Promise.all(asked)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(1)
})

/** Ways to change the second factor of somebody with a stolen session, whose password may be known. */
const CHANGES: Readonly<Record<string, () => Promise<{ status: number }>>> = {
  'a new passkey by the session alone': () =>
    addPasskey(ann.headers, NOBODY, { password: 'wrong' }),
  'a new passkey by the password alone': () => addPasskey(ann.headers, NOBODY),
  'a new passkey by a wrong code': () =>
    addPasskey(ann.headers, NOBODY, { code: 'abcd-efgh-ijkl' }),
  "a new passkey by another person's recovery code": () =>
    addPasskey(ann.headers, NOBODY, { code: ben.recovery[0] }),
  "a new passkey by another person's passkey": async () => {
    const { body } = await post(`${PASSKEYS}/challenge`, {}, ann.headers)
    return addPasskey(ann.headers, NOBODY, { passkey: ben.key.sign(body) })
  },
  'a new passkey by a signature of a sign-in': async () =>
    addPasskey(ann.headers, NOBODY, { passkey: ann.key.sign(await ask(ann)) }),
  'a new passkey by a signature that was used': async () => {
    const { body } = await post(`${PASSKEYS}/challenge`, {}, ann.headers)
    const passkey = ann.key.sign(body)
    const proof = { password: PASSWORD, passkey }
    expect((await post(`${PASSKEYS}/options`, proof, ann.headers)).status).toBe(200)
    return addPasskey(ann.headers, NOBODY, { passkey })
  },
  'a new passkey without options': async () =>
    post(PASSKEYS, { name: 'x', credential: NOBODY.create({ challenge: 'AAAA' }) }, ann.headers),
  "a new passkey by another person's options": async () => {
    const { body } = await post(
      `${PASSKEYS}/options`,
      { password: PASSWORD, code: ben.recovery.pop() },
      ben.headers,
    )
    return post(PASSKEYS, { name: 'x', credential: NOBODY.create(body) }, ann.headers)
  },
  'an authenticator app by the password alone': () =>
    post('/api/account/second-factor', { password: PASSWORD }, ann.headers),
  'the removal of the passkey by the password alone': async () => {
    const [{ id }] = (await request(url, 'GET', PASSKEYS, undefined, ann.headers)).body.items
    return post(`${PASSKEYS}/${id}/remove`, { password: PASSWORD }, ann.headers)
  },
  "the removal of another person's passkey": async () => {
    const [{ id }] = (await request(url, 'GET', PASSKEYS, undefined, ann.headers)).body.items
    const proof = { password: PASSWORD, code: ben.recovery.pop() }
    return post(`${PASSKEYS}/${id}/remove`, proof, ben.headers)
  },
  "another person's passkey renamed": async () => {
    const [{ id }] = (await request(url, 'GET', PASSKEYS, undefined, ann.headers)).body.items
    return request(url, 'PATCH', `${PASSKEYS}/${id}`, { name: 'x' }, ben.headers)
  },
  'a superuser who impersonates': async () => {
    const path = `/api/collections/users/impersonate/${ann.id}`
    const { token } = (await post(path, {}, root)).body
    return addPasskey({ authorization: token }, NOBODY)
  },
  'a guest': () => addPasskey({}, NOBODY),
}

test.each(Object.entries(CHANGES))('nobody changes a second factor by %s', async (_, change) => {
  expect([400, 401, 404]).toContain((await change()).status)
  const { body } = await request(url, 'GET', PASSKEYS, undefined, ann.headers)
  expect(body.items).toHaveLength(1)
})

const BAD_KEYS: Readonly<Record<string, Forged>> = {
  'of another origin': { origin: EVIL },
  'for another host': { host: 'sms.example.org' },
  'of another challenge': { challenge: 'AAAA' },
  'without a user who was verified': { flags: 65 },
  'without a user who was present': { flags: 68 },
  'of the wrong type': { type: 'webauthn.get' },
  'of no key': { flags: 5 },
  'in a frame of another site': { crossOrigin: true },
  'of a self-made attestation without a signature': { format: 'packed' },
  'of an unknown attestation': { format: 'pigeon' },
  ...Object.fromEntries(
    ['none', 'packed', 'fido-u2f', 'apple', 'tpm', 'android-key', 'android-safetynet'].flatMap(
      (format) => [
        [`of an attestation ${format} with certificates`, { format, hasCertificates: true }],
      ],
    ),
  ),
}

test.each(Object.entries(BAD_KEYS))('no passkey %s is stored', async (name, forged) => {
  const email = `${name.replaceAll(' ', '-')}@example.com`
  await server.addUser(email, { verified: true })
  const headers = { authorization: await server.signIn('users', email, PASSWORD) }
  expect((await addPasskey(headers, new TestPasskey(SITE), {}, forged)).status).toBe(400)
  expect((await request(url, 'GET', PASSKEYS, undefined, headers)).body.items).toEqual([])
})

describe('a passkey', () => {
  test('a passkey beside an app: each signs in, and each allows to remove the other', async () => {
    const email = 'both@example.com'
    const id = await server.addUser(email, { verified: true })
    const headers = { authorization: await server.signIn('users', email, PASSWORD) }
    const app = await setUpApp(url, headers, PASSWORD)
    const key = new TestPasskey(SITE)
    const added = await addPasskey(headers, key, { code: app.recovery[0] })
    expect([added.status, added.body]).toEqual([200, { recovery_codes: [] }])
    const who = { id, email, collection: 'users', headers, key, recovery: app.recovery }
    expect((await startByPassword(who)).body).toMatchObject({ method: 'totp', passkey: true })
    expect([(await alone(who)).status, (await second(who)).status]).toEqual([200, 200])
    const { body } = await post(`${PASSKEYS}/challenge`, {}, headers)
    const proof = { password: PASSWORD, passkey: key.sign(body) }
    expect((await post('/api/account/second-factor/remove', proof, headers)).status).toBe(204)
    expect((await startByPassword(who)).body.method).toBe('passkey')
    await server.rows('update auth_factors set last_step = 0')
    const again = await post(`${PASSKEYS}/challenge`, {}, headers)
    const other = { password: PASSWORD, passkey: key.sign(again.body) }
    const { secret } = (await post('/api/account/second-factor', other, headers)).body
    const code = () => computeTotp(secret, readTotpStep())
    await post('/api/account/second-factor/confirm', { code: code() }, headers)
    await server.rows('update auth_factors set last_step = 0')
    const [item] = (await request(url, 'GET', PASSKEYS, undefined, headers)).body.items
    const last = { password: PASSWORD, code: code() }
    expect((await post(`${PASSKEYS}/${item.id}/remove`, last, headers)).status).toBe(204)
    expect((await startByPassword(who)).body.method).toBe('totp')
  })

  test('a passkey that is the last second factor leaves nothing behind when it is removed', async () => {
    const who = await signUp('last@example.com')
    const [{ id }] = (await request(url, 'GET', PASSKEYS, undefined, who.headers)).body.items
    await request(url, 'PATCH', `${PASSKEYS}/${id}`, { name: 'My phone' }, who.headers)
    const { items } = (await request(url, 'GET', PASSKEYS, undefined, who.headers)).body
    expect(items).toMatchObject([{ name: 'My phone' }])
    const { body } = await post(`${PASSKEYS}/challenge`, {}, who.headers)
    const proof = { password: PASSWORD, passkey: who.key.sign(body) }
    expect((await post(`${PASSKEYS}/${id}/remove`, proof, who.headers)).status).toBe(204)
    expect((await startByPassword(who)).status).toBe(200)
    expect(await server.rows('select 1 from auth_factors where record = $1', who.id)).toEqual([])
    const entries = 'select action from _audit where record = $1 order by created'
    expect(await server.rows(entries, who.id)).toEqual([['add passkey'], ['remove passkey']])
  })

  test('a passkey of a superuser is removed at the terminal', async () => {
    const who = await signUp('lost@example.com', '_superusers')
    expect((await startByPassword(who)).status).toBe(401)
    await removeSuperuserFactor(store, who.email)
    expect([(await startByPassword(who)).status, (await alone(who)).status]).toEqual([200, 400])
  })

  test('a passkey is neither made nor used where PUBLIC_URL has no https or no name', async () => {
    for (const publicUrl of [
      'http://sms.example.com',
      'https://192.0.2.1',
      'https://[2001:db8::1]',
    ]) {
      const without = await runServer({ ...config, publicUrl }, log)
      const body = { password: PASSWORD }
      const asked = await post(`${PASSKEYS}/options`, body, root, without.url)
      const signIn = await post(pathOf(ann, 'passkey-options'), {}, {}, without.url)
      expect([asked.status, signIn.status, signIn.body.message]).toEqual([
        ...[400, 400, 'Passkeys need a PUBLIC_URL with https and the name of a host.'],
      ])
      await without.stop()
    }
  })
})
