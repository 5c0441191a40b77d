import type { MiddlewareHandler } from 'hono'
import { isListed } from '../../auth/limits/addresses.ts'
import { checkAddress } from '../../auth/sign-in/sign-in.ts'
import { RetryLater } from '../../errors.ts'
import type { AuthRecord } from '../../request/request.ts'
import { mayExceedSmall } from '../body/bytes.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { authOf } from '../request-info.ts'
import { clientIp } from '../server/client-ip.ts'
import { judgeSender } from './guest-body.ts'
import { findRule, RateLimiter } from './rate-limit.ts'
import { rateLimitLabels } from './rate-limit-actions.ts'

/** One gate for each server: what it has counted hangs on its services. */
const limiters = new WeakMap<Services, RateLimiter>()

/**
 * What every request must pass if the settings say so: superusers come only from their addresses (403),
 * nobody asks more often than the rate limits allow (429). Both are off by default and then cost nothing.
 * Contract 8.1, 8.3 The room that a large body takes is free again when its answer is known, not when the
 * client has read it.
 */
export const gate =
  (services: Services): MiddlewareHandler<Env> =>
  (c, next) => {
    c.set('services', services)
    const { superuserIPs, rateLimits } = services.settings.current
    const work = mayExceedSmall(c.env.incoming) ? () => workLarge(c, services, next) : next
    if (superuserIPs.length === 0 && !rateLimits.enabled) return work()
    return pass(c, services).then(work)
  }

/** Who sends a large body is known before it is read. */
async function workLarge(c: Ctx, services: Services, next: () => Promise<void>): Promise<void> {
  await judgeSender(c, services)
  await next().finally(() => c.get('leave')?.())
}

async function pass(c: Ctx, services: Services): Promise<void> {
  const auth = await authOf(c, services, { cached: true })
  const ip = clientIp(c, services)
  checkAddress(services, auth, ip)
  checkRate(services, auth, ip, c.req.method, c.req.path)
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
