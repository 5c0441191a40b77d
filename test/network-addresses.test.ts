import type { NetworkInterfaceInfo } from 'node:os'
import { networkAddresses, serverUrls } from '../src/config.ts'

const info = (address: string, internal = false) =>
  ({ address, internal, family: address.includes(':') ? 'IPv6' : 'IPv4' }) as NetworkInterfaceInfo

test('addresses that a phone can reach, IPv4 first', () => {
  const interfaces = {
    lo: [info('127.0.0.1', true)],
    wlan0: [info('2001:db8::20'), info('fe80::1'), info('192.168.1.20')],
    eth0: [info('169.254.7.7'), info('10.0.0.5')],
    docker0: [info('172.17.0.1')],
  }
  expect(networkAddresses(interfaces)).toEqual(['192.168.1.20', '10.0.0.5', '2001:db8::20'])
})

test.each([
  ['127.0.0.1', ['http://127.0.0.1:8090']],
  ['::1', ['http://[::1]:8090']],
  ['0.0.0.0', ['http://192.168.1.20:8090', 'http://10.0.0.5:8090']],
  ['::', ['http://192.168.1.20:8090', 'http://10.0.0.5:8090', 'http://[2001:db8::20]:8090']],
])('a server on %s is reached at %j', (host, urls) => {
  expect(serverUrls(host, 8090, ['192.168.1.20', '10.0.0.5', '2001:db8::20'])).toEqual(urls)
})

test('without a network there is loopback', () => {
  expect(serverUrls('0.0.0.0', 8090, [])).toEqual(['http://127.0.0.1:8090'])
})
