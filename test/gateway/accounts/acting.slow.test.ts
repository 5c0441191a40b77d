import { SignJWT } from 'jose'
import { createLogger } from '../../../src/platform/log.ts'
import { TestListener } from '../../engine/realtime/test-listener.ts'
import { runServer } from '../../support/database/open.ts'
import { basic } from '../../support/server/request.ts'
import {
  type Client,
  client,
  must,
  makeUser as newUser,
  PASSWORD,
  signIn,
} from '../../support/server/server-with-devices.ts'
import { SUPERUSER, startServer } from '../../support/server/start.ts'

// Tokens with which a member acts for an account, at two servers on one Postgres.

const one = await startServer()
const two = await runServer(one.services.config, createLogger({ logLevel: 'silent' }))
const root = await signIn(one.url, '_superusers', SUPERUSER.email, SUPERUSER.password)
const makeUser = () => newUser(one.url, root, { verified: true })

const records = (collection: string, id = '') =>
  `/api/collections/${collection}/records${id && `/${id}`}`
const made = (who: Client, collection: string, values: object) =>
  must(who, 'POST', records(collection), values)

interface Team {
  readonly shop: Client & { email: string }
  readonly ben: Client & { email: string }
  readonly membership: string
  /** Ben, who acts for the shop. */
  readonly acting: Client
}

async function makeTeam(role = 'agent'): Promise<Team> {
  const [shop, ben] = [await makeUser(), await makeUser()]
  const { id } = await made(root, 'members', { account: shop.id, member: ben.id, role })
  const { body } = await ben.call('POST', '/api/account/act-for', { account: shop.id })
  return { shop, ben, membership: id, acting: client(one.url, shop.id, body.token) }
}

/** Whether a token is still one of the account, by what each node says. */
const isAlive = async ({ token }: Client) => {
  const nodes = [one, two].map(
    async ({ url }) => (await client(url, '', token).call('GET', '/api/account/me')).status,
  )
  const [first, second] = await Promise.all(nodes)
  if (first !== second) throw new Error(`${first} at one node, ${second} at the other`)
  return first === 200
}

const newPassword = (who: Client) =>
  who.call('PATCH', records('users', who.id), {
    oldPassword: PASSWORD,
    password: 'another-password',
    passwordConfirm: 'another-password',
  })
const disable = (user: string) => made(root, 'user_settings', { user, disabled: true })
const sessionOf = async (who: Client) =>
  (await who.call('GET', '/api/account/sessions')).body.items.find(
    ({ current }: { current: boolean }) => current,
  ).id

/** What ends the tokens of a member. */
const ENDS: Readonly<Record<string, (team: Team) => Promise<unknown>>> = {
  "the member's session is ended": async ({ ben }) =>
    ben.call('DELETE', `/api/account/sessions/${await sessionOf(ben)}`),
  'the member signs out everywhere else': ({ ben }) =>
    ben.call('POST', '/api/account/end-other-sessions'),
  'the member changes the password': ({ ben }) => newPassword(ben),
  'the account changes its password': ({ shop }) => newPassword(shop),
  'the account signs out everywhere else': ({ shop }) =>
    shop.call('POST', '/api/account/end-other-sessions'),
  'the member is removed by the account': ({ shop, membership }) =>
    shop.call('DELETE', records('members', membership)),
  'the member leaves': ({ ben, membership }) => ben.call('DELETE', records('members', membership)),
  'the role changes': ({ shop, membership }) =>
    shop.call('PATCH', records('members', membership), { role: 'admin' }),
  'the role changes and changes back': async ({ shop, membership }) => {
    for (const role of ['viewer', 'agent'])
      await shop.call('PATCH', records('members', membership), { role })
  },
  'a superuser disables the member': ({ ben }) => disable(ben.id),
  'a superuser disables the account': ({ shop }) => disable(shop.id),
  'the member is deleted': ({ ben }) => ben.call('DELETE', records('users', ben.id)),
  'the account is deleted': ({ shop }) => shop.call('DELETE', records('users', shop.id)),
}

