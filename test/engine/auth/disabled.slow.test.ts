import { findRecordByToken } from '../../../src/engine/auth/tokens.ts'
import { requireDevice } from '../../../src/gateway/base/device-record.ts'
import { claimMessages } from '../../../src/gateway/messages/queue/claim-messages.ts'
import { basic } from '../../support/server/request.ts'
import {
  type Client,
  client,
  openStream,
  withDevices,
} from '../../support/server/server-with-devices.ts'
import { PASSWORD, startServerWithMail, tokenIn } from '../../support/server/server-with-mail.ts'
import { codeIn } from '../../support/services/mail-server.ts'
import { oauth2By, signInByProvider, startOidcServer } from '../../support/services/oidc-server.ts'
import { TestListener } from '../realtime/test-listener.ts'

// A disabled user: every way in is closed, and opens again when the user is enabled.

const mailed = await startServerWithMail()
const gateway = await withDevices(mailed.server)
const oidc = await startOidcServer(`${gateway.url}/api/oauth2-redirect`)
await mailed.change('users', { oauth2: oauth2By(oidc) })
await mailed.allowOtp()

let count = 0
let email: string
let user: Client
beforeEach(async () => {
  email = `disabled${++count}@example.com`
  const id = await mailed.addUser(email, { verified: true })
  user = client(gateway.url, id, await mailed.signIn('users', email, PASSWORD))
})

const USERS = '/api/collections/users'
const path = () => `${USERS}/records/${user.id}`
const SETTINGS = '/api/collections/user_settings/records'
/** The id of the settings of the user, if there are any. */
const settingsId = async () => {
  const filter = encodeURIComponent(`user = "${user.id}"`)
  const { body } = await gateway.superuser.call('GET', `${SETTINGS}?filter=${filter}`)
  return body.items[0]?.id as string | undefined
}
const saveSettings = async (who: Client, values: object) => {
  const id = await settingsId()
  return id
    ? who.call('PATCH', `${SETTINGS}/${id}`, values)
    : who.call('POST', SETTINGS, { user: user.id, ...values })
}
const setDisabled = async (disabled: boolean) =>
  expect(await saveSettings(gateway.superuser, { disabled })).toMatchObject({
    status: 200,
    body: { disabled },
  })
const withPassword = (more = {}) =>
  gateway.guest.call('POST', `${USERS}/auth-with-password`, {
    identity: email,
    password: PASSWORD,
    ...more,
  })
const requestOtp = async () =>
  String((await mailed.post(`${USERS}/request-otp`, { email })).body.otpId)
const rows = (text: string) => mailed.rows(text, user.id)
const makeKey = async () =>
  String(
    (await user.call('POST', '/api/collections/api_keys/records', { user: user.id, name: 'shop' }))
      .body.key,
  )
const sendWithKey = async (key: string) => {
  const text = { recipients: ['+4915112345678'], body: 'Hi' }
  return (await mailed.post('/api/sms/send', text, { 'x-api-key': key })).status
}
const REFUSED = {
  status: 403,
  body: { message: "The request doesn't satisfy the collection requirements to authenticate." },
}

describe('disabling a user', () => {
  test('disabling a user is refused to the user, as is enabling again', async () => {
    expect((await saveSettings(user, { disabled: true })).status).toBe(400)
    expect(await settingsId()).toBeUndefined()
    expect((await saveSettings(user, { country: 'DE' })).body).toMatchObject({
      country: 'DE',
      disabled: false,
    })
    for (const body of [
      { disabled: true },
      { disabled: false },
      { country: 'FR', disabled: false },
    ])
      expect((await saveSettings(user, body)).status).toBe(404)
    expect((await saveSettings(user, { country: 'AT' })).body).toMatchObject({
      country: 'AT',
      disabled: false,
    })
    expect((await user.call('DELETE', `${SETTINGS}/${await settingsId()}`)).status).toBe(403)
  })

  test('disabling a user by a superuser is written to the audit log', async () => {
    await setDisabled(true)
    const [entry] = await rows(
      `select action, fields::text from _audit
       where record = (select id from user_settings where "user" = $1) order by id desc limit 1`,
    )
    expect(entry?.map(String)).toEqual(['create', expect.stringContaining('disabled')])
  })
})

