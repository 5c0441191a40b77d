import { cleanUpSignIns } from '../../../src/engine/auth/delete-old-sign-ins.ts'
import { identifyToken } from '../../../src/engine/auth/tokens.ts'
import type { Store } from '../../../src/engine/collections/catalog.ts'
import { PASSWORD, startServerWithMail } from '../../support/server/server-with-mail.ts'

const server = await startServerWithMail()

let count = 0
let email: string
let id: string
beforeEach(async () => {
  email = `session${++count}@example.com`
  id = await server.addUser(email, { verified: true })
})

const as = (authorization: string) => ({ authorization })
const signIn = async (agent: string) => {
  const form = { identity: email, password: PASSWORD }
  const path = '/api/collections/users/auth-with-password'
  return String((await server.post(path, form, { 'user-agent': agent })).body.token)
}
interface Listed {
  id: string
  method: string
  person: string
  user_agent: string
  current: boolean
  created: string
  used_at: string
}
const list = async (token: string, agent = '') =>
  (
    await server.call('GET', '/api/account/sessions', undefined, {
      ...as(token),
      'user-agent': agent,
    })
  ).body.items as Listed[]
const refresh = (token: string, agent: string) =>
  server.post('/api/collections/users/auth-refresh', {}, { ...as(token), 'user-agent': agent })
const isSignedIn = async (token: string) =>
  (await server.call('GET', `/api/collections/users/records/${id}`, undefined, as(token)))
    .status === 200
const rows = (text: string) => server.rows(text, id)

/** The latest tokens of the user's sessions are more than a minute old. */
const makeOlder = () =>
  rows(`update auth_sessions set expires_at = expires_at - interval '2 minutes' where record = $1`)
const TOKENS = `select count(*)::text from auth_session_tokens t join auth_sessions s on s.id = t.session
  where s.record = $1`

test('each sign-in creates a session that refreshes continue', async () => {
  const [laptop, phone] = [await signIn('Laptop'), await signIn('Phone')]
  const renewed = String((await refresh(laptop, 'Laptop')).body.token)
  const sessions = await list(renewed, 'Laptop')
  expect(sessions.map(({ user_agent, current }) => [user_agent, current])).toEqual([
    ['Laptop', true],
    ['Phone', false],
  ])
  expect(sessions[0]!.used_at > sessions[0]!.created).toBe(true)
  expect((await list(phone, 'Phone')).find(({ current }) => current)?.user_agent).toBe('Phone')
})

test('a session shows how the sign-in was proven, and keeps it when all others are ended', async () => {
  const laptop = await signIn('Laptop')
  await server.allowOtp()
  const { otpId } = (await server.post('/api/collections/users/request-otp', { email })).body
  const code = await vi.waitFor(() => {
    const mail = server.mail.mails.find(({ to, text }) => to === email && /\b\d{8}\b/.test(text))
    return /\b\d{8}\b/.exec(mail!.text)![0]
  })
  await server.post('/api/collections/users/auth-with-otp', { otpId, password: code })
  expect((await list(laptop)).map(({ method }) => method).sort()).toEqual(['otp', 'password'])
  const path = '/api/account/end-other-sessions'
  const { token } = (await server.post(path, undefined, as(laptop))).body
  expect(await list(String(token))).toMatchObject([{ method: 'password', current: true }])
})

test('an owner sees the sessions in which members act for the account, and cannot end them', async () => {
  const [account, owner] = [id, await signIn('Owner')]
  email = `member${count}@example.com`
  const member = await server.addUser(email)
  const root = await server.superuser()
  const membership = { account, member, role: 'agent' }
  const { body } = await server.post('/api/collections/members/records', membership, root)
  const own = await signIn('Member')
  expect((await list(owner)).map(({ user_agent }) => user_agent)).toEqual(['Owner'])
  await server.post('/api/account/act-for', { account }, as(own))
  const seen = await list(owner)
  expect(seen).toMatchObject([
    { user_agent: 'Owner', method: 'password', person: '', current: true },
    { user_agent: 'Member', method: 'act-for', person: `member${count}`, current: false },
  ])
  expect((await end(owner, seen[1]!.id)).status).toBe(404)
  expect((await list(own)).map(({ method }) => method)).toEqual(['password'])
  await server.call('DELETE', `/api/collections/members/records/${body.id}`, undefined, root)
  expect(await list(owner)).toHaveLength(1)
})

