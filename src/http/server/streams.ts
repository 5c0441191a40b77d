import { isListed } from '../../auth/limits/addresses.ts'
import { RetryLater } from '../../errors.ts'
import { KeyedCounter } from '../../tools/keyed-counter.ts'
import type { Ctx, Services } from '../context.ts'
import { clientIp } from './client-ip.ts'
import { holderOf } from './holder.ts'

/** What is open on a server, by who holds it. */
const open = new WeakMap<Services, KeyedCounter>()
const RETRY_SECONDS = 60

/**
 * Counts the event stream that is about to open, or the claim that is about to wait, until its answer ends,
 * for the client's address and, where there is one, for a user. One of our own proxies that does not tell for
 * whom it asks is nobody's address. Throws 429 when there are MAX_STREAMS of them already. Who has hung up
 * meanwhile closes nothing any more, and is not counted.
 */
export function limitOpenStreams(c: Ctx, services: Services, user?: string, what = 'event streams'): void {
  const { maxStreams, trustedProxies } = services.config
  if (maxStreams === 0 || c.env.outgoing.closed) return
  const isProxy = isListed(trustedProxies, clientIp(c, services))
  const network = holderOf(c.env.incoming, services, null)
  if (!isProxy) hold(c, services, network, `${what} from your address`)
  if (user !== undefined) hold(c, services, `user ${user}`, `${what} of your account`)
}

function hold(c: Ctx, services: Services, holder: string, what: string): void {
  const holdings = open.get(services) ?? new KeyedCounter()
  open.set(services, holdings)
  const leave = holdings.take(holder, services.config.maxStreams)
  if (!leave) throw new RetryLater(429, RETRY_SECONDS, `Too many ${what} are open`)
  c.env.outgoing.once('close', leave)
}
