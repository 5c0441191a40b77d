import PocketBase from 'pocketbase'
import { cleanUpSignIns } from '../../../src/engine/auth/delete-old-sign-ins.ts'
import { pairDevice } from '../../support/server/server-with-devices.ts'
import { PASSWORD, startServerWithMail } from '../../support/server/server-with-mail.ts'
import { SUPERUSER } from '../../support/server/start.ts'

// One-time passwords by text, asked for with PocketBase's own client, and read by a phone that claims.

const server = await startServerWithMail()
const { url, services } = server.server
const query = (text: string, ...params: unknown[]) => services.store.db.query(text, params)

const root = new PocketBase(url)
await root.collection('_superusers').authWithPassword(SUPERUSER.email, SUPERUSER.password)
const account = await server.addUser('sender@example.com')
const token = await server.signIn('users', 'sender@example.com', 'password1')
const call = async (method: string, path: string, body?: unknown) =>
  server.call(method, path, body, { authorization: token })
const phone = await pairDevice(url, { id: account, token, call }, { platform: 'simulator' })

const channel = { field: 'phone', account, text: '{OTP} opens {APP_NAME}.\n\n@example.com #{OTP}' }
const otp = { enabled: true, channel }
await root.collections.create({
  name: 'players',
  type: 'auth',
  fields: [
    { name: 'email', type: 'email', required: false },
    { name: 'phone', type: 'text' },
  ],
  indexes: ["create unique index idx_players_phone on players (phone) where phone != ''"],
  createRule: '',
  viewRule: '',
  updateRule: 'id = @request.auth.id',
  otp,
})

let count = 0
const password = 'password1'
const addPlayer = (values: object) =>
  root.collection('players').create({ password, passwordConfirm: password, ...values })
const newNumber = () => `+49151123456${10 + count++}`
const guest = () => new PocketBase(url).collection('players')
const codeIn = (body: string) => /\n@example\.com #(\d{8})$/.exec(body)?.[1] ?? ''
/** The texts that the phone has to send, which it reports as sent. */
async function texts(): Promise<{ id: string; to: string; body: string }[]> {
  const { items } = (await phone.call('POST', '/api/devices/claim', { limit: 50 })).body
  const sent = items.map(({ id, attempt }: { id: string; attempt: number }) => ({
    id,
    attempt,
    status: 'sent',
  }))
  if (sent.length > 0) await phone.call('POST', '/api/devices/report', { items: sent })
  return items
}
async function nextText() {
  await expect.poll(async () => (await query('select 1 from sms_dispatch')).count).toBe(1)
  return (await texts())[0]!
}
const isVoid = (otpId: string) =>
  expect.poll(async () => (await query('select 1 from "_otps" where id = $1', otpId)).count).toBe(0)

test('signs in with a texted code that is masked everywhere except on the phone', async () => {
  const number = newNumber()
  const { id } = await addPlayer({ email: 'ann@example.com', phone: number })
  const { otpId } = await guest().requestOTP('ann@example.com')
  const text = await nextText()
  const code = codeIn(text.body)
  expect(text).toMatchObject({
    to: number,
    body: `${code} opens pocketsms.\n\n@example.com #${code}`,
  })
  const shown = '•'.repeat(8)
  expect(
    (await query('select body, status, "user" from sms_messages where id = $1', text.id)).rows,
  ).toEqual([[`${shown} opens pocketsms.\n\n@example.com #${shown}`, 'sent', account]])
  const { record } = await guest().authWithOTP(otpId, code)
  // the text says nothing of the email, and the password is still the owner's
  expect(record).toMatchObject({ id, verified: false })
  await guest().authWithPassword('ann@example.com', password)
  expect(server.mail.mails).toEqual([])
})

