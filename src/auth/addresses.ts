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
