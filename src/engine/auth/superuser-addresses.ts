import { BlockList, isIP } from 'node:net'
import { forbidden } from '../../platform/api-errors.ts'
import { memoize } from '../../platform/tools/lru.ts'
import type { AuthRecord } from '../request/request.ts'
import type { AuthServices } from './auth-services.ts'

/** False only for a superuser at an IP address that the settings do not allow. */
export function isAddressAllowed(
  { settings }: AuthServices,
  auth: AuthRecord | null,
  ip: string,
): boolean {
  const { superuserIPs } = settings.current
  return !auth?.isSuperuser || superuserIPs.length === 0 || isListed(superuserIPs, ip)
}

export function checkAddress(services: AuthServices, auth: AuthRecord | null, ip: string): void {
  if (!isAddressAllowed(services, auth, ip)) throw forbidden()
}

/** Whether an IP address is in a list of addresses and subnets (such as `10.0.0.0/8`). */
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