test('signs in with a texted code as a person types it, or with its whole text', async () => {
  await addPlayer({ email: 'dora@example.com', phone: newNumber() })
  for (const type of [
    (code: string) => `${code.slice(0, 4)} ${code.slice(4)}`,
    (code: string) => `G-${code}`,
  ]) {
    const { otpId } = await guest().requestOTP('dora@example.com')
    const code = codeIn((await nextText()).body)
    await expect(guest().authWithOTP(otpId, `${code} 1`)).rejects.toMatchObject({ status: 400 })
    expect((await guest().authWithOTP(otpId, type(code))).record.email).toBe('dora@example.com')
    await query("delete from auth_tries where key like 'code %'")
  }
})

test("the text shows the app's name unchanged, even with `$&` in it", async () => {
  const { meta } = await root.settings.getAll()
  await root.settings.update({ meta: { ...meta, appName: "$& $1 $' Inc" } })
  await addPlayer({ email: 'dollar@example.com', phone: newNumber() })
  await guest().requestOTP('dollar@example.com')
  const { body } = await nextText()
  expect(body).toContain(` opens $& $1 $' Inc.`)
  await root.settings.update({ meta })
})

test('a phone number identifies only a record without an email, whose password then ends', async () => {
  const [number, other] = [newNumber(), newNumber()]
  const { id } = await addPlayer({ phone: number })
  await root.collections.update('players', { passwordAuth: { identityFields: ['phone'] } })
  await addPlayer({ email: 'bob@example.com', phone: other })
  for (const unknown of [other, '+4915199999999'])
    expect((await guest().requestOTP(unknown)).otpId).toMatch(/^[a-z0-9]{15}$/)
  const { otpId } = await guest().requestOTP(number)
  const { to, body } = await nextText()
  expect(to).toBe(number)
  await guest().authWithPassword(number, password)
  expect((await guest().authWithOTP(otpId, codeIn(body))).record).toMatchObject({
    id,
    verified: true,
  })
  await expect(guest().authWithPassword(number, password)).rejects.toMatchObject({ status: 400 })
  await root.collections.update('players', { passwordAuth: { identityFields: ['email'] } })
})

test("owners cannot change their number, and a superuser's change voids codes sent to the old one", async () => {
  const { id } = await addPlayer({ email: 'cleo@example.com', phone: newNumber() })
  const cleo = new PocketBase(url)
  await cleo.collection('players').authWithPassword('cleo@example.com', password)
  const phone = newNumber()
  const refused = cleo.collection('players').update(id, { phone })
  await expect(refused).rejects.toMatchObject({
    data: { data: { phone: { code: 'validation_values_mismatch' } } },
  })
  const { otpId } = await guest().requestOTP('cleo@example.com')
  const code = codeIn((await nextText()).body)
  await root.collection('players').update(id, { phone })
  await expect(guest().authWithOTP(otpId, code)).rejects.toMatchObject({ status: 400 })
})

test('a number gets five texts an hour, and further codes are void', async () => {
  const number = newNumber()
  await addPlayer({ email: 'dan@example.com', phone: number })
  for (let i = 0; i < 5; i++) {
    await guest().requestOTP('dan@example.com')
    await nextText()
  }
  await isVoid((await guest().requestOTP('dan@example.com')).otpId)
  expect(await texts()).toEqual([])
})

/** The collection of docs/sdk.md: guests make users with any number, and ask for their passwords. */
await root.collections.create({
  name: 'strangers',
  type: 'auth',
  createRule: '',
  fields: [
    { name: 'email', type: 'email', required: false },
    { name: 'phone', type: 'text', pattern: '^[+][1-9][0-9]+$' },
  ],
  indexes: ["create unique index idx_strangers_phone on strangers (phone) where phone != ''"],
  otp: { enabled: true, length: 6, channel },
})
const countTexts = async () =>
  Number((await query('select count(*) from sms_messages')).rows[0]![0])
