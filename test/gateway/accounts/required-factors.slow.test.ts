import { setTimeout as sleep } from 'node:timers/promises'
import { computeTotp, readTotpStep } from '../../../src/engine/auth/totp.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { TestListener } from '../../engine/realtime/test-listener.ts'
import { runServer } from '../../support/database/open.ts'
import { basic, request } from '../../support/server/request.ts'
import { PASSWORD, startServerWithMail, tokenIn } from '../../support/server/server-with-mail.ts'
import { setUpApp } from '../../support/server/set-up-app.ts'

// A team whose owner requires second factors from a date on: Ben and Dan have none, Cat has one.

const server = await startServerWithMail({ SIGN_IN_TRIES: '1000' })
await server.allowOtp()
const { url } = server.server
const other = await runServer(server.server.services.config, createLogger({ logLevel: 'silent' }))
const root = await server.superuser()

type Headers = Readonly<Record<string, string>>
const call = (by: Headers, method: string, path: string, body?: unknown, at = url) =>
  request(at, method, path, body, by)
const records = (name: string, id = '') => `/api/collections/${name}/records${id && `/${id}`}`
const signIn = async (email: string, password = PASSWORD): Promise<Headers> => ({
  authorization: await server.signIn('users', email, password),
})

async function addPerson(name: string, more: object = {}) {
  const email = `${name}@example.com`
  const id = await server.addUser(email, { verified: true, ...more })
  return { id, email }
}
const owner = await addPerson('owner')
const ben = await addPerson('ben')
const cat = await addPerson('cat')
const dan = await addPerson('dan')
const people = [ben, cat, dan]
const memberships = new Map<string, string>()
for (const { id } of people) {
  const values = { account: owner.id, member: id, role: 'admin' }
  memberships.set(id, (await call(root, 'POST', records('members'), values)).body.id)
}
await server.rows(`update users set member_only = true where id in ($1, $2)`, ben.id, cat.id)

const ownerHeaders = await signIn(owner.email)
const benHeaders = await signIn(ben.email)
const catHeaders = await signIn(cat.email)
const actFor = (by: Headers, at = url) =>
  call(by, 'POST', '/api/account/act-for', { account: owner.id }, at)
const act = async (by: Headers): Promise<Headers> => ({
  authorization: (await actFor(by)).body.token,
})
const benActing = await act(benHeaders)
const catActing = await act(catHeaders)
await setUpApp(url, catHeaders, PASSWORD)

const isAlive = async (by: Headers) => {
  const asked = [url, other.url].map((at) => call(by, 'GET', '/api/account/inbox', undefined, at))
  const [first, second] = (await Promise.all(asked)).map(({ status }) => status === 200)
  if (first !== second) throw new Error('The servers differ.')
  return first
}

/** Sets the date from which second factors are required. */
async function require(from: string, by: Headers = ownerHeaders) {
  const { body } = await call(root, 'GET', records('user_settings'))
  const own = body.items.find(({ user }: { user: string }) => user === owner.id)
  return own
    ? call(by, 'PATCH', records('user_settings', own.id), { second_factor_from: from })
    : call(by, 'POST', records('user_settings'), { user: owner.id, second_factor_from: from })
}
const inSeconds = (seconds: number) =>
  new Date(Date.now() + seconds * 1000).toISOString().replace('T', ' ')
const until = async (condition: () => Promise<unknown>) => {
  while (!(await condition())) await sleep(50)
}
const SENTENCE = /requires a second factor, and you have none/

let key = ''
test('only the owner sets the date, and only with a second factor of their own', async () => {
  const refused = await require(inSeconds(3600))
  expect([refused.status, refused.body.message]).toEqual([
    400,
    'Set up a second factor of your own first, on the page Account.',
  ])
  await setUpApp(url, ownerHeaders, PASSWORD)
  expect((await require(inSeconds(3600))).status).toBe(200)
  const byMember = await require('', benActing)
  expect([byMember.status, byMember.body.message]).toEqual([
    403,
    'Only the owner of the account may change the second factor.',
  ])
})

