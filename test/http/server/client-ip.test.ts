import { addressOf } from '../../../src/http/server/client-ip.ts'
import { startServerWithMail } from '../../support/server/server-with-mail.ts'

const server = await startServerWithMail({ TRUSTED_PROXIES: '127.0.0.1,::1,10.0.0.0/8' })
const root = await server.superuser()

test.each([
  ['without a proxy: the connection', '', '127.0.0.1'],
  ['what the proxy saw', '203.0.113.7', '203.0.113.7'],
  ['what a client claims stands before that', '8.8.8.8, 203.0.113.7', '203.0.113.7'],
  ['however much it claims', '8.8.8.8, 9.9.9.9, 10.0.0.1, 203.0.113.7', '203.0.113.7'],
  ['two proxies of ours', '8.8.8.8, 203.0.113.7, 10.1.2.3', '203.0.113.7'],
  ['a client that claims to be a proxy', '10.9.9.9, 203.0.113.7', '203.0.113.7'],
  ['only proxies: the farthest', '10.1.2.3, 10.1.2.4', '10.1.2.3'],
  ['with a port', '8.8.8.8, 203.0.113.7:4711', '203.0.113.7'],
  ['IPv6', '2001:db8::7', '2001:db8::7'],
  ['IPv6 with a port', '8.8.8.8, [2001:db8::7]:4711', '2001:db8::7'],
  ['IPv4 as IPv6', '::ffff:203.0.113.7', '203.0.113.7'],
  ['what is no address ends what is believed', '8.8.8.8, unknown', '127.0.0.1'],
  ['behind a proxy of ours, too', '8.8.8.8, unknown, 10.1.2.3', '10.1.2.3'],
  ['an empty place', '8.8.8.8, ', '127.0.0.1'],
])('%s: %s', async (_, forwarded, ip) => {
  const headers = { ...root, ...(forwarded && { 'x-forwarded-for': forwarded }) }
  const { body } = await server.call('GET', '/api/health', undefined, headers)
  expect((body.data as { realIP: string }).realIP).toBe(ip)
})

test.each([
  ['none that anybody knows', {}, ''],
  ['one that the settings trust', { 'x-real-ip': '203.0.113.7' }, 'X-Real-IP'],
  ['one of a known proxy', { 'fly-client-ip': '203.0.113.7' }, 'Fly-Client-IP'],
  ['both', { 'x-real-ip': '203.0.113.7', 'cf-connecting-ip': '203.0.113.8' }, 'X-Real-IP'],
])('the header that a proxy may have set: %s', async (_, headers, name) => {
  await server.call('PATCH', '/api/settings', { trustedProxy: { headers: ['X-Real-IP'] } }, root)
  const { body } = await server.call('GET', '/api/health', undefined, { ...root, ...headers })
  await server.call('PATCH', '/api/settings', { trustedProxy: { headers: [] } }, root)
  expect((body.data as { possibleProxyHeader: string }).possibleProxyHeader).toBe(name)
})

test('a connection that is gone has no address', () => expect(addressOf(null)).toBe(''))