/** A guest makes a user for each number and asks for a one-time password. Returns how many were texted. */
async function attack(numbers: readonly string[]): Promise<number> {
  const before = await countTexts()
  const asked: string[] = []
  for (const phone of numbers) {
    await server.post('/api/collections/strangers/records', {
      phone,
      password,
      passwordConfirm: password,
    })
    const { body } = await server.post('/api/collections/strangers/request-otp', { email: phone })
    asked.push(body.otpId)
  }
  // each password is texted, or void
  const valid = async () =>
    (await query('select 1 from "_otps" where id = any($1)', asked)).rows.length
  await expect.poll(async () => (await valid()) === (await countTexts()) - before).toBe(true)
  return (await countTexts()) - before
}
const bound = async (values: object) => {
  const { items } = (await call('GET', '/api/collections/user_settings/records')).body
  const path = `/api/collections/user_settings/records${items[0] ? `/${items[0].id}` : ''}`
  const saved = await call(items[0] ? 'PATCH' : 'POST', path, { user: account, ...values })
  expect(saved.status, JSON.stringify(saved.body)).toBe(200)
}
const forget = () => query(`delete from auth_tries where key like 'code %'`)

describe('a guest who requests codes for others', () => {
  beforeEach(async () => {
    await forget()
    await query('delete from sms_dispatch')
  })

  test('a guest who requests codes for others causes no text to satellite or premium numbers', async () => {
    const satellites = Array.from({ length: 12 }, (_, i) => `+88216${1_234_500 + i}`)
    expect(await attack([...satellites, '+881612345678', '+979123456789', '+19005551234'])).toBe(0)
  })

  test('a guest who requests codes for others causes no text to countries that are not allowed or are stopped', async () => {
    await bound({ code_destinations: '+49', code_stopped: '' })
    expect(await attack(['+43660123456', newNumber()])).toBe(1)
    await bound({ code_stopped: '+49' })
    expect(await attack([newNumber()])).toBe(0)
    await bound({ code_destinations: '', code_stopped: '' })
  })

  test('a guest who requests codes for others causes at most the texts allowed per network and per account', async () => {
    await bound({ code_max_per_network: 4 })
    expect(await attack(Array.from({ length: 7 }, newNumber))).toBe(4)
    await bound({ code_max_per_network: 0, code_max_per_account: 6 })
    expect(await attack(Array.from({ length: 4 }, newNumber))).toBe(2)
    await bound({ code_max_per_account: 0 })
  })

  test('a guest who requests codes for others causes at most the texts that a number may get from codes of all kinds together', async () => {
    const phone = newNumber()
    await addPlayer({ email: 'gus@example.com', phone })
    const hook = await call('POST', '/api/collections/hooks/records', {
      user: account,
      name: 'Login',
      preset: 'text',
      kind: 'codes',
      recipients_from: 'to',
    })
    const posted = () =>
      server.call('POST', `/api/hooks/${hook.body.secret}`, {
        to: phone,
        text: 'Your code is 471103',
      })
    expect((await posted()).body.outcome).toBe('sent')
    expect((await call('POST', '/api/verify', { to: phone })).status).toBe(200)
    await guest().requestOTP('gus@example.com')
    await expect.poll(async () => (await query('select 1 from sms_dispatch')).count).toBe(3)
    expect(await texts()).toHaveLength(3)
    for (const _ of [1, 2]) expect((await posted()).status).toBe(200)
    const { status, headers } = await posted()
    expect([status, Number(headers.get('retry-after')) > 3_000]).toEqual([429, true])
    expect((await call('POST', '/api/verify', { to: phone })).body.error).toBe(
      'number_limit_reached',
    )
    await isVoid((await guest().requestOTP('gus@example.com')).otpId)
    await texts()
  })
})

test('a record without a number gets its code by mail; without a phone a texted code is void', async () => {
  await addPlayer({ email: 'eve@example.com', phone: 'none' })
  await guest().requestOTP('eve@example.com')
  expect((await server.mail.next()).to).toBe('eve@example.com')
  await addPlayer({ email: 'fay@example.com', phone: newNumber() })
  await query('update devices set enabled = false')
  await isVoid((await guest().requestOTP('fay@example.com')).otpId)
  await query('update devices set enabled = true')
})

