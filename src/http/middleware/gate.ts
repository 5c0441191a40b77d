import type { MiddlewareHandler } from 'hono'
import { admission } from '../../admission/admission.ts'
import type { Holder } from '../../admission/holder.ts'
import { isListed } from '../../auth/limits/addresses.ts'
import { checkAddress } from '../../auth/sign-in/sign-in.ts'
import { badRequest, RetryLater } from '../../errors.ts'
import type { AuthRecord } from '../../request/request.ts'
import { hasBody, isSmall, type LimitedIncomingMessage, mayExceedSmall } from '../body/bytes.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { knownCaller } from '../request-info.ts'
import { answerLateBody } from '../server/client-error.ts'
import { clientIp } from '../server/client-ip.ts'
import { callerOf, holderOf } from '../server/store-of.ts'
import { judgeSender } from './guest-body.ts'
import { findRule, RateLimiter } from './rate-limit.ts'
import { rateLimitLabels } from './rate-limit-actions.ts'

/** Time for a body up to 64 KiB to arrive; large ones have Node's requestTimeout. */
const SMALL_BODY_MS = 10_000

/** The rate limiter of each server in this process. */
const limiters = new WeakMap<Services, RateLimiter>()

/** Admits a request and checks superusers' addresses (403) and rate limits (429). Contract 8.1, 8.3 */
export const gate =
  (services: Services): MiddlewareHandler<Env> =>
  async (c, next) => {
    c.set('services', services)
    const { incoming } = c.env
    // the holder before authentication: the account if its credentials are cached
    const leave = await takePlace(c, holderOf(incoming, services, callerOf(services, incoming)))
    c.set('leaveRequest', leave)
    try {
      const { superuserIPs, rateLimits } = services.settings.current
      if (superuserIPs.length > 0 || rateLimits.enabled) {
        const auth = await knownCaller(c, services)
        const ip = clientIp(c, services)
        checkAddress(services, auth, ip)
        checkRate(services, auth, ip, c.req.method, c.req.path)
      }
      if (mayExceedSmall(incoming)) await workLarge(c, services, next)
      else await next()
    } finally {
      leave()
    }
  }

/**
 * Takes a request's place until its answer is made. Waits for a small body first: requests still arriving
 * and requests with large bodies, which are read while they work, have places of their own. Throws 429, 503.
 */
export async function takePlace(c: Ctx, holder: Holder): Promise<() => void> {
  const { incoming } = c.env
  if (!isSmall(incoming)) return admission.bodies.enter(holder)
  if (hasBody(incoming)) await arrival(c, holder)
  return admission.requests.enter(holder)
}

/** Waits for a small body. A late one is answered with 408. */
async function arrival(c: Ctx, holder: Holder): Promise<void> {
  const incoming = c.env.incoming as LimitedIncomingMessage
  await Promise.resolve() // the body came with the head
  if (incoming.isWhole) return
  const leave = await admission.bodies.enter(holder)
  const late = setTimeout(() => answerLateBody(incoming.socket), SMALL_BODY_MS)
  await incoming.arrival()
  clearTimeout(late)
  leave()
  if (!incoming.isWhole) throw badRequest() // the connection is closed: no client reads this
}

/** Identifies the caller before a large body is read. The body is released when the answer is made. */
async function workLarge(c: Ctx, services: Services, next: () => Promise<void>): Promise<void> {
  await judgeSender(c, services)
  try {
    await next()
  } finally {
    c.get('memory')?.leaveBody()
    await c.get('body')?.release?.()
  }
}

/** Throws 429 if the limits do not allow this request, which may be one part of a batch. */
export function checkRate(
  services: Services,
  auth: AuthRecord | null,
  ip: string,
  method: string,
  path: string,
): void {
  const { rateLimits } = services.settings.current
  if (!rateLimits.enabled || auth?.isSuperuser || isListed(rateLimits.excludedIPs, ip)) return
  const limiter = limiters.get(services) ?? new RateLimiter()
  limiters.set(services, limiter)
  const labels = rateLimitLabels(method, path, (name) => services.store.catalog.find(name))
  const subject = { ip, isSignedIn: auth !== null, ...labels }
  if (limiter.allows(rateLimits, subject)) return
  throw new RetryLater(429, findRule(rateLimits.rules, subject)?.duration ?? 1)
}