describe('campaigns of a disabled user', () => {
  const access = async () =>
    (await gateway.superuser.call('GET', `/api/users/${user.id}/access`)).body as Record<
      string,
      never
    >
  const enable = (how: string, who = gateway.superuser) =>
    who.call('POST', `/api/users/${user.id}/enable`, { access: how })
  const campaigns = async () =>
    (await rows(`select status, settled from campaigns where "user" = $1 order by created`)).map(
      ([status]) => status,
    )
  const held = async () =>
    await rows(
      `select coalesce(due_at, now()) = 'infinity', count(*)::int from sms_dispatch where "user" = $1 group by 1 order by 1`,
    )
  const create = async (more: object) => {
    const recipients = ['+4915112345678', '+4915112345679']
    const made = await user.call('POST', '/api/campaigns', { body: 'Sale', recipients, ...more })
    expect(made.status).toBe(200)
    return made.body.id as string
  }

  test('campaigns of a disabled user are paused and not canceled, also one created in the same moment', async () => {
    const phone = await gateway.pair(user)
    await create({ scheduled_at: new Date(Date.now() + 3_600_000).toISOString() })
    const now = await create({ hold_seconds: 0 })
    await expect
      .poll(async () => (await rows('select 1 from sms_dispatch where "user" = $1')).length)
      .toBe(4)
    await user.call('POST', '/api/sms/send', { recipients: ['+4915112345670'], body: 'Plain' })
    await setDisabled(true)
    expect(await campaigns()).toEqual(['paused', 'paused'])
    // as a request would that was under way
    await rows(
      `update campaigns set status = 'sending', settled = false, updated = '2020-01-01 00:00:00.000Z' where id = '${now}' and "user" = $1`,
    )
    await expect.poll(campaigns).toEqual(['paused', 'paused'])
    await expect.poll(held).toEqual([
      [false, 1],
      [true, 4],
    ])
    await setDisabled(false)
    const { items } = (await phone.call('POST', '/api/devices/claim', { limit: 10 })).body
    expect(items.map(({ body }: { body: string }) => body)).toEqual(['Plain'])
  })

  test('superusers alone see the keys, devices, webhooks and answers that act for a user', async () => {
    await makeKey()
    await gateway.pair(user)
    const hook = {
      user: user.id,
      url: 'https://example.com/hook',
      events: ['message.sent'],
      enabled: true,
    }
    await user.call('POST', '/api/collections/webhooks/records', hook)
    const answer = {
      user: user.id,
      name: 'Hours',
      match: 'any',
      body: 'We are closed',
      enabled: true,
    }
    const ANSWERS = '/api/collections/auto_answers/records'
    await user.call('POST', ANSWERS, answer)
    const { id: template } = (
      await user.call('POST', '/api/collections/sms_templates/records', {
        user: user.id,
        name: 'Prices',
        body: 'From 9 euros',
      })
    ).body
    for (const said of [{ body: 'We are closed' }, { body: '', template }])
      await user.call('POST', ANSWERS, { ...answer, name: '', ...said })
    await create({ name: 'Sale' })
    await expect.poll(async () => (await access()).waiting).toBe(2)
    expect(await access()).toMatchObject({
      disabled: false,
      api_keys: { total: 1, items: [{ name: 'shop' }] },
      devices: { total: 1 },
      webhooks: { total: 1, items: [{ name: 'https://example.com/hook' }] },
      auto_answers: {
        total: 3,
        items: [{ name: 'Hours' }, { name: 'We are closed' }, { name: 'Prices' }],
      },
      campaigns: { total: 1, items: [{ name: 'Sale' }] },
    })
    expect((await user.call('GET', `/api/users/${user.id}/access`)).status).toBe(403)
    expect((await enable('keep', user)).status).toBe(403)
    expect((await enable('perhaps')).status).toBe(400)
    expect((await gateway.superuser.call('GET', '/api/users/nobody/access')).status).toBe(404)
  })

  test.each([
    ['keep', 1, 'paused', 2],
    ['end', 0, 'canceled', 0],
  ])(
    'enabling the user with "%s" leaves %i API key and device, the campaign %s and %i messages waiting',
    async (how, left, status, waiting) => {
      const key = await makeKey()
      const phone = await gateway.pair(user)
      await create({ hold_seconds: 0 })
      await expect.poll(async () => (await access()).waiting).toBe(2)
      await setDisabled(true)
      expect(await enable(how)).toMatchObject({
        status: 200,
        body: {
          disabled: false,
          api_keys: { total: 1 },
          devices: { total: 1 },
          campaigns: { total: 1 },
        },
      })
      expect((await withPassword()).status).toBe(200)
      expect([
        await sendWithKey(key),
        (await phone.call('POST', '/api/devices/claim', { limit: 10 })).status,
      ]).toEqual(left ? [200, 200] : [401, 401])
      const now = await access()
      expect(now).toMatchObject({
        disabled: false,
        api_keys: { total: left },
        devices: { total: left },
      })
      expect(await campaigns()).toEqual([status])
      const texts = await rows(
        `select 1 from sms_dispatch where "user" = $1 and due_at = 'infinity'`,
      )
      expect(texts.length).toBe(waiting)
      const [entry] = await rows(
        `select action from _audit where record = $1 order by created desc limit 1`,
      )
      expect(entry).toEqual([how === 'end' ? 'enable user, end access' : 'enable user'])
    },
  )
})