test('before the date members are told of it, and work as before', async () => {
  expect(await isAlive(benActing)).toBe(true)
  const made = await call(benActing, 'POST', records('api_keys'), { user: owner.id, name: 'Shop' })
  key = made.body.key
  const { body } = await call(benHeaders, 'GET', '/api/account/second-factor')
  expect(body).toMatchObject({
    enabled: false,
    required_by: [{ name: 'owner', from: expect.stringMatching(/^\d{4}-/) }],
  })
})

test('at the date sessions and streams of members without a second factor end at both servers; others continue', async () => {
  const streams = await Promise.all(
    [url, other.url].map((at) => TestListener.on(at, benActing.authorization!, 'contacts/*')),
  )
  expect((await require(inSeconds(2))).status).toBe(200)
  expect([await isAlive(benActing), await isAlive(catActing)]).toEqual([true, true])
  await Promise.all(streams.map(({ ended }) => ended))
  expect([await isAlive(benActing), await isAlive(catActing)]).toEqual([false, true])
  expect((await call(benActing, 'GET', '/api/account/inbox')).status).toBe(401)
  const answer = await actFor(benHeaders)
  expect([answer.status, answer.body.message]).toEqual([403, expect.stringMatching(SENTENCE)])
})

test('an API key that a member made stays valid, and the owner sees its member', async () => {
  expect((await call({ 'x-api-key': key }, 'GET', '/api/sms/usage')).status).toBe(200)
  const { body } = await call(ownerHeaders, 'GET', '/api/account/team-factors')
  expect(body.people.map((one: object) => ({ ...one, sender: '' }))).toMatchObject([
    { role: 'owner', protected: true, api_keys: [] },
    { name: 'ben', role: 'admin', protected: false, api_keys: [{ name: 'Shop' }] },
    { name: 'cat', role: 'admin', protected: true, api_keys: [] },
    { name: 'dan', role: 'admin', protected: false, api_keys: [] },
  ])
  expect((await call(catActing, 'GET', '/api/account/team-factors')).status).toBe(403)
})

/** Ways of Ben into the account. Each answers a status. */
const WAYS: Readonly<Record<string, () => Promise<{ status: number }>>> = {
  'an acting token from before': () => call(benActing, 'GET', '/api/account/today'),
  'the same at another server': () =>
    call(
      benActing,
      'POST',
      '/api/sms/send',
      { recipients: ['+4915112345678'], body: 'x' },
      other.url,
    ),
  'a refresh of it': () => call(benActing, 'POST', '/api/collections/users/auth-refresh'),
  'a new API key by it': () =>
    call(benActing, 'POST', records('api_keys'), { user: owner.id, name: 'x' }),
  'an invitation by it': () =>
    call(benActing, 'POST', '/api/account/invitations', { role: 'admin' }),
  'a pairing code by it': () => call(benActing, 'POST', '/api/devices/pairing', { name: 'x' }),
  'a file token by it': () => call(benActing, 'POST', '/api/files/token'),
  'his own token as the account': () => call(benHeaders, 'GET', '/api/account/inbox'),
  'a new sign-in': async () => actFor(await signIn(ben.email)),
  'a new sign-in at another server': async () => actFor(await signIn(ben.email), other.url),
  'a mailed code': async () => {
    const { otpId } = (
      await server.post('/api/collections/users/request-otp', { email: ben.email })
    ).body
    const password = /\d{6,8}/.exec((await server.mail.next()).text)![0]
    const { body } = await server.post('/api/collections/users/auth-with-otp', { otpId, password })
    return actFor({ authorization: body.token })
  },
  'a new password': async () => {
    await server.post('/api/collections/users/request-password-reset', { email: ben.email })
    const token = tokenIn((await server.mail.next()).text)
    const form = { token, password: PASSWORD, passwordConfirm: PASSWORD }
    await server.post('/api/collections/users/confirm-password-reset', form)
    return actFor(await signIn(ben.email))
  },
  'a superuser who impersonates him': async () => {
    const path = `/api/collections/users/impersonate/${ben.id}`
    return actFor({ authorization: (await call(root, 'POST', path, {})).body.token })
  },
  'another role': async () => {
    const path = records('members', memberships.get(ben.id))
    await call(ownerHeaders, 'PATCH', path, { role: 'agent' })
    return actFor(await signIn(ben.email))
  },
  'an app that is set up, and not confirmed': async () => {
    const by = await signIn(ben.email)
    await call(by, 'POST', '/api/account/second-factor', { password: PASSWORD })
    return actFor(by)
  },
  'a new invitation': async () => {
    const { link } = (
      await call(ownerHeaders, 'POST', '/api/account/invitations', { role: 'admin' })
    ).body
    const form = {
      ...{ secret: link.split('/').at(-1), name: 'Eve', email: 'eve@example.com' },
      ...{ password: PASSWORD, passwordConfirm: PASSWORD },
    }
    expect((await server.post('/api/account/invitations/accept', form)).status).toBe(200)
    return actFor(await signIn('eve@example.com'))
  },
  'a member with an account of their own': async () => actFor(await signIn(dan.email)),
}

