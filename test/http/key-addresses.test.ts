import { request } from '../support/server/request.ts'
import { must } from '../support/server/server-with-devices.ts'
import { startMailServer } from '../support/services/mail-server.ts'
import { startCallersFixture } from './callers-fixture.ts'

// API keys that may be used at some addresses only. The test is the trusted proxy.

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
    (await must(user, 'GET', `/api/collections/account_audit/records?sort=ip`)).items
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
