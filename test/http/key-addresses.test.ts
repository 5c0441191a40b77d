import { createHmac } from 'node:crypto'
import { request } from '../support/server/request.ts'
import { makeUser, must } from '../support/server/server-with-devices.ts'
import { startMailServer } from '../support/services/mail-server.ts'
import { startCallersFixture } from './callers-fixture.ts'

// Keys, devices and members that may be used at some addresses only. The test is the trusted proxy.

const fixture = await startCallersFixture({ TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' })
const { server, user, key, keys, ways, send } = fixture
const mail = await startMailServer()
await server.server.services.settings.save({
  smtp: { enabled: true, host: '127.0.0.1', port: mail.port },
})

const records = '/api/collections/api_keys/records'
const bind = async (addresses: string) => {
  for (const id of keys) await must(user, 'PATCH', `${records}/${id}`, { addresses })
}
const from = (forwarded: string) => ({ 'x-forwarded-for': forwarded })
const sendFrom = (forwarded: string) =>
  request(
    server.url,
    'POST',
    '/api/sms/send',
    { recipients: ['+4915112345678'], body: 'Hi' },
    { 'x-api-key': key, ...from(forwarded) },
  )
const REFUSAL = {
  error: 'forbidden',
  message: 'This API key may not be used from this address (addresses)',
}

test.each<[addresses: string, forwarded: string, isAllowed: boolean]>([
  ['', '198.51.100.1', true],
  ['203.0.113.7', '203.0.113.7', true],
  ['203.0.113.7', '203.0.113.8', false],
  ['203.0.113.0/24', '203.0.113.255', true],
  ['203.0.113.0/24', '203.0.114.0', false],
  ['198.51.100.1, 203.0.113.0/24', '203.0.113.9', true],
  ['203.0.113.0/24', '::ffff:203.0.113.7', true],
  ['203.0.113.0/24', '::ffff:cb00:7107', true],
  ['203.0.113.0/24', '::ffff:cb00:7207', false],
  ['::ffff:203.0.113.0/120', '203.0.113.7', true],
  ['::FFFF:203.0.113.7', '203.0.113.7', true],
  ['2001:DB8::/32', '2001:db8:1::7', true],
  ['2001:db8::/32', '[2001:db8:1::7]:4711', true],
  ['2001:db8::/32', '2001:db9::7', false],
  ['0.0.0.0/0', '2001:db8::7', false],
  ['::/0', '2001:db8::7', true],
  ['203.0.113.0/24', '203.0.113.7, 198.51.100.1', false],
  ['203.0.113.0/24', '198.51.100.1, 203.0.113.7', true],
  ['203.0.113.0/24', '203.0.113.7, 10.1.2.3', true],
  ['203.0.113.0/24', '203.0.113.7, unknown', false],
  ['203.0.113.0/24', '203.0.113.7, 198.51.100.1, 10.1.2.3', false],
])('a key for %j used by %j is accepted: %j', async (addresses, forwarded, isAllowed) => {
  await bind(addresses)
  const { status, body } = await sendFrom(forwarded)
  expect(status).toBe(isAllowed ? 200 : 403)
  if (!isAllowed) expect(body).toEqual(REFUSAL)
})

test.each([
  '203.0.113.0/33',
  '203.0.113',
  'example.com',
  'fe80::1%eth0',
  '1.2.3.4,,5.6.7.8',
  '::/129',
])('a key for %j is not stored', async (addresses) => {
  const made = await user.call('POST', records, { user: user.id, name: 'k', addresses })
  expect([made.status, made.body.data?.addresses?.code]).toEqual([
    400,
    'validation_invalid_addresses',
  ])
})

test('a changed list applies to the next request, in both directions', async () => {
  await bind('')
  expect((await sendFrom('198.51.100.1')).status).toBe(200)
  await bind('203.0.113.0/24')
  expect((await sendFrom('198.51.100.1')).status).toBe(403)
  await bind('198.51.100.0/24')
  expect((await sendFrom('198.51.100.1')).status).toBe(200)
})

const byKey = ways.filter(({ name }) => !/by token|device/.test(name))
test.each(byKey.map((way) => [way.name, way] as const))(
  'a key is refused at an address that it excludes: %s',
  async (name, way) => {
    for (const bytes of [10, 70_000]) {
      await bind('203.0.113.0/24')
      const inside = await send(way, { ...way.headers, ...from('203.0.113.7') }, bytes)
      const refused = await send(way, { ...way.headers, ...from('198.51.100.7') }, bytes)
      expect(inside.text).not.toContain('(addresses)')
      // Twilio's API answers each missing permission with 401
      expect(refused.status).toBe(name.startsWith('Twilio') ? 401 : 403)
      expect(refused.text).toContain('(addresses)')
    }
  },
)

test('a hook is refused at an address that it excludes, also when a service checks it', async () => {
  const hook = await must(user, 'POST', '/api/collections/hooks/records', {
    ...{ user: user.id, name: 'Alarm', preset: 'text', recipients: ['+4915112345678'] },
    addresses: ' 203.0.113.0/24 ',
  })
  expect(hook.addresses).toBe('203.0.113.0/24')
  const path = `/api/hooks/${hook.secret}`
  const call = (ip: string) => request(server.url, 'POST', path, 'Fire', from(ip))
  expect((await call('203.0.113.7')).status).toBe(200)
  expect((await call('198.51.100.7')).status).toBe(403)
  const check = await request(
    server.url,
    'GET',
    `${path}?challenge=x`,
    undefined,
    from('198.51.100.7'),
  )
  expect(check.status).toBe(403)
})

test('refused uses are audited once for each network, and mailed to the owner once', async () => {
  await server.query('delete from account_audit')
  await server.query('delete from auth_tries')
  const made = await must(user, 'POST', records, {
    ...{ user: user.id, name: 'Shop', addresses: '203.0.113.7' },
  })
  await server.query('update users set verified = true where id = $1', [user.id])
  const use = (ip: string) =>
    request(server.url, 'GET', '/api/sms/usage', undefined, { 'x-api-key': made.key, ...from(ip) })
  for (const ip of ['192.0.2.1', '192.0.2.1', '192.0.2.2']) expect((await use(ip)).status).toBe(403)
  const listEntries = async () =>
    (
      await must(
        user,
        'GET',
        `/api/collections/account_audit/records?sort=ip&filter=(action='refused')`,
      )
    ).items
  await expect.poll(listEntries).toMatchObject(
    ['192.0.2.1', '192.0.2.2'].map((ip) => ({
      ...{ action: 'refused', collection: 'api_keys', record: made.id, fields: ['addresses'] },
      ...{ ip, sender: '' },
    })),
  )
  expect((await mail.next()).subject).toBe('Shop is refused at another address')
  expect(mail.mails).toHaveLength(1)
  const [{ last_used_at: lastUse }] = (await must(user, 'GET', `${records}?filter=(name='Shop')`))
    .items
  expect(lastUse).toBe('')
})

/** Statuses of a call from an address inside 203.0.113.0/24, and from one outside. */
const callFromBoth = async (path: string, token: string, body?: object) => {
  const method = body ? 'POST' : 'GET'
  const [inside, outside] = await Promise.all(
    ['203.0.113.7', '198.51.100.7'].map((ip) =>
      request(server.url, method, path, body, { authorization: token, ...from(ip) }),
    ),
  )
  return { inside: inside!.status, outside: outside!.status, message: outside!.body?.message }
}
const listRefusals = async (collection: string) =>
  (
    await must(
      user,
      'GET',
      `/api/collections/account_audit/records?filter=(collection='${collection}'%26%26action='refused')`,
    )
  ).items

test('a device is refused at an address that it excludes, from its next request on', async () => {
  const phone = await server.pair(user)
  const claim = () => callFromBoth('/api/devices/claim', phone.token, { limit: 1 })
  expect(await claim()).toMatchObject({ inside: 200, outside: 200 })
  const path = `/api/collections/devices/records/${phone.id}`
  await must(user, 'PATCH', path, { addresses: '203.0.113.0/24' })
  const message = 'This device may not be used from this address (addresses)'
  for (let i = 0; i < 2; i++) expect(await claim()).toEqual({ inside: 200, outside: 403, message })
  await expect
    .poll(() => listRefusals('devices'))
    .toMatchObject([{ record: phone.id, ip: '198.51.100.7' }])
  await must(user, 'PATCH', path, { addresses: '' })
  expect(await claim()).toMatchObject({ inside: 200, outside: 200 })
})

test('a member may not act at an address that the membership excludes, nor change that', async () => {
  const ben = await makeUser(server.url, server.superuser)
  const membership = { account: user.id, member: ben.id, role: 'viewer' }
  const { id } = await must(
    server.superuser,
    'POST',
    '/api/collections/members/records',
    membership,
  )
  const { token } = await must(ben, 'POST', '/api/account/act-for', { account: user.id })
  const read = () => callFromBoth('/api/account/me', token)
  expect(await read()).toMatchObject({ inside: 200, outside: 200 })
  const path = `/api/collections/members/records/${id}`
  await must(user, 'PATCH', path, { addresses: '203.0.113.0/24' })
  const message = 'You may not act for this account from this address (addresses)'
  expect(await read()).toEqual({ inside: 200, outside: 403, message })
  const again = await callFromBoth('/api/account/act-for', ben.token, { account: user.id })
  expect(again).toEqual({ inside: 200, outside: 403, message })
  expect(await callFromBoth('/api/account/me', ben.token)).toMatchObject({ outside: 200 })
  await expect.poll(() => listRefusals('members')).toMatchObject([{ record: id }])
  expect((await ben.call('PATCH', path, { addresses: '' })).status).toBe(404)
  expect(await read()).toMatchObject({ inside: 200, outside: 403 })
})

test('an admin who acts for the account may not change where the own membership applies', async () => {
  const eve = await makeUser(server.url, server.superuser)
  const [own, other] = await Promise.all(
    [eve, await makeUser(server.url, server.superuser)].map(({ id }) =>
      must(server.superuser, 'POST', '/api/collections/members/records', {
        ...{ account: user.id, member: id, role: 'admin', addresses: '203.0.113.0/24' },
      }),
    ),
  )
  const { body } = await request(
    server.url,
    'POST',
    '/api/account/act-for',
    { account: user.id },
    { authorization: eve.token, ...from('203.0.113.7') },
  )
  const change = (id: string, values: object) =>
    request(server.url, 'PATCH', `/api/collections/members/records/${id}`, values, {
      authorization: body.token,
      ...from('203.0.113.7'),
    })
  for (const addresses of ['', '0.0.0.0/0', '203.0.113.0/24,198.51.100.7'])
    expect((await change(own!.id, { addresses })).status).toBe(403)
  expect((await change(other!.id, { addresses: '' })).status).toBe(200)
})

test('a token for files opens no file at an address that the device excludes', async () => {
  const phone = await server.pair(user)
  const lines = '/api/collections/lines/records'
  const { items } = await must(user, 'GET', `${lines}?filter=(device='${phone.id}')`)
  await must(user, 'PATCH', `${lines}/${items[0].id}`, { mms: 'on' })
  const form = new FormData()
  for (const [name, value] of Object.entries({ recipients: '+4915112345678', body: 'Look' }))
    form.set(name, value)
  form.set('device_id', phone.id)
  form.set('attachments', new Blob(['secret']), 'plan.txt')
  const sent = await request(server.url, 'POST', '/api/sms/send', form, {
    authorization: user.token,
  })
  const [id] = sent.body.message_ids
  const { attachments } = await must(user, 'GET', `/api/collections/sms_messages/records/${id}`)
  await must(user, 'PATCH', `/api/collections/devices/records/${phone.id}`, {
    addresses: '203.0.113.0/24',
  })
  const { body } = await request(server.url, 'POST', '/api/files/token', undefined, {
    authorization: phone.token,
    ...from('203.0.113.7'),
  })
  const path = `/api/files/sms_messages/${id}/${attachments[0]}?token=${body.token}`
  const read = (ip: string) => request(server.url, 'GET', path, undefined, from(ip))
  expect((await read('203.0.113.7')).text).toBe('secret')
  expect((await read('198.51.100.7')).status).toBe(404)
})

test("an app's signed post is refused at an address that its device excludes", async () => {
  const phone = await server.pair(user)
  const mobile = '/api/mobile/v1'
  const inside = { authorization: `Bearer ${phone.token}`, ...from('203.0.113.7') }
  const read = (path: string) => request(server.url, 'GET', mobile + path, undefined, inside)
  const path = (await read('/webhooks')).body[0].url.replace(/.*\/incoming\//, '')
  const { signing_key } = (await read('/settings')).body.webhooks
  await must(user, 'PATCH', `/api/collections/devices/records/${phone.id}`, {
    addresses: '203.0.113.0/24',
  })
  const post = (ip: string) => {
    const payload = { sender: '+4917010000001', message: ip, receivedAt: new Date().toISOString() }
    const body = JSON.stringify({ id: ip, event: 'sms:received', payload })
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signature = createHmac('sha256', signing_key)
      .update(body + timestamp)
      .digest('hex')
    return request(server.url, 'POST', `${mobile}/incoming/${path}`, body, {
      ...{ 'x-timestamp': timestamp, 'x-signature': signature },
      ...from(ip),
    })
  }
  expect((await post('198.51.100.7')).status).toBe(403)
  expect((await post('203.0.113.7')).status).toBe(204)
  const { items } = await must(
    user,
    'GET',
    `/api/collections/sms_messages/records?filter=(device='${phone.id}'%26%26message_type='incoming')`,
  )
  expect(items).toMatchObject([{ body: '203.0.113.7' }])
})