const setUsed = (ago: string) =>
  rows(`update auth_sessions set used_at = now() - interval '${ago}' where record = $1`)
const countRecent = async () =>
  (
    await rows(
      `select count(*)::int from auth_sessions where record = $1 and used_at > now() - interval '1 minute'`,
    )
  )[0]![0]

test('the use of a session is noted at its first request, and not again within five minutes', async () => {
  const laptop = await signIn('Laptop')
  await setUsed('1 hour')
  expect(await isSignedIn(laptop)).toBe(true)
  await vi.waitFor(async () => expect(await countRecent()).toBe(1))
  await setUsed('1 hour')
  expect(await isSignedIn(laptop)).toBe(true)
  await list(laptop)
  expect(await countRecent()).toBe(0)
})

describe('session_days', () => {
  const limitDays = async (user: string, session_days: number) =>
    server.post(
      '/api/collections/user_settings/records',
      { user, session_days },
      await server.superuser(),
    )

  test.each([
    [0, '400 days', true],
    [2, '47 hours', true],
    [2, '49 hours', false],
  ])('with session_days=%i, a session unused for %s is open: %s', async (days, ago, isOpen) => {
    await limitDays(id, days)
    const laptop = await signIn('Laptop')
    await setUsed(ago)
    expect(await isSignedIn(laptop)).toBe(isOpen)
    expect((await refresh(laptop, 'Laptop')).status).toBe(isOpen ? 200 : 401)
    expect(await isSignedIn(await signIn('Laptop'))).toBe(true)
  })

  test('the shortest time of all teams ends a member’s sessions and tokens for accounts', async () => {
    const account = id
    await limitDays(account, 1)
    email = `idle${count}@example.com`
    id = await server.addUser(email)
    await limitDays(id, 30)
    const membership = { account, member: id, role: 'agent' }
    await server.post('/api/collections/members/records', membership, await server.superuser())
    const first = await signIn('Member')
    const { token } = (await server.post('/api/account/act-for', { account }, as(first))).body
    const own = await signIn('Member')
    await setUsed('25 hours')
    const read = (bearer: string) =>
      server.call('GET', '/api/account/me', undefined, as(bearer)).then(({ status }) => status)
    expect([await read(String(token)), await read(own)]).toEqual([401, 401])
  })

  test('a session that is no longer listed ends with the setting, an impersonation does not', async () => {
    const path = `/api/collections/users/impersonate/${id}`
    const { token } = (await server.post(path, {}, await server.superuser())).body
    const laptop = await signIn('Laptop')
    await rows('delete from auth_sessions where record = $1')
    await limitDays(id, 1)
    expect([await isSignedIn(laptop), await isSignedIn(String(token))]).toEqual([false, true])
  })
})

const end = (token: string, session: string) =>
  server.call('DELETE', `/api/account/sessions/${session}`, undefined, as(token))
const idOf = async (token: string) => (await list(token)).find(({ current }) => current)!.id

