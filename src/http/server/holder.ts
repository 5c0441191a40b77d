import type { IncomingMessage } from 'node:http'
import { accountHolder } from '../../admission/ticket.ts'
import { networkOf } from '../../auth/limits/addresses.ts'
import { cachedKeyHolder } from '../../auth/tokens/api-keys.ts'
import { cachedIdentity } from '../../auth/tokens/identify.ts'
import type { AuthRecord } from '../../request/request.ts'
import type { Services } from '../context.ts'
import { ipOf } from './client-ip.ts'
import { keyIn } from './protocol-of.ts'

const ADDRESS = 'address '

/**
 * The key of who pays for the work of a request: an account, or the network of a guest (an IPv4 address, the
 * /64 of an IPv6 address). All limits, quotas and shares of a process use it, so that one client cannot count
 * as two.
 */
export const holderOf = (
  incoming: IncomingMessage,
  services: Pick<Services, 'config' | 'settings'>,
  auth: AuthRecord | null | undefined,
): string =>
  auth ? accountHolder(auth.collection.id, auth.id) : ADDRESS + networkOf(ipOf(incoming, services))

/** The authenticated caller, if its credentials are in the cache. */
export function callerOf(
  services: Pick<Services, 'store' | 'protocols'>,
  { headers }: IncomingMessage,
): AuthRecord | undefined {
  const { catalog } = services.store
  const key = headers['x-api-key'] ?? keyIn(services, headers.authorization ?? '')
  return key ? cachedKeyHolder(catalog, String(key)) : cachedIdentity(catalog, headers.authorization)
}

/** The same before the caller was authenticated: its account if its credentials are in the cache. */
export const knownHolderOf = (
  incoming: IncomingMessage,
  services: Pick<Services, 'config' | 'settings' | 'store' | 'protocols'>,
): string => holderOf(incoming, services, callerOf(services, incoming))