test.each([
  [{ ...channel, field: 'email' }, 'field'],
  [{ ...channel, field: 'gone' }, 'field'],
  [{ ...channel, account: '' }, 'account'],
  [{ ...channel, text: 'Hello' }, 'text'],
])('the channel %j is refused with an error at the field "%s"', async (wrong, at) => {
  const saved = root.collections.update('players', { otp: { channel: wrong } })
  await expect(saved).rejects.toMatchObject({
    data: { data: { otp: { channel: { [at]: { code: expect.any(String) } } } } },
  })
})

test('only a collection with a channel shows it and accepts numbers', async () => {
  const get = async () => (await root.collections.getOne('players')).otp
  expect(await get()).toMatchObject({ channel })
  await root.collections.update('players', { otp: { channel: null } })
  expect(Object.keys((await get()) as object)).toEqual([
    'enabled',
    'duration',
    'length',
    'emailTemplate',
  ])
  await expect(guest().requestOTP('+4915112345610')).rejects.toMatchObject({
    data: { data: { email: { code: 'validation_is_email' } } },
  })
})

await server.allowOtp()

let address: string
beforeEach(async () => {
  address = `otp${++count}@example.com`
  await server.addUser(address)
})

const request = async (email = address) =>
  String((await server.post('/api/collections/users/request-otp', { email })).body.otpId)
const enter = (otpId: string, password: string) =>
  server.post('/api/collections/users/auth-with-otp', { otpId, password })
const codeOf = (text: string) => /password is: (\d+)/.exec(text)?.[1] ?? ''

/** Asks for a code; resolves when its mail has come. */
async function requestCode(): Promise<{ otpId: string; code: string }> {
  const otpId = await request()
  const { to, text } = await server.mail.next()
  expect(to).toBe(address)
  return { otpId, code: codeOf(text) }
}

const INVALID = { data: {}, message: 'Invalid or expired OTP.', status: 400 }

test('a mailed code of eight digits signs a person in once', async () => {
  const { otpId, code } = await requestCode()
  expect(code).toMatch(/^\d{8}$/)
  expect((await enter(otpId, code)).status).toBe(200)
  expect((await enter(otpId, code)).body).toEqual(INVALID)
})

test('of two concurrent uses of a code one succeeds', async () => {
  const { otpId, code } = await requestCode()
  const statuses = (await Promise.all([enter(otpId, code), enter(otpId, code)])).map(
    ({ status }) => status,
  )
  expect(statuses.sort()).toEqual([200, 400])
})

test('an expired mfaId is refused and deleted', async () => {
  await server.change('users', { mfa: { enabled: true, duration: 600, rule: '' } })
  const form = { identity: address, password: PASSWORD }
  const { mfaId } = (await server.post('/api/collections/users/auth-with-password', form)).body
  await server.rows(`update "_mfas" set created = '2024-01-01 00:00:00.000Z' where id = $1`, mfaId)
  const { otpId, code } = await requestCode()
  const body = { otpId, password: code, mfaId }
  const { status, body: answer } = await server.post('/api/collections/users/auth-with-otp', body)
  expect([status, answer.message]).toEqual([400, 'Invalid or expired MFA session.'])
  expect((await server.rows('select 1 from "_mfas" where id = $1', mfaId)).length).toBe(0)
  await server.change('users', { mfa: { enabled: false, duration: 600, rule: '' } })
})

test('a code that could not be mailed is deleted', async () => {
  server.mail.refuses = true
  const otpId = await request()
  await expect
    .poll(async () => (await server.rows('select 1 from "_otps" where id = $1', otpId)).length)
    .toBe(0)
  server.mail.refuses = false
})

test('an expired code is refused and later deleted', async () => {
  const { otpId, code } = await requestCode()
  await server.rows(`update "_otps" set created = '2024-01-01 00:00:00.000Z' where id = $1`, otpId)
  expect((await enter(otpId, code)).body).toEqual(INVALID)
  await cleanUpSignIns(server.server.services.store)
  expect((await server.rows('select 1 from "_otps" where id = $1', otpId)).length).toBe(0)
})

test('after ten open codes the last one is reused', async () => {
  const ids = []
  for (let i = 0; i < 11; i++) ids.push(await request())
  expect([new Set(ids).size, ids[10]]).toEqual([10, ids[9]])
})