describe('an ended session', () => {
  test('an ended session has all its tokens refused while other sessions continue', async () => {
    const [laptop, phone] = [await signIn('Laptop'), await signIn('Phone')]
    expect(laptop).not.toBe(phone)
    await makeOlder()
    const renewed = String((await refresh(laptop, 'Another name')).body.token)
    expect(renewed).not.toBe(laptop)
    // the node remembers who has these tokens
    expect([await isSignedIn(laptop), await isSignedIn(renewed)]).toEqual([true, true])
    expect((await end(phone, await idOf(renewed))).status).toBe(204)
    expect([await isSignedIn(laptop), await isSignedIn(renewed)]).toEqual([false, false])
    for (const token of [laptop, renewed]) {
      expect((await refresh(token, 'Laptop')).status).toBe(401)
      expect((await server.call('GET', '/api/account/sessions', undefined, as(token))).status).toBe(
        401,
      )
      const file = await server.post('/api/files/token', undefined, as(token))
      expect(file.status).toBe(401)
    }
    expect(await list(phone)).toMatchObject([{ user_agent: 'Phone', current: true }])
    expect(await isSignedIn(String((await refresh(phone, 'Phone')).body.token))).toBe(true)
    await cleanUpSignIns(server.server.services.store)
    expect(await isSignedIn(laptop)).toBe(false)
  })

  test('a session ends itself by the id current', async () => {
    const [laptop, phone] = [await signIn('Laptop'), await signIn('Phone')]
    expect((await end(laptop, 'current')).status).toBe(204)
    expect([await isSignedIn(laptop), await isSignedIn(phone)]).toEqual([false, true])
  })

  test('an ended session stays ended when a refresh runs at the same time', async () => {
    const [laptop, phone] = [await signIn('Laptop'), await signIn('Phone')]
    await makeOlder()
    const session = await idOf(laptop)
    const [renewed] = await Promise.all([refresh(laptop, 'Laptop'), end(phone, session)])
    if (renewed.status === 200) expect(await isSignedIn(String(renewed.body.token))).toBe(false)
    expect(await isSignedIn(laptop)).toBe(false)
  })

  test('an ended session of another user, or one already ended, is answered with 404', async () => {
    const mine = await signIn('Mine')
    const session = await idOf(mine)
    email = `other${count}@example.com`
    await server.addUser(email)
    const theirs = await signIn('Theirs')
    expect((await end(theirs, session)).status).toBe(404)
    expect((await end(theirs, 'nosession000000')).status).toBe(404)
    expect((await server.call('DELETE', `/api/account/sessions/${session}`)).status).toBe(401)
    expect(await isSignedIn(mine)).toBe(true)
    const second = await idOf(theirs)
    expect((await end(theirs, second)).status).toBe(204)
    expect((await end(theirs, second)).status).toBe(401)
  })

  test('the end of a superuser’s session is written to the audit log', async () => {
    const [first, second] = [await server.superuser(), await server.superuser()]
    expect((await end(first.authorization!, await idOf(second.authorization!))).status).toBe(204)
    expect((await server.call('GET', '/api/account/sessions', undefined, second)).status).toBe(401)
    const noted = await server.rows(`select collection from _audit where action = 'end session'`)
    expect(noted).toEqual([['_superusers']])
  })

  test('an ended session gets no more push notifications in its browser', async () => {
    const [laptop, phone] = [await signIn('Laptop'), await signIn('Phone')]
    await rows(
      `insert into push_subscriptions (id, "user", endpoint, keys, user_agent)
       select agent || $1, $1, '', '{}', agent from unnest(array['Laptop', 'Phone']) agent`,
    )
    await end(phone, await idOf(laptop))
    expect(await rows('select user_agent from push_subscriptions where "user" = $1')).toEqual([
      ['Phone'],
    ])
  })

  test('an ended session is checked without an extra statement per request', async () => {
    const { store } = server.server.services
    const laptop = await signIn('Laptop')
    const asked: string[] = []
    const counted = (found: string[]): Store => ({
      catalog: store.catalog,
      db: new Proxy(store.db, {
        get(db, name) {
          const value = Reflect.get(db, name)
          if (name !== 'query' && name !== 'lookUp') return value
          return (text: string, ...more: unknown[]) => {
            found.push(text)
            return value.call(db, text, ...more)
          }
        },
      }),
    })
    expect((await identifyToken(counted(asked), laptop))?.id).toBe(id)
    expect(asked).toHaveLength(1)
  })
})

test('a session gets at most one new token a minute', async () => {
  const first = await signIn('Program')
  expect((await refresh(first, 'Program')).body.token).toBe(first)
  await makeOlder()
  const second = String((await refresh(first, 'Program')).body.token)
  expect(second).not.toBe(first)
  // also for who asks with an old one
  for (const token of [first, second, first])
    expect((await refresh(token, 'Program')).body.token).toBe(second)
  expect(await rows(TOKENS)).toEqual([['2']])
})