describe("a user's settings", () => {
  test("a user's settings are one record for each user and cannot move to another user", async () => {
    const other = await gateway.makeUser()
    expect((await user.call('POST', SETTINGS, { user: other.id })).status).toBe(400)
    expect((await saveSettings(user, {})).status).toBe(200)
    const again = await user.call('POST', SETTINGS, { user: user.id })
    expect(again).toMatchObject({
      status: 400,
      body: { data: { user: { code: 'validation_not_unique' } } },
    })
    const own = `${SETTINGS}/${await settingsId()}`
    for (const who of [user, gateway.superuser])
      expect((await who.call('PATCH', own, { user: other.id })).status).toBe(400)
    expect((await other.call('PATCH', own, { country: 'DE' })).status).toBe(404)
    expect((await user.call('PATCH', own, { user: user.id, country: 'DE' })).status).toBe(200)
    expect((await user.call('PATCH', own, { country: 'Germany' })).status).toBe(400)
  })

  test("a user's settings are deleted with the user", async () => {
    await setDisabled(true)
    expect((await gateway.superuser.call('DELETE', path())).status).toBe(204)
    expect(await settingsId()).toBeUndefined()
  })

  test("a user's settings enable the user again when they are deleted", async () => {
    const device = await gateway.pair(user)
    const key = await makeKey()
    const claim = async () => (await device.call('POST', '/api/devices/claim', {})).status
    expect([await sendWithKey(key), await claim()]).toEqual([200, 200])
    await setDisabled(true)
    expect([await sendWithKey(key), await claim(), (await withPassword()).status]).toEqual([
      401, 403, 403,
    ])
    expect(
      (await gateway.superuser.call('DELETE', `${SETTINGS}/${await settingsId()}`)).status,
    ).toBe(204)
    expect([await sendWithKey(key), await claim(), (await withPassword()).status]).toEqual([
      200, 200, 200,
    ])
  })
})

describe('sign-in of a disabled user', () => {
  test('sign-in of a disabled user by password is refused only after the right password, and works again once enabled', async () => {
    await setDisabled(true)
    expect(await withPassword()).toMatchObject(REFUSED)
    expect((await withPassword({ password: 'wrong-password' })).status).toBe(400)
    await setDisabled(false)
    expect((await withPassword()).status).toBe(200)
  })

  test('sign-in of a disabled user by a mailed code is refused, and no code is mailed', async () => {
    const otpId = await requestOtp()
    const password = codeIn((await mailed.mail.next()).text)
    await setDisabled(true)
    const before = mailed.mail.mails.length
    const enter = (id: string) => mailed.post(`${USERS}/auth-with-otp`, { otpId: id, password })
    expect((await enter(otpId)).status).toBe(400)
    expect((await enter(await requestOtp())).status).toBe(400)
    await setDisabled(false)
    expect((await enter(otpId)).status).toBe(400)
    const again = await requestOtp()
    const { text } = await mailed.mail.next()
    expect(mailed.mail.mails.length).toBe(before + 1)
    const form = { otpId: again, password: codeIn(text) }
    expect((await mailed.post(`${USERS}/auth-with-otp`, form)).status).toBe(200)
  })

  test('sign-in of a disabled user by an OAuth2 provider is refused', async () => {
    oidc.account = email
    oidc.accounts.set(email, { name: 'Ann', email, email_verified: true })
    const signIn = () => signInByProvider(gateway.url, oidc)
    await signIn()
    await setDisabled(true)
    await expect(signIn()).rejects.toMatchObject({ status: 403 })
    await setDisabled(false)
    expect(await signIn()).toBe(user.id)
  })

  test('sign-in of a disabled user by a second method is refused', async () => {
    const { mfa } = mailed.find('users')
    await mailed.change('users', {
      mfa: { ...mfa, enabled: true, duration: 600, rule: '' },
    })
    try {
      const { mfaId } = (await withPassword()).body
      const otpId = await requestOtp()
      const password = codeIn((await mailed.mail.next()).text)
      await setDisabled(true)
      const form = { otpId, password, mfaId }
      expect((await mailed.post(`${USERS}/auth-with-otp`, form)).status).toBe(400)
      expect(await withPassword()).toMatchObject(REFUSED)
    } finally {
      await mailed.change('users', { mfa })
    }
  })

  test("sign-in of a disabled user by a superuser's impersonation is refused", async () => {
    const impersonate = () => gateway.superuser.call('POST', `${USERS}/impersonate/${user.id}`, {})
    const { token } = (await impersonate()).body
    await setDisabled(true)
    expect(await impersonate()).toMatchObject(REFUSED)
    expect((await client(gateway.url, '', token).call('GET', path())).status).toBe(404)
    await setDisabled(false)
    expect((await impersonate()).status).toBe(200)
  })

  test("sign-in of a disabled user by a phone's login and password is refused", async () => {
    const register = async () =>
      (await mailed.post('/api/mobile/v1/device', { name: 'Phone' }, basic(email, PASSWORD))).status
    await setDisabled(true)
    expect(await register()).toBe(401)
    await setDisabled(false)
    expect(await register()).toBe(201)
  })
})

