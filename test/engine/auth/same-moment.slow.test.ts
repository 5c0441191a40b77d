import { computeTotp, readTotpStep } from '../../../src/engine/auth/totp.ts'
import type { Db } from '../../../src/platform/db/open.ts'
import { request } from '../../support/server/request.ts'
import { client, must } from '../../support/server/server-with-devices.ts'
import { PASSWORD, startServerWithMail, tokenIn } from '../../support/server/server-with-mail.ts'
import { setUpApp } from '../../support/server/set-up-app.ts'
import { TestPasskey } from '../../support/services/authenticator.ts'

// What a thief with a session, or with a session and the password, does while the person ends it all.

const SITE = 'https://sms.example.com'
const server = await startServerWithMail({
  ...{ PUBLIC_URL: SITE, TRUSTED_PROXIES: '127.0.0.1', SIGN_IN_TRIES: '1000' },
})
const { url } = server.server
const { store } = server.server.services
const root = await server.superuser()
const FACTOR = '/api/account/second-factor'
const USERS = '/api/collections/users'
type Headers = Readonly<Record<string, string>>
let networks = 0
const post = (path: string, body: unknown = {}, headers: Headers = {}) =>
  request(url, 'POST', path, body, {
    'x-forwarded-for': `198.51.100.${++networks % 250}`,
    ...headers,
  })
const signIn = async (email: string, password = PASSWORD): Promise<Headers> => ({
  authorization: await server.signIn('users', email, password),
})

let people = 0
async function addPerson() {
  const email = `person-${++people}@example.com`
  const id = await server.addUser(email, { verified: true })
  return { id, email, by: await signIn(email) }
}
type Person = Awaited<ReturnType<typeof addPerson>>

/** A change that is stored, but not committed before the other request has begun. */
const duringChange = (change: (db: Db) => Promise<unknown>, other: () => Promise<number>) =>
  store.db
    .transaction(async (db) => {
      await change(db)
      const answer = other()
      await new Promise((resolve) => setTimeout(resolve, 700))
      return { answer }
    })
    .then(({ answer }) => answer)

/** What a new password, and signing out everywhere else, do in their transaction. */
const endAll =
  ({ id }: Person) =>
  async (db: Db) => {
    await db.query(`delete from _mfas where "recordRef" = $1`, [id])
    await db.query(`update users set "tokenKey" = 'k' || "tokenKey" where id = $1`, [id])
  }

describe('while all sessions of a person end', () => {
  test('an app that was begun is not confirmed', async () => {
    const who = await addPerson()
    const { secret } = (await post(FACTOR, { password: PASSWORD }, who.by)).body
    const code = computeTotp(secret, readTotpStep())
    const confirm = async () => (await post(`${FACTOR}/confirm`, { code }, who.by)).status
    expect(await duringChange(endAll(who), confirm)).toBe(400)
    const kept = await server.rows('select sealed from auth_factors where record = $1', who.id)
    expect(kept.flat().join('')).toBe('')
  })

  test('a passkey that was begun is not stored', async () => {
    const who = await addPerson()
    const key = new TestPasskey(SITE, 0)
    const { body } = await post('/api/account/passkeys/options', { password: PASSWORD }, who.by)
    const form = { name: 'Key', credential: key.create(body) }
    const keep = async () => (await post('/api/account/passkeys', form, who.by)).status
    expect(await duringChange(endAll(who), keep)).toBe(400)
    expect(await server.rows('select 1 from auth_passkeys where record = $1', who.id)).toEqual([])
  })

  test('a sign-in with the former password does not wait for a second proof', async () => {
    const who = await addPerson()
    await setUpApp(url, who.by, PASSWORD)
    const form = { identity: who.email, password: PASSWORD }
    const begin = async () => (await post(`${USERS}/auth-with-password`, form)).status
    expect(await duringChange(endAll(who), begin)).toBe(400)
    expect(await server.rows('select 1 from _mfas where "recordRef" = $1', who.id)).toEqual([])
  })

  test('the new token of another sign-out counts no longer than the session that asked', async () => {
    for (let round = 0; round < 6; round++) {
      const who = await addPerson()
      const form = { password: 'another-password', passwordConfirm: 'another-password' }
      const [thief, person] = await Promise.all([
        post('/api/account/end-other-sessions', {}, who.by),
        request(url, 'PATCH', `${USERS}/records/${who.id}`, form, root),
      ])
      expect(person.status).toBe(200)
      const token = { authorization: String(thief.body.token) }
      const { status } = await request(url, 'GET', '/api/account/sessions', undefined, token)
      expect(status).toBe(401)
    }
  })
})

describe('a pairing code', () => {
  const pair = (code: string) => post('/api/devices/pair', { platform: 'android', code })
  const newCode = async (by: Headers) => (await post('/api/devices/pairing', {}, by)).body.code
  const ENDS: Readonly<Record<string, (who: Person) => Promise<unknown>>> = {
    'signing out everywhere else': ({ by }) => post('/api/account/end-other-sessions', {}, by),
    'a new password': ({ id }) => {
      const form = { password: 'another-password', passwordConfirm: 'another-password' }
      return request(url, 'PATCH', `${USERS}/records/${id}`, form, root)
    },
    'a new email': ({ id }) =>
      request(url, 'PATCH', `${USERS}/records/${id}`, { email: `n-${id}@example.com` }, root),
  }
  test.each(Object.keys(ENDS))('ends with %s, and those of others stay', async (end) => {
    const [who, other] = [await addPerson(), await addPerson()]
    const [code, theirs] = [await newCode(who.by), await newCode(other.by)]
    await ENDS[end]!(who)
    expect((await pair(code)).body.error).toBe('wrong_code')
    expect((await pair(theirs)).status).toBe(200)
  })

  test('of an account ends when its admin signs out everywhere else, not when an agent does', async () => {
    const [owner, admin, agent] = [await addPerson(), await addPerson(), await addPerson()]
    for (const [{ id }, role] of [[admin, 'admin'] as const, [agent, 'agent'] as const]) {
      const values = { account: owner.id, member: id, role }
      await must(
        client(url, '', root.authorization!),
        'POST',
        '/api/collections/members/records',
        values,
      )
    }
    const { token } = (await post('/api/account/act-for', { account: owner.id }, admin.by)).body
    const code = await newCode({ authorization: token })
    await post('/api/account/end-other-sessions', {}, agent.by)
    expect(
      await server.rows('select 1 from device_pairings where "user" = $1', owner.id),
    ).toHaveLength(1)
    await post('/api/account/end-other-sessions', {}, admin.by)
    expect((await pair(code)).body.error).toBe('wrong_code')
  })
})

test('the former address gets a mail in its language when another takes its place', async () => {
  const { id, email, by } = await addPerson()
  await request(url, 'PATCH', `${USERS}/records/${id}`, { language: 'de' }, by)
  const newEmail = `thief-${email}`
  expect((await post(`${USERS}/request-email-change`, { newEmail }, by)).status).toBe(204)
  const mailTo = async (to: string) => {
    for (;;) {
      const mail = await server.mail.next()
      if (mail.to === to) return mail
    }
  }
  const token = tokenIn((await mailTo(newEmail)).text)
  const confirm = (password: string) => post(`${USERS}/confirm-email-change`, { token, password })
  const before = server.mail.mails.length
  expect((await confirm('not-theirs')).status).toBe(400)
  expect((await confirm(PASSWORD)).status).toBe(204)
  const mail = await mailTo(email)
  expect(mail.subject).toContain('andere E-Mail-Adresse')
  expect(mail.text).not.toContain(newEmail)
  expect(server.mail.mails.length).toBe(before + 1)
})
