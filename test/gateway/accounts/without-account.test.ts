import { basic } from '../../support/server/request.ts'
import {
  type Client,
  client,
  must,
  makeUser as newUser,
  PASSWORD,
  pairDevice,
  signIn,
} from '../../support/server/server-with-devices.ts'
import { startServerWithMail } from '../../support/server/server-with-mail.ts'
import { setUpApp } from '../../support/server/set-up-app.ts'
import { SUPERUSER } from '../../support/server/start.ts'
import { codeIn } from '../../support/services/mail-server.ts'

// People who join by an invitation are members without an account of their own.

const fixture = await startServerWithMail()
const { url } = fixture.server
await fixture.allowOtp()
const root = await signIn(url, '_superusers', SUPERUSER.email, SUPERUSER.password)
const guest = client(url, '', '')
const makeUser = () => newUser(url, root, { verified: true })
const records = (collection: string, id = '') =>
  `/api/collections/${collection}/records${id && `/${id}`}`
const ACCEPT = '/api/account/invitations/accept'
const invite = async (shop: Client, role = 'agent') =>
  /#\/join\/(\w+)/.exec((await must(shop, 'POST', '/api/account/invitations', { role })).link)![1]!

let count = 0
const newcomer = () => ({
  name: 'Cleo',
  email: `cleo${++count}@example.com`,
  password: PASSWORD,
  passwordConfirm: PASSWORD,
})
async function join(shop: Client) {
  const person = newcomer()
  await must(guest, 'POST', ACCEPT, { secret: await invite(shop), ...person })
  return { ...(await signIn(url, 'users', person.email, PASSWORD)), email: person.email, person }
}
const password = (email: string) =>
  guest.call('POST', '/api/collections/users/auth-with-password', {
    identity: email,
    password: PASSWORD,
  })
const me = (who: Client) => who.call('GET', '/api/account/me')
const membership = async (who: Client) =>
  (await who.call('GET', records('members'))).body.items[0].id

const shop = await makeUser()
const cleo = await join(shop)
const own = { user: cleo.id, name: 'own' }
const send = { recipients: ['+4915112345678'], body: 'Hello' }

test.each<[method: string, path: string, body?: object]>([
  ['POST', '/api/sms/send', send],
  ['POST', '/api/sms/preview', send],
  ['GET', '/api/sms/usage'],
  ['POST', '/api/campaigns', send],
  ['POST', '/api/devices/pairing', {}],
  ['GET', '/api/devices/states'],
  ['POST', '/api/hooks/preview', {}],
  ['POST', '/api/account/invitations', { role: 'admin' }],
  ['GET', '/api/account/inbox'],
  ['GET', '/api/account/retention'],
  ['POST', '/api/account/data'],
  ['PUT', '/api/account/push', {}],
  ['POST', records('api_keys'), own],
  ['POST', records('hooks'), own],
  ['POST', records('webhooks'), { ...own, url: 'https://example.com', events: ['message.sent'] }],
  ['POST', records('sms_templates'), { ...own, body: 'Hello' }],
  ['POST', records('contacts'), { ...own, phone: '+4915112345678' }],
  ['POST', records('user_settings'), own],
  ['GET', records('contacts')],
  ['GET', records('sms_messages')],
])(
  '%s %s by a member without an account is refused with the way to act for one',
  async (...asked) => {
    const { status, body } = await cleo.call(...asked)
    expect([status, body.message]).toEqual([
      403,
      expect.stringContaining('POST /api/account/act-for'),
    ])
  },
)

test("a batch, a phone's registration and the own record cannot give a member an account", async () => {
  const requests = [{ method: 'POST', url: records('api_keys'), body: own }]
  expect((await cleo.call('POST', '/api/batch', { requests })).status).toBe(400)
  const headers = { ...basic(cleo.email, PASSWORD), 'content-type': 'application/json' }
  const phone = await fetch(`${url}/api/mobile/v1/device`, {
    method: 'POST',
    headers,
    body: '{"name":"x"}',
  })
  expect(phone.status).toBe(403)
  expect((await cleo.call('PATCH', records('users', cleo.id), { member_only: false })).status).toBe(
    404,
  )
  expect((await cleo.call('PATCH', records('users', cleo.id), { name: 'Cleopatra' })).status).toBe(
    200,
  )
  expect((await me(cleo)).body).toMatchObject({ role: 'none', name: 'Cleopatra' })
})

test('a member-only user can join a second team and act for it, but not join one twice', async () => {
  const other = await makeUser()
  const secret = await invite(other)
  expect((await cleo.call('POST', ACCEPT, { secret: await invite(shop) })).status).toBe(400)
  await must(cleo, 'POST', ACCEPT, { secret })
  expect((await cleo.call('GET', '/api/account/accounts')).body.length).toBe(2)
  const { token } = await must(cleo, 'POST', '/api/account/act-for', { account: other.id })
  const acting = client(url, other.id, token)
  const contact = { user: other.id, phone: '+4915112345678' }
  expect((await acting.call('POST', records('contacts'), contact)).status).toBe(200)
})