describe("a member's tokens and event streams end on both nodes when", () => {
  test.each(Object.entries(ENDS))('%s', async (_, end) => {
    const team = await makeTeam()
    const { acting, shop } = team
    expect(await isAlive(acting)).toBe(true)
    const streams = await Promise.all(
      [one, two].map(({ url }) =>
        TestListener.on(url, acting.token, 'contacts/*', `senders/${shop.id}`),
      ),
    )
    const { status = 200 } = ((await end(team)) ?? {}) as { status?: number }
    expect(status).toBeLessThan(300)
    expect(await isAlive(acting)).toBe(false)
    await Promise.all(streams.map(({ ended }) => ended))
  })

  test('a changed role of one member leaves the other members signed in', async () => {
    const { shop, acting } = await makeTeam()
    const cleo = await makeUser()
    const { id } = await made(root, 'members', { account: shop.id, member: cleo.id, role: 'agent' })
    await shop.call('PATCH', records('members', id), { role: 'viewer' })
    expect([await isAlive(acting), await isAlive(shop)]).toEqual([true, true])
  })
})

test("a member's token always gives the same acting token, and a refresh does not replace it", async () => {
  const { shop, ben, acting } = await makeTeam()
  const again = await ben.call('POST', '/api/account/act-for', { account: shop.id })
  const refreshed = await acting.call('POST', '/api/collections/users/auth-refresh')
  expect([again.body.token, refreshed.body.token]).toEqual([acting.token, acting.token])
  expect(refreshed.body.record).toMatchObject({ id: shop.id, collectionName: 'users' })
})

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())
const forged = (token: string, changes: object) => {
  const [head, , signature] = token.split('.')
  return [
    head,
    Buffer.from(JSON.stringify({ ...claimsOf(token), ...changes })).toString('base64url'),
    signature,
  ].join('.')
}

test("acting tokens with forged claims count as a guest's", async () => {
  const { acting, ben, membership } = await makeTeam('viewer')
  const other = await makeTeam('admin')
  const exp = claimsOf(ben.token).exp
  expect(claimsOf(acting.token)).toMatchObject({
    actor: membership,
    role: 'viewer',
    refreshable: false,
    exp,
  })
  const tokens = [
    forged(acting.token, { role: 'admin' }),
    forged(acting.token, { actor: other.membership }),
    forged(acting.token, { actor: undefined, role: undefined }),
    forged(acting.token, { id: other.shop.id }),
    forged(acting.token, { id: ben.id }),
    forged(acting.token, { type: 'file' }),
    ...[null, '', 7, ['x'], { id: membership }, '\0', "' or 1=1"].map((actor) =>
      forged(acting.token, { actor }),
    ),
    forged(other.shop.token, { actor: other.membership }),
    forged(ben.token, { actor: membership, id: acting.id }),
    await new SignJWT({ ...claimsOf(acting.token), role: 'admin' })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(Buffer.from('guess')),
  ]
  for (const token of tokens) expect(await isAlive(client(one.url, '', token))).toBe(false)
  // the role is read from the membership, whatever a token says
  expect((await acting.call('GET', '/api/account/me')).body.role).toBe('viewer')
})

test('an acting token cannot create other tokens or change the sign-in', async () => {
  const { shop, ben, acting } = await makeTeam('admin')
  const body = { oldPassword: PASSWORD, password: 'taken-over-1', passwordConfirm: 'taken-over-1' }
  const requests: readonly (readonly [string, string, object?])[] = [
    ['POST', '/api/account/act-for', { account: shop.id }],
    ['POST', '/api/account/end-other-sessions'],
    ['GET', '/api/account/sessions'],
    ['GET', '/api/account/accounts'],
    ['POST', `/api/collections/users/impersonate/${shop.id}`],
    ['POST', '/api/collections/users/request-email-change', { newEmail: 'evil@example.com' }],
    ['PATCH', records('users', shop.id), body],
    ['PATCH', records('users', shop.id), { name: 'Evil' }],
    ['DELETE', records('users', shop.id)],
    ['GET', '/api/account/smsgate-key'],
  ]
  for (const [method, path, sent] of requests)
    expect([path, (await acting.call(method, path, sent)).status]).toEqual([path, 403])
  for (const collection of ['_otps', '_mfas', '_authOrigins', '_externalAuths'])
    expect((await acting.call('GET', records(collection))).status).toBe(403)
  const batch = { requests: [{ method: 'PATCH', url: records('users', shop.id), body }] }
  expect((await acting.call('POST', '/api/batch', batch)).status).toBe(400)
  for (const { email, id } of [shop, ben]) {
    const signedIn = await acting.call('POST', '/api/collections/users/auth-with-password', {
      identity: email,
      password: PASSWORD,
    })
    expect(signedIn.body.record).toMatchObject({ id, name: '' })
  }
})

