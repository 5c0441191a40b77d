import { BlockList, isIP } from 'node:net'
import { memoize } from './lru.ts'

/** Whether an IP address is in a list of addresses and subnets (such as `10.0.0.0/8`). */
export function isIpListed(addresses: readonly string[], ip: string): boolean {
  const version = isIP(ip)
  if (version === 0) return false
  return readIpList(addresses).check(ip, version === 6 ? 'ipv6' : 'ipv4')
}

const readIpList = memoize((addresses: readonly string[]) => {
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