test.each<[what: string, end: (account: Client, member: Client) => Promise<unknown>]>([
  [
    'is disabled',
    ({ id }) => must(root, 'POST', records('user_settings'), { user: id, disabled: true }),
  ],
  ['is deleted', ({ id }) => must(root, 'DELETE', records('users', id))],
  [
    'removes the member',
    async (account, member) =>
      must(account, 'DELETE', records('members', await membership(member))),
  ],
  [
    'is left',
    async (_, member) => must(member, 'DELETE', records('members', await membership(member))),
  ],
])('a member-only user whose last account %s cannot sign in', async (_, end) => {
  const [last, before] = [await makeUser(), await makeUser()]
  const member = await join(last)
  const otp = { email: member.email }
  const { otpId } = await must(guest, 'POST', '/api/collections/users/request-otp', otp)
  const code = codeIn((await fixture.mail.next()).text)
  await must(member, 'POST', ACCEPT, { secret: await invite(before) })
  const first = (await member.call('GET', `${records('members')}?filter=account="${before.id}"`))
    .body.items[0]
  await must(before, 'DELETE', records('members', first.id))
  expect((await me(member)).status).toBe(200)
  await end(last, member)
  expect((await me(member)).status).toBe(401)
  expect((await member.call('GET', records('users', member.id))).status).toBe(404)
  expect((await password(member.email)).status).toBe(403)
  const entered = { otpId, password: code }
  expect(
    (await guest.call('POST', '/api/collections/users/auth-with-otp', entered)).status,
  ).not.toBe(200)

  // invited again, by the password alone
  const secret = await invite(before)
  const wrong = { secret, ...member.person, password: 'another-password' }
  expect((await guest.call('POST', ACCEPT, wrong)).status).toBe(400)
  await must(guest, 'POST', ACCEPT, { secret, ...member.person })
  expect((await password(member.email)).status).toBe(200)
})

test('a superuser can turn a member-only user into a full one, and back while no account is in use', async () => {
  const member = await join(shop)
  const change = (member_only: boolean) =>
    root.call('PATCH', records('users', member.id), { member_only })
  expect((await change(false)).status).toBe(200)
  expect((await change(true)).status).toBe(200)
  expect((await change(false)).status).toBe(200)
  await pairDevice(url, member)
  expect((await change(true)).body.data).toMatchObject({
    member_only: { code: 'validation_in_use' },
  })
  const made = await guest.call('POST', records('users'), { ...newcomer(), member_only: true })
  expect(made.status).toBeGreaterThanOrEqual(400)
})

test('users who existed before their invitation stay full users', async () => {
  const ben = await makeUser()
  await must(ben, 'POST', ACCEPT, { secret: await invite(shop) })
  await must(shop, 'DELETE', records('members', await membership(ben)))
  await must(ben, 'POST', records('contacts'), { user: ben.id, phone: '+4915112345678' })
})

test('a person with a second factor joins another team with a code, not by the password alone', async () => {
  const person = await join(shop)
  const { recovery } = await setUpApp(url, { authorization: person.token }, PASSWORD)
  const other = await makeUser()
  const form = { secret: await invite(other), email: person.email, password: PASSWORD }
  const accept = (more: object) => guest.call('POST', ACCEPT, { ...form, ...more })
  const alone = await accept({})
  expect([alone.status, alone.body.data.code.code]).toEqual([400, 'validation_required'])
  expect((await accept({ code: 'abcd-efgh-jkmn' })).status).toBe(400)
  expect((await accept({ code: recovery[0], password: 'not-theirs' })).status).toBe(400)
  expect((await other.call('GET', records('members'))).body.items).toEqual([])
  expect((await accept({ code: recovery[0] })).body).toEqual({ account: other.id })
})

test('where all sign-ins need two proofs, the password joins only by a link that was mailed', async () => {
  const person = await join(shop)
  const [byLink, byMail] = [await makeUser(), await makeUser()]
  const { mfa } = fixture.find('users')
  await fixture.change('users', { mfa: { ...mfa, enabled: true } })
  const form = { email: person.email, password: PASSWORD }
  const secret = await invite(byLink)
  expect((await guest.call('POST', ACCEPT, { ...form, secret })).status).toBe(403)
  const asked = { role: 'agent', email: person.email }
  await must(byMail, 'POST', '/api/account/invitations', asked)
  let mailed: string | undefined
  while (!mailed) mailed = /#\/join\/(\w+)/.exec((await fixture.mail.next()).text)?.[1]
  expect((await guest.call('POST', ACCEPT, { ...form, secret: mailed })).status).toBe(200)
  await fixture.change('users', { mfa })
})

test('a person whom a superuser has disabled joins no other team by the password, and uses up no invitation', async () => {
  const person = await join(shop)
  const other = await makeUser()
  const values = { user: person.id, disabled: true }
  const { id } = await must(root, 'POST', records('user_settings'), values)
  const form = { secret: await invite(other), email: person.email, password: PASSWORD }
  expect((await guest.call('POST', ACCEPT, form)).status).toBe(403)
  expect((await other.call('GET', records('members'))).body.items).toEqual([])
  await must(root, 'PATCH', records('user_settings', id), { disabled: false })
  expect((await guest.call('POST', ACCEPT, form)).status).toBe(200)
})

test('a person whom the rule of sign-ins refuses joins no other team by the password', async () => {
  const person = await join(shop)
  const other = await makeUser()
  const { authRule } = fixture.find('users')
  const form = { secret: await invite(other), email: person.email, password: PASSWORD }
  await fixture.change('users', { authRule: 'verified = true' })
  expect((await guest.call('POST', ACCEPT, form)).status).toBe(403)
  await fixture.change('users', { authRule })
  expect((await guest.call('POST', ACCEPT, form)).status).toBe(200)
})