describe('mailed links of a disabled user', () => {
  /** Mails with a link: others, about sign-ins, may come late. */
  const countLinks = () => mailed.mail.mails.filter(({ text }) => tokenIn(text) !== '').length
  const nextToken = async () => {
    for (;;) {
      const token = tokenIn((await mailed.mail.next()).text)
      if (token) return token
    }
  }

  test('mailed links of a disabled user for a new password are not sent, with the usual answer, and earlier ones are void', async () => {
    const ask = () => mailed.post(`${USERS}/request-password-reset`, { email })
    await ask()
    const token = await nextToken()
    await setDisabled(true)
    const before = countLinks()
    expect((await ask()).status).toBe(204)
    const form = { token, password: 'new-password', passwordConfirm: 'new-password' }
    const confirm = () => mailed.post(`${USERS}/confirm-password-reset`, form)
    expect((await confirm()).status).toBe(400)
    await setDisabled(false)
    expect((await confirm()).status).toBe(400)
    expect([(await withPassword()).status, countLinks()]).toEqual([200, before])
  })

  test('mailed links of a disabled user to change or verify the address are not sent, and earlier ones are void', async () => {
    await user.call('POST', `${USERS}/request-email-change`, { newEmail: `new-${email}` })
    const token = await nextToken()
    await setDisabled(true)
    const before = countLinks()
    const form = { token, password: PASSWORD }
    expect((await mailed.post(`${USERS}/confirm-email-change`, form)).status).toBe(400)
    expect((await mailed.post(`${USERS}/request-verification`, { email })).status).toBe(204)
    expect(
      (await user.call('POST', `${USERS}/request-email-change`, { newEmail: 'x@y.de' })).status,
    ).toBe(401)
    expect(countLinks()).toBe(before)
  })
})

describe('signed-in clients of a disabled user', () => {
  test('signed-in clients of a disabled user lose their session for good', async () => {
    await setDisabled(true)
    const refresh = () => user.call('POST', `${USERS}/auth-refresh`)
    expect((await refresh()).status).toBe(401)
    expect((await user.call('GET', path())).status).toBe(404)
    expect((await user.call('POST', '/api/devices/pairing', {})).status).toBe(401)
    expect(await sendWithSession()).toBe(401)
    await setDisabled(false)
    expect((await refresh()).status).toBe(401)
  })
  const sendWithSession = async () =>
    (await user.call('POST', '/api/sms/send', { recipients: ['+4915112345678'], body: 'Hi' }))
      .status

  test.each([
    ['are first stored then', true],
    ['exist already', false],
  ])(
    'signed-in clients of a disabled user lose their event streams and those of their devices, if their settings %s',
    async (_, isNew) => {
      if (!isNew) expect((await saveSettings(user, {})).status).toBe(200)
      const device = await gateway.pair(user)
      const streams = await Promise.all(
        [user, device].map(({ token }) => TestListener.on(gateway.url, token, 'sms_messages')),
      )
      await setDisabled(true)
      await Promise.all(streams.map(({ ended }) => ended))
    },
  )
})