test('concurrent sign-ins get distinct tokens', async () => {
  const tokens = await Promise.all(Array.from({ length: 4 }, () => signIn('Program')))
  expect(new Set(tokens).size).toBe(4)
  expect(await rows(TOKENS)).toEqual([['4']])
})

test('expired session tokens are deleted', async () => {
  await signIn('Laptop')
  await rows(`update auth_session_tokens t set expires_at = now() - interval '61 minutes'
    from auth_sessions s where s.id = t.session and s.record = $1`)
  await cleanUpSignIns(server.server.services.store)
  expect(await rows(TOKENS)).toEqual([['0']])
})

test('users see their own sessions only', async () => {
  await signIn('Mine')
  email = `stranger${count}@example.com`
  await server.addUser(email)
  const theirs = await signIn('Theirs')
  expect((await list(theirs)).map(({ user_agent }) => user_agent)).toEqual(['Theirs'])
  expect((await server.call('GET', '/api/account/sessions')).status).toBe(401)
})

test('signing out everywhere else keeps the current session', async () => {
  const [laptop, phone] = [await signIn('Laptop'), await signIn('Phone')]
  const answer = await server.post('/api/account/end-other-sessions', undefined, {
    ...as(laptop),
    'user-agent': 'Laptop',
  })
  expect(answer).toMatchObject({ status: 200, body: { record: { id, email } } })
  const token = String(answer.body.token)
  expect([await isSignedIn(laptop), await isSignedIn(phone), await isSignedIn(token)]).toEqual([
    false,
    false,
    true,
  ])
  expect(await list(token, 'Laptop')).toMatchObject([{ current: true }])
})

test('an impersonation token has no session and cannot create one', async () => {
  const path = `/api/collections/users/impersonate/${id}`
  const token = String((await server.post(path, {}, await server.superuser())).body.token)
  expect(await list(token)).toEqual([])
  expect((await server.post('/api/account/end-other-sessions', undefined, as(token))).status).toBe(
    403,
  )
})

test('a new password ends all sessions and deletes their rows', async () => {
  const laptop = await signIn('Laptop')
  const form = { oldPassword: PASSWORD, password: 'new-password', passwordConfirm: 'new-password' }
  const path = `/api/collections/users/records/${id}`
  expect((await server.call('PATCH', path, form, as(laptop))).status).toBe(200)
  expect(await isSignedIn(laptop)).toBe(false)
  expect(await rows('select 1 from auth_sessions where record = $1')).toEqual([])
})

test('session rows are deleted with their account, and after they expire', async () => {
  await signIn('Laptop')
  await rows(`update auth_sessions set expires_at = now() - interval '1 second' where record = $1`)
  await signIn('Phone')
  await cleanUpSignIns(server.server.services.store)
  const agents = await rows('select user_agent from auth_sessions where record = $1')
  expect(agents).toEqual([['Phone']])
  await server.call(
    'DELETE',
    `/api/collections/users/records/${id}`,
    undefined,
    await server.superuser(),
  )
  expect(await rows('select 1 from auth_sessions where record = $1')).toEqual([])
})

test('rows of sessions are bounded for a user who signs in often, and older tokens stay valid', async () => {
  const first = await signIn('First')
  await server.rows(
    `insert into auth_sessions (id, collection, record, token_hash, expires_at, ip, user_agent)
     select 'filler' || n || $2::text, '_pb_users_auth_', $1, '', now() + interval '1 day', '', '' from generate_series(1, 200) n`,
    id,
    String(count),
  )
  await signIn('Last')
  expect((await rows('select 1 from auth_sessions where record = $1')).length).toBe(50)
  expect(await isSignedIn(first)).toBe(true)
})

test('a guest can read whether a superuser exists and mail works', async () => {
  const setup = async () => (await server.call('GET', '/api/setup')).body
  expect(await setup()).toEqual({ has_superuser: true, sends_mail: true, passkey_host: '' })
})
