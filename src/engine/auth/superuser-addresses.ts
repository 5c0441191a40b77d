import { forbidden } from '../../platform/api-errors.ts'
import { isIpListed } from '../../platform/tools/ip-lists.ts'
import type { AuthRecord } from '../request/request.ts'
import type { AuthServices } from './auth-services.ts'

/** False only for a superuser at an IP address that the settings do not allow. */
export function isAddressAllowed(
  { settings }: AuthServices,
  auth: AuthRecord | null,
  ip: string,
): boolean {
  const { superuserIPs } = settings.current
  return !auth?.isSuperuser || superuserIPs.length === 0 || isIpListed(superuserIPs, ip)
}

export function checkAddress(services: AuthServices, auth: AuthRecord | null, ip: string): void {
  if (!isAddressAllowed(services, auth, ip)) throw forbidden()
}
