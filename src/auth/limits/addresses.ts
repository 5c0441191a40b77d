import { BlockList, isIP } from 'node:net'

const lists = new WeakMap<readonly string[], BlockList>()

/** Whether an address is one of these addresses and subnets (`10.0.0.0/8`). */
export function isListed(addresses: readonly string[], ip: string): boolean {
  const version = isIP(ip)
  if (version === 0) return false
  const list = lists.get(addresses) ?? makeList(addresses)
  lists.set(addresses, list)
  return list.check(ip, version === 6 ? 'ipv6' : 'ipv4')
}

function makeList(addresses: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of addresses) {
    const [address = '', bits] = entry.split('/')
    const version = isIP(address)
    if (version === 0) continue
    const family = version === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

/** Of an IPv6 address, so much is its network's; who has one network has all of its addresses. */
const NETWORK_GROUPS = 4

/**
 * What an address is counted as: an IPv6 address as its /64, since each host has a whole one to choose from;
 * an IPv4 address that is written as IPv6, and anything else, as it is.
 */
export function networkOf(ip: string): string {
  const plain = ip.replace(/^::ffff:(?=\d+\.)/i, '')
  if (isIP(plain) !== 6) return plain
  const [head = '', tail] = plain.split('%', 1)[0]!.toLowerCase().split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length - (tail.includes('.') ? 1 : 0)
  const groups = [...first, ...Array<string>(Math.max(0, zeros)).fill('0'), ...last]
  return `${groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
