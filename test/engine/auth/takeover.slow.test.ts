import type { AuthCollection } from '../../../src/engine/collections/collection.ts'
import { PASSWORD, startServerWithMail, tokenIn } from '../../support/server/server-with-mail.ts'
import { oauth2By, startOidcServer } from '../../support/services/oidc-server.ts'

// Somebody makes a record with another's address, and things that open it. Then the owner of the address
// comes along.

const NEW_PASSWORD = 'brandnew1'

const server = await startServerWithMail({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const redirectURL = `${server.server.url}/api/oauth2-redirect`
const oidc = await startOidcServer(redirectURL)
await server.change('users', { oauth2: oauth2By(oidc) })
await server.allowOtp()

let count = 0
let address: string
let id: string
beforeEach(() => {
  address = `taken${++count}@example.com`
  oidc.account = `account-${count}`
  oidc.accounts.set(oidc.account, { email: address, email_verified: true })
})

const users = (route: string, form: unknown, headers = {}) =>
  server.post(`/api/collections/users/${route}`, form, headers)
const add = (collection: string, values: object, authorization: string) =>
  server.post(`/api/collections/${collection}/records`, { user: id, ...values }, { authorization })

/** All that a stranger could leave to come back by. */
interface Traps {
  readonly session: string
  readonly key: string
  readonly device: string
  readonly code: string
  readonly waiting: string
  readonly held: string
}

async function moveIn(isVerified = false): Promise<Traps> {
  id = await server.addUser(address, { verified: isVerified, name: 'Somebody' })
  const session = await server.signIn('users', address, PASSWORD)
  const authorization = session
  const newCode = async () =>
    String(
      (await server.post('/api/devices/pairing', { name: 'Phone' }, { authorization })).body.code,
    )
  const key = String((await add('api_keys', { name: 'theirs' }, session)).body.key)
  await add('webhooks', { url: 'http://127.0.0.1:9/', events: ['message.received'] }, session)
  await add('contacts', { name: 'Bob', phone: '+4915112345678' }, session)
  const pair = { code: await newCode(), platform: 'simulator' }
  const device = String((await server.post('/api/devices/pair', pair)).body.token)
  const message = { recipients: ['+4915112345678'], body: 'Hi', guarantee: 'at_least_once' }
  const send = async (more: object) => {
    const { body } = await server.post('/api/sms/send', { ...message, ...more }, { authorization })
    return (body.message_ids as string[])[0]!
  }
  const held = await send({})
  await server.post('/api/devices/claim', { limit: 1 }, { authorization: device })
  const waiting = await send({ scheduled_at: new Date(Date.now() + 86_400_000).toISOString() })
  await send({})
  return { session, key, device, code: await newCode(), waiting, held }
}

const countOf = async (collection: string) =>
  Number((await server.rows(`select count(*) from ${collection} where "user" = $1`, id))[0]![0])

/** What of it still opens something. */
async function openBy({ session, key, device, code }: Traps) {
  const statusOf = async (answer: Promise<{ status: number }>) => (await answer).status
  return {
    key: await statusOf(server.call('GET', '/api/sms/usage', undefined, { 'x-api-key': key })),
    device: await statusOf(server.post('/api/devices/heartbeat', {}, { authorization: device })),
    session: await statusOf(users('auth-refresh', {}, { authorization: session })),
    code: await statusOf(server.post('/api/devices/pair', { code, platform: 'simulator' })),
    webhooks: await countOf('webhooks'),
  }
}
const SHUT = { key: 401, device: 401, session: 401, code: 400, webhooks: 0 }
const OPEN = { key: 200, device: 200, session: 200, code: 200, webhooks: 1 }

async function byOAuth2(headers = {}) {
  const { oauth2 } = (await server.call('GET', '/api/collections/users/auth-methods')).body
  const { authURL, codeVerifier } = oauth2.providers[0]
  const back = await oidc.browseBack(authURL + encodeURIComponent(redirectURL))
  const code = new URL(back).searchParams.get('code')!
  return (
    await users('auth-with-oauth2', { provider: 'oidc', code, codeVerifier, redirectURL }, headers)
  ).status
}

/** The text of the next mail with these words. Mails about new links and addresses come between. */
async function nextText(words: RegExp): Promise<string> {
  for (;;) {
    const { text } = await server.mail.next()
    if (words.test(text)) return text
  }
}

async function byOtp() {
  const { otpId } = (await users('request-otp', { email: address })).body
  const password = /password is: (\d+)/.exec(await nextText(/password is/))?.[1]
  return (await users('auth-with-otp', { otpId, password })).status
}

async function byReset() {
  await users('request-password-reset', { email: address })
  const token = tokenIn(await nextText(/confirm-password-reset/))
  const form = { token, password: NEW_PASSWORD, passwordConfirm: NEW_PASSWORD }
  return (await users('confirm-password-reset', form)).status
}

async function byVerification() {
  await users('request-verification', { email: address })
  return (
    await users('confirm-verification', { token: tokenIn(await nextText(/confirm-verification/)) })
  ).status
}

describe.each([
  ['a provider vouches for the owner', byOAuth2, 200],
  ['the owner signs in with a mailed code', byOtp, 200],
  ['the owner sets a password by a mailed link', byReset, 204],
] as const)('%s', (_, arrive, status) => {
  test('no credential made before gives access to the record', async () => {
    const traps = await moveIn()
    expect(await arrive()).toBe(status)
    expect(await openBy(traps)).toEqual(SHUT)
    expect((await server.rows('select verified, name from users where id = $1', id))[0]).toEqual([
      true,
      'Somebody',
    ])
    expect([
      await countOf('devices'),
      await countOf('api_keys'),
      await countOf('contacts'),
    ]).toEqual([0, 0, 1])
  })

  test('waiting messages are canceled and their quota is refunded', async () => {
    const { waiting, held } = await moveIn()
    await arrive()
    const messages = await server.rows(
      'select id, status, error_message from sms_messages where "user" = $1 and id <> $2 order by created',
      id,
      held,
    )
    expect(messages.map(([, ...ended]) => ended)).toEqual([
      ['failed', 'Canceled'],
      ['failed', 'Canceled'],
    ])
    expect(messages[0]![0]).toBe(waiting)
    const queue = await server.rows(
      'select message, at_least_once from sms_dispatch where "user" = $1',
      id,
    )
    expect(queue).toEqual([[held, false]])
    expect(await server.rows('select used from sms_usage where "user" = $1', id)).toEqual([[1]])
  })

  test('a verified record keeps its credentials', async () => {
    const traps = await moveIn(true)
    expect(await arrive()).toBe(status)
    const session = arrive === byReset ? 401 : 200
    const code = arrive === byReset ? 400 : 200
    expect(await openBy(traps)).toEqual({ ...OPEN, session, code })
  })
})

test('a message that was already failed by hand is not refunded', async () => {
  const { waiting } = await moveIn()
  await server.rows(`update sms_messages set status = 'failed' where id = $1 returning id`, waiting)
  await byReset()
  expect(await server.rows('select used from sms_usage where "user" = $1', id)).toEqual([[2]])
})

test('verifying the address while keeping the password keeps the credentials', async () => {
  const traps = await moveIn()
  expect(await byVerification()).toBe(204)
  expect(await openBy(traps)).toEqual(OPEN)
})

test('without passwords a verification link hands the record over', async () => {
  const traps = await moveIn()
  const { passwordAuth } = server.server.services.store.catalog.find('users') as AuthCollection
  await server.change('users', { passwordAuth: { ...passwordAuth, enabled: false } })
  expect(await byVerification()).toBe(204)
  await server.change('users', { passwordAuth })
  expect(await openBy(traps)).toEqual(SHUT)
})

test('a signed-in user who adds a provider keeps their credentials', async () => {
  const traps = await moveIn()
  expect(await byOAuth2({ authorization: traps.session })).toBe(200)
  expect(await openBy(traps)).toEqual(OPEN)
})

test("other users' credentials stay valid", async () => {
  const traps = await moveIn()
  address = `other-${address}`
  await moveIn()
  expect(await byOtp()).toBe(200)
  expect(await openBy(traps)).toMatchObject({ key: 200, device: 200, session: 200, code: 200 })
})