test('the other APIs refuse acting tokens', async () => {
  const { acting, shop } = await makeTeam('admin')
  const login = (name: string) => basic(name, acting.token).authorization
  const paths = [
    '/2010-04-01/Accounts.json',
    '/api/3rdparty/v1/messages',
    '/mcp',
    '/api/sms/twilio',
    '/smsgate/mobile/v1/device',
  ]
  for (const path of paths)
    for (const authorization of [
      acting.token,
      `Bearer ${acting.token}`,
      login(shop.id),
      login(shop.email),
    ]) {
      const { status } = await fetch(one.url + path, {
        method: path === '/mcp' ? 'POST' : 'GET',
        headers: { authorization },
      })
      expect([path, status >= 401]).toEqual([path, true])
    }
})

describe('data that an agent may not read', () => {
  let team: Team
  beforeAll(async () => {
    team = await makeTeam('agent')
    const { id: user } = team.shop
    await made(team.shop, 'api_keys', { user, name: 'till' })
    await made(team.shop, 'webhooks', {
      user,
      url: 'https://example.com/hook',
      events: ['message.sent'],
    })
    await made(team.shop, 'contacts', { user, phone: '+4915112345678' })
  })

  test('data that an agent may not read is absent from expand, filter, sort and export', async () => {
    const { acting, shop } = team
    const own = `api_keys_via_user,webhooks_via_user,members_via_account,contacts_via_user`
    const expanded = async (path: string) => {
      const { body } = await acting.call(path.startsWith('/api/account') ? 'POST' : 'GET', path)
      return Object.keys((body.record ?? body).expand ?? {})
    }
    expect(await expanded(`${records('users', shop.id)}?expand=${own}`)).toEqual([
      'contacts_via_user',
      'members_via_account',
    ])
    const acted = await team.ben.call('POST', `/api/account/act-for?expand=${own}`, {
      account: shop.id,
    })
    expect(Object.keys(acted.body.record.expand)).toEqual([
      'contacts_via_user',
      'members_via_account',
    ])
    const contacts = await acting.call(
      'GET',
      `${records('contacts')}?expand=user.api_keys_via_user,user.webhooks_via_user`,
    )
    expect(JSON.stringify(contacts.body)).not.toMatch(/till|example\.com\/hook/)
    for (const query of [
      'filter=user.api_keys_via_user.name~"t"',
      'filter=user.webhooks_via_user.secret~"w"',
      'filter=user.webhooks_via_user.url~"e"',
      'filter=@collection.api_keys.name~"t"',
      'filter=user.tokenKey~"a"',
      'sort=user.api_keys_via_user.name',
    ]) {
      const { status } = await acting.call('GET', `${records('contacts')}?${query}`)
      expect([query, [400, 403].includes(status)]).toEqual([query, true])
    }
    expect((await acting.call('GET', '/api/collections/api_keys/export')).status).toBe(403)
    const heads = ['contacts', 'api_keys'].map(
      async (name) => (await acting.call('HEAD', records(name))).status,
    )
    expect(await Promise.all(heads)).toEqual([200, 403])
  })

  test('data that an agent may not read includes the e-mail addresses of others', async () => {
    const { acting, shop, ben } = team
    const texts = await Promise.all(
      [
        records('users'),
        records('users', shop.id),
        `${records('members')}?expand=member,account`,
        records('senders'),
      ].map(async (path) => JSON.stringify((await acting.call('GET', path)).body)),
    )
    for (const text of texts) for (const { email } of [shop, ben]) expect(text).not.toContain(email)
    const byEmail = await acting.call('GET', `${records('users')}?filter=email="${shop.email}"`)
    expect(byEmail.body.items).toEqual([])
  })

  test('data that an agent may not read is sent in no event, by any form of the topic', async () => {
    const { acting, shop, membership } = team
    const options = encodeURIComponent(
      JSON.stringify({ query: { expand: 'user.api_keys_via_user' } }),
    )
    const filter = encodeURIComponent(JSON.stringify({ query: { filter: 'name != ""' } }))
    const topics = [
      'api_keys',
      'api_keys/*',
      `api_keys/*?options=${filter}`,
      `contacts/*?options=${options}`,
      'users/*',
    ]
    const heard = await TestListener.on(two.url, acting.token, ...topics)
    // the same connection, subscribed at the other node
    const body = { clientId: heard.id, subscriptions: topics }
    expect((await acting.call('POST', '/api/realtime', body)).status).toBe(204)
    const owns = await TestListener.on(
      two.url,
      shop.token,
      'api_keys/*',
      `api_keys/*?options=${filter}`,
    )
    const key = await made(shop, 'api_keys', { user: shop.id, name: 'second' })
    await made(shop, 'contacts', { user: shop.id, phone: '+4915112345679' })
    await shop.call('PATCH', records('users', shop.id), { name: 'Shop' })
    expect((await owns.next(2)).map(({ data }) => data.record.id)).toEqual([key.id, key.id])
    const events = await heard.next(2)
    expect(events.map(({ event }) => event.split('?')[0]).sort()).toEqual(['contacts/*', 'users/*'])
    expect(JSON.stringify(events)).not.toMatch(/second|till/)
    expect(JSON.stringify(events)).not.toContain(shop.email)
    expect(membership).not.toBe('')
  })

  test('data that an agent may not read cannot be created or changed by a batch', async () => {
    const { acting, shop } = team
    const part = (url: string, body: object, method = 'POST') => ({ method, url, body })
    const key = part(records('api_keys'), { user: shop.id, name: 'mine' })
    const contact = part(records('contacts'), { user: shop.id, phone: '+4915112345680' })
    const refused = await acting.call('POST', '/api/batch', { requests: [contact, key] })
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      400,
      expect.stringContaining('Your role'),
    ])
    expect((await acting.call('POST', '/api/batch', { requests: [contact] })).status).toBe(200)
  })
})

