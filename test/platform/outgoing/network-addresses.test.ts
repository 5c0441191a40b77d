import type { NetworkInterfaceInfo } from 'node:os'
import { readSocketAddress } from '../../../src/http/server/client-address.ts'
import { listNetworkAddresses, listServerUrls } from '../../../src/platform/config.ts'
import { makeGuestHolder, toNetwork } from '../../../src/platform/limits/limit-holder.ts'
import { isIpListed } from '../../../src/platform/tools/ip-lists.ts'
import { startServerWithMail } from '../../support/server/server-with-mail.ts'

const info = (address: string, internal = false) =>
  ({ address, internal, family: address.includes(':') ? 'IPv6' : 'IPv4' }) as NetworkInterfaceInfo

test('reachable addresses are listed, IPv4 first', () => {
  const interfaces = {
    lo: [info('127.0.0.1', true)],
    wlan0: [info('2001:db8::20'), info('fe80::1'), info('192.168.1.20')],
    eth0: [info('169.254.7.7'), info('10.0.0.5')],
    docker0: [info('172.17.0.1')],
  }
  expect(listNetworkAddresses(interfaces)).toEqual(['192.168.1.20', '10.0.0.5', '2001:db8::20'])
})

test.each([
  ['127.0.0.1', ['http://127.0.0.1:8090']],
  ['::1', ['http://[::1]:8090']],
  ['0.0.0.0', ['http://192.168.1.20:8090', 'http://10.0.0.5:8090']],
  ['::', ['http://192.168.1.20:8090', 'http://10.0.0.5:8090', 'http://[2001:db8::20]:8090']],
])('a server on %s is reached at %j', (host, urls) => {
  expect(listServerUrls(host, 8090, ['192.168.1.20', '10.0.0.5', '2001:db8::20'])).toEqual(urls)
})

test('without a network the loopback address is listed', () => {
  expect(listServerUrls('0.0.0.0', 8090, [])).toEqual(['http://127.0.0.1:8090'])
})

test.each([
  ['IPv4', '203.0.113.7', '203.0.113.7'],
  ['IPv4 as IPv6', '::ffff:203.0.113.7', '203.0.113.7'],
  ['IPv6', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['another host of that network', '2001:DB8:1:2::ffff', '2001:db8:1:2::/64'],
  ['leading zeros', '2001:0db8:0001:0002::1', '2001:db8:1:2::/64'],
  ['short', '2001:db8::1', '2001:db8:0:0::/64'],
  ['this host', '::1', '0:0:0:0::/64'],
  ['an IPv4 tail', '64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
  ['with a zone', 'fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['none', '', ''],
])('%s (%s) is counted as "%s"', (_, ip, network) => expect(toNetwork(ip)).toBe(network))

test.each([
  ['IPv4', '203.0.113.7', 'network 203.0.113.0/24'],
  ['IPv6', '2001:db8:1:2ff::9', 'network 2001:db8:1:200::/56'],
  ['a short group', '2001:db8::1', 'network 2001:db8:0:00::/56'],
])("a guest's limits by %s %s count for the %s", (_, ip, holder) =>
  expect(makeGuestHolder(ip)).toBe(holder),
)

test.each([
  ['an address', ['10.0.0.1'], '10.0.0.1'],
  ['an address of a subnet', ['10.0.0.0/8'], '10.200.0.1'],
  ['an address of an IPv6 subnet', ['2001:db8::/32'], '2001:db8:ffff::1'],
])('%s is in the list $1: $2', (_, list, ip) => expect(isIpListed(list, ip)).toBe(true))

test.each([
  ['an address of another subnet', ['10.0.0.0/8'], '11.0.0.1'],
  ['a word', ['10.0.0.0/8'], 'ten'],
])('%s is not in the list $1: $2', (_, list, ip) => expect(isIpListed(list, ip)).toBe(false))

const server = await startServerWithMail({ TRUSTED_PROXIES: '127.0.0.1,::1,10.0.0.0/8' })
const root = await server.superuser()

test.each([
  ['without a proxy: the connection', '', '127.0.0.1'],
  ['set by the proxy', '203.0.113.7', '203.0.113.7'],
  ['with a forged address before it', '8.8.8.8, 203.0.113.7', '203.0.113.7'],
  ['however much it claims', '8.8.8.8, 9.9.9.9, 10.0.0.1, 203.0.113.7', '203.0.113.7'],
  ['through two trusted proxies', '8.8.8.8, 203.0.113.7, 10.1.2.3', '203.0.113.7'],
  ['from a client that pretends to be a proxy', '10.9.9.9, 203.0.113.7', '203.0.113.7'],
  ['only proxies: the farthest', '10.1.2.3, 10.1.2.4', '10.1.2.3'],
  ['with a port', '8.8.8.8, 203.0.113.7:4711', '203.0.113.7'],
  ['IPv6', '2001:db8::7', '2001:db8::7'],
  ['IPv6 with a port', '8.8.8.8, [2001:db8::7]:4711', '2001:db8::7'],
  ['IPv4 as IPv6', '::ffff:203.0.113.7', '203.0.113.7'],
  ['with an invalid address, which ends the trust', '8.8.8.8, unknown', '127.0.0.1'],
  ['with an invalid address before a trusted proxy', '8.8.8.8, unknown, 10.1.2.3', '10.1.2.3'],
  ['an empty place', '8.8.8.8, ', '127.0.0.1'],
])('the client\'s address by X-Forwarded-For, %s: "%s" gives %s', async (_, forwarded, ip) => {
  const headers = { ...root, ...(forwarded && { 'x-forwarded-for': forwarded }) }
  const { body } = await server.call('GET', '/api/health', undefined, headers)
  expect((body.data as { realIP: string }).realIP).toBe(ip)
})

test.each([
  ['no request has one', {}, ''],
  ['the settings trust it', { 'x-real-ip': '203.0.113.7' }, 'X-Real-IP'],
  ['a known proxy sends it', { 'fly-client-ip': '203.0.113.7' }, 'Fly-Client-IP'],
  [
    'a known proxy sends another, too',
    { 'x-real-ip': '203.0.113.7', 'cf-connecting-ip': '203.0.113.8' },
    'X-Real-IP',
  ],
])('/api/health names the proxy header "$2" to trust if %s', async (_, headers, name) => {
  await server.call('PATCH', '/api/settings', { trustedProxy: { headers: ['X-Real-IP'] } }, root)
  const { body } = await server.call('GET', '/api/health', undefined, { ...root, ...headers })
  await server.call('PATCH', '/api/settings', { trustedProxy: { headers: [] } }, root)
  expect((body.data as { possibleProxyHeader: string }).possibleProxyHeader).toBe(name)
})

test('a closed connection has no address', () => expect(readSocketAddress(null)).toBe(''))