test.each(Object.entries(WAYS))(
  'nobody without a second factor opens the account by %s',
  async (_, way) => {
    expect([400, 401, 403]).toContain((await way()).status)
  },
)

test('an owner whose second factor was removed can only set one up', async () => {
  expect((await call(root, 'DELETE', `/api/users/${owner.id}/second-factor`)).status).toBe(204)
  const again = await signIn(owner.email)
  const asked = [
    call(again, 'GET', '/api/account/inbox'),
    call(ownerHeaders, 'GET', '/api/account/inbox', undefined, other.url),
    call(again, 'GET', records('sms_messages')),
    call(again, 'GET', records('users', owner.id)),
    call(again, 'DELETE', records('users', owner.id)),
    call(again, 'POST', records('api_keys'), { user: owner.id, name: 'x' }),
    call(again, 'POST', '/api/sms/send', { recipients: ['+4915112345678'], body: 'x' }),
    call(again, 'POST', '/api/devices/pairing', { name: 'x' }),
    call(again, 'POST', '/api/account/invitations', { role: 'admin' }),
    call(again, 'GET', '/api/account/team-factors'),
    require('', again),
  ]
  for (const { status, body } of await Promise.all(asked))
    expect([status, body.message]).toEqual([403, expect.stringMatching(SENTENCE)])
  const impersonated = `/api/collections/users/impersonate/${owner.id}`
  const { token } = (await call(root, 'POST', impersonated, {})).body
  expect((await call({ authorization: token }, 'GET', '/api/account/inbox')).status).toBe(403)
  const phone = basic(owner.email, PASSWORD)
  expect((await call(phone, 'POST', '/api/mobile/v1/device', { name: 'x' })).status).toBe(403)
  expect((await call({ 'x-api-key': key }, 'GET', '/api/sms/usage')).status).toBe(200)
  expect((await call(again, 'GET', '/api/account/me')).body.role).toBe('unprotected')
  await setUpApp(url, again, PASSWORD)
  expect(await isAlive(again)).toBe(true)
})

test('a member opens the account once a second factor is set up, and no longer once it is removed', async () => {
  const by = await signIn(dan.email)
  const { secret } = await setUpApp(url, by, PASSWORD)
  const acting = await act(by)
  expect(await isAlive(acting)).toBe(true)
  await server.rows('update auth_factors set last_step = 0')
  const code = computeTotp(secret, readTotpStep())
  const body = { password: PASSWORD, code }
  expect((await call(by, 'POST', '/api/account/second-factor/remove', body)).status).toBe(204)
  expect([await isAlive(acting), (await actFor(by)).status]).toEqual([false, 403])
})

test('without a date everybody opens the account again', async () => {
  expect((await require('')).status).toBe(200)
  await until(async () => (await actFor(await signIn(ben.email))).status === 200)
})
