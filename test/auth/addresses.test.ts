import { guestHolder, networkOf } from '../../src/admission/holder.ts'
import { isListed } from '../../src/auth/limits/addresses.ts'

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
])('%s is counted as its network: %s', (_, ip, network) => expect(networkOf(ip)).toBe(network))

test.each([
  ['IPv4', '203.0.113.7', 'network 203.0.113.0/24'],
  ['IPv6', '2001:db8:1:2ff::9', 'network 2001:db8:1:200::/56'],
  ['a short group', '2001:db8::1', 'network 2001:db8:0:00::/56'],
])('a guest holds what a network may: %s', (_, ip, holder) => expect(guestHolder(ip)).toBe(holder))

test.each([
  ['an address', ['10.0.0.1'], '10.0.0.1', true],
  ['a subnet', ['10.0.0.0/8'], '10.200.0.1', true],
  ['outside of it', ['10.0.0.0/8'], '11.0.0.1', false],
  ['IPv6 subnet', ['2001:db8::/32'], '2001:db8:ffff::1', true],
  ['no address', ['10.0.0.0/8'], 'ten', false],
])('%s is listed or not', (_, list, ip, listed) => expect(isListed(list, ip)).toBe(listed))