test('an expanded event shows the e-mail address to the account but not to its members', async () => {
  const { shop, acting } = await makeTeam()
  const options = encodeURIComponent(JSON.stringify({ query: { expand: 'user' } }))
  const [owns, heard] = await Promise.all(
    [shop, acting].map(({ token }) =>
      TestListener.on(one.url, token, `contacts/*?options=${options}`),
    ),
  )
  await made(shop, 'contacts', { user: shop.id, phone: '+4915112345678' })
  const emails = [owns!, heard!].map(async (listener) => {
    const [event] = await listener.next(1)
    return event!.data.record.expand.user.email
  })
  expect(await Promise.all(emails)).toEqual([shop.email, undefined])
})

test('an account cannot use the realtime connection of its member', async () => {
  const { shop, acting } = await makeTeam('viewer')
  const stream = await TestListener.on(one.url, acting.token, 'contacts/*')
  const other = await shop.call('POST', '/api/realtime', {
    clientId: stream.id,
    subscriptions: ['api_keys/*'],
  })
  expect(other.status).toBe(403)
  await stream.close()
})

test("an acting token gives no access to the account's memberships in other accounts", async () => {
  const { shop, acting } = await makeTeam('admin')
  const third = await makeUser()
  const { id } = await made(root, 'members', { account: third.id, member: shop.id, role: 'agent' })
  expect((await acting.call('GET', records('members', id))).status).toBe(404)
  expect((await acting.call('PATCH', records('members', id), { notify: 'none' })).status).toBe(404)
  expect((await acting.call('DELETE', records('members', id))).status).toBe(404)
  expect((await acting.call('GET', records('members'))).body.items.length).toBe(1)
  expect((await shop.call('GET', records('members'))).body.items.length).toBe(2)
})

test("an API key made by an admin outlives the admin's membership, and the account can delete it", async () => {
  const { shop, acting, membership } = await makeTeam('admin')
  const { id, key } = await made(acting, 'api_keys', { user: shop.id, name: 'by Ben' })
  await shop.call('DELETE', records('members', membership))
  const usage = () => fetch(`${one.url}/api/sms/usage`, { headers: { 'x-api-key': key } })
  expect((await usage()).status).toBe(200)
  await shop.call('DELETE', records('api_keys', id))
  expect((await usage()).status).toBe(401)
})

test('only members get an acting token, and never for a disabled account', async () => {
  const { shop, ben } = await makeTeam()
  const stranger = await makeUser()
  const actFor = (who: Client, account: unknown) =>
    who.call('POST', '/api/account/act-for', { account })
  expect((await actFor(stranger, shop.id)).status).toBe(404)
  expect((await actFor(shop, shop.id)).status).toBe(404)
  expect((await actFor(root, shop.id)).status).toBe(403)
  for (const account of ['', 'x', "' or 1=1", 7, null, { id: shop.id }, '\0'])
    expect((await actFor(ben, account)).status).toBeGreaterThanOrEqual(400)
  await disable(shop.id)
  expect((await actFor(ben, shop.id)).status).toBe(403)
})
