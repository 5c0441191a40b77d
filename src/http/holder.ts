import { networkOf } from '../auth/addresses.ts'
import type { AuthRecord } from '../filter/request.ts'
import { clientIp } from './client-ip.ts'
import type { Ctx, Services } from './context.ts'

/**
 * Whose share of the server's totals a request takes: an account's, or of a guest the address', an IPv6 address
 * counted as its /64.
 */
export const holderOf = (c: Ctx, services: Services, auth: AuthRecord | null): string =>
  auth ? `${auth.collection.id} ${auth.id}` : ADDRESS + networkOf(clientIp(c, services))

const ADDRESS = 'address '

/** Whether a holder is the address of a guest, and no account. */
export const isAddress = (holder: string): boolean => holder.startsWith(ADDRESS)
