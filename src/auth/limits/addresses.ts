import { BlockList, isIP } from 'node:net'
import { memoize } from '../../tools/memoize.ts'

/** Whether an address is in a list of addresses and subnets (`10.0.0.0/8`). */
export function isListed(addresses: readonly string[], ip: string): boolean {
  const version = isIP(ip)
  if (version === 0) return false
  return listOf(addresses).check(ip, version === 6 ? 'ipv6' : 'ipv4')
}

const listOf = memoize((addresses: readonly string[]) => {
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
})

/** 16-bit groups of an IPv6 network prefix. A network's owner has all its addresses. */
const NETWORK_GROUPS = 4

/** The unit that limits count: the /64 of an IPv6 address, otherwise the address. */
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