describe('devices of a disabled user', () => {
  const CALLS = [
    ['POST', '/api/devices/heartbeat', {}],
    ['POST', '/api/devices/claim', {}],
    ['POST', '/api/devices/report', { items: [{ id: 'x', attempt: 1, status: 'sent' }] }],
    ['POST', '/api/devices/incoming', { items: [{ from: '+4915112345678', body: 'x' }] }],
    ['GET', '/api/devices/events', undefined],
    ['PUT', '/api/devices/push', null],
    ['GET', '/api/mobile/v1/message', undefined],
    ['PATCH', '/api/mobile/v1/message', []],
    ['GET', '/api/mobile/v1/device', undefined],
    ['GET', '/api/mobile/v1/settings', undefined],
    ['GET', '/api/mobile/v1/webhooks', undefined],
    ['GET', '/api/mobile/v1/events', undefined],
    ['POST', '/api/collections/devices/auth-refresh', undefined],
  ] as const

  test('devices of a disabled user get 403, not 401, so that they keep their token, and work again later', async () => {
    const device = await gateway.pair(user)
    await setDisabled(true)
    for (const [method, route, body] of CALLS)
      expect([route, (await device.call(method, route, body)).status]).toEqual([route, 403])
    const { body } = await device.call('GET', '/api/collections/sms_messages/records')
    expect(body).toMatchObject({ error: 'unauthorized' })
    await setDisabled(false)
    expect((await device.call('POST', '/api/devices/heartbeat', {})).status).toBe(200)
    expect((await device.call('POST', '/api/collections/devices/auth-refresh')).status).toBe(200)
  })

  test('devices of a disabled user read no records that were cached a moment before', async () => {
    const device = await gateway.pair(user)
    const list = () => device.call('GET', '/api/collections/devices/records')
    expect((await list()).body.items).toHaveLength(1)
    await setDisabled(true)
    expect((await list()).body.items).toHaveLength(0)
    await setDisabled(false)
    expect((await list()).body.items).toHaveLength(1)
  })

  test.each(['/api/devices/events', '/api/mobile/v1/events'])(
    'devices of a disabled user lose their stream %s at once',
    async (route) => {
      const device = await gateway.pair(user)
      const stream = await openStream(gateway.url, device.token, route)
      const isOpen = () =>
        rows('select 1 from device_streams s join devices d on d.id = s.device where d."user" = $1')
      await expect.poll(isOpen).toHaveLength(1)
      await setDisabled(true)
      await stream.ended
    },
    10_000,
  )

  test('devices of a disabled user get no messages, even by a claim that has begun, and get them once the user is enabled', async () => {
    const device = await gateway.pair(user)
    expect(await sendWithKey(await makeKey())).toBe(200)
    const { store } = mailed.server.services
    const found = await findRecordByToken(store, device.token, 'auth')
    await setDisabled(true)
    expect(await claimMessages(store, requireDevice(found), 10, 120)).toEqual([])
    await setDisabled(false)
    expect((await device.call('POST', '/api/devices/claim', {})).body.items).toHaveLength(1)
  })

  test('devices of a disabled user cannot post incoming texts to their own address', async () => {
    const device = await gateway.pair(user)
    const [{ url }] = (await device.call('GET', '/api/mobile/v1/webhooks')).body
    const post = async () =>
      (await fetch(gateway.url + new URL(url).pathname, { method: 'POST', body: '{}' })).status
    expect(await post()).toBe(401)
    await setDisabled(true)
    expect(await post()).toBe(403)
  })

  test('devices of a disabled user cannot be paired with an earlier code', async () => {
    const { code } = (await user.call('POST', '/api/devices/pairing', { name: 'Phone' })).body
    await setDisabled(true)
    const pair = await gateway.guest.call('POST', '/api/devices/pair', { code, platform: 'other' })
    expect(pair).toMatchObject({ status: 400, body: { error: 'wrong_code' } })
  })
})

test.each([
  ['Europe/Berlin', 200],
  ['UTC', 200],
  ['', 200],
  ['Europe/Nowhere', 400],
  ['+01:00', 400],
])('a change of the time zone to %j is answered with %i', async (time_zone, status) => {
  expect((await saveSettings(user, {})).status).toBe(200)
  const answer = await saveSettings(user, { time_zone })
  expect(answer.status).toBe(status)
  if (status === 400)
    expect(answer.body.data).toMatchObject({ time_zone: { code: 'validation_invalid_time_zone' } })
})
