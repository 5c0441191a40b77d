import { isListed, networkOf } from '../auth/addresses.ts'
import { TooMany } from '../errors.ts'
import { clientIp } from './client-ip.ts'
import type { Ctx, Services } from './context.ts'

/** What is open on a server, by who holds it. */
const open = new WeakMap<Services, Map<string, number>>()
const RETRY_SECONDS = 60

/**
 * Counts the event stream that is about to open, until it closes, for the client's address and, where there is one, for a
 * user. One of our own proxies that does not tell for whom it asks is nobody's address. Throws 429 when there are
 * MAX_STREAMS of them already. Who has hung up meanwhile closes nothing any more, and is not counted.
 */
export function holdStream(c: Ctx, services: Services, user?: string): void {
  const { maxStreams, trustedProxies } = services.config
  if (maxStreams === 0 || c.env.outgoing.closed) return
  const ip = clientIp(c, services)
  if (!isListed(trustedProxies, ip)) hold(c, services, `address ${networkOf(ip)}`, 'from your address')
  if (user !== undefined) hold(c, services, `user ${user}`, 'of your account')
}

function hold(c: Ctx, services: Services, key: string, whose: string): void {
  const counts = open.get(services) ?? new Map<string, number>()
  open.set(services, counts)
  const count = counts.get(key) ?? 0
  if (count >= services.config.maxStreams)
    throw new TooMany(429, RETRY_SECONDS, `Too many event streams ${whose} are open`)
  counts.set(key, count + 1)
  c.env.outgoing.once('close', () => {
    const left = counts.get(key)! - 1
    if (left > 0) counts.set(key, left)
    else counts.delete(key)
  })
}
