import type { IncomingMessage } from 'node:http'
import { accountHolder } from '../../admission/ticket.ts'
import { networkOf } from '../../auth/limits/addresses.ts'
import type { AuthRecord } from '../../request/request.ts'
import type { Services } from '../context.ts'
import { ipOf } from './client-ip.ts'

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
