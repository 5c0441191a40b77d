import { routePath } from 'hono/route'
import { readHeaderToken } from '../engine/auth/tokens.ts'
import type { Store } from '../engine/collections/catalog.ts'
import { toRow } from '../engine/records/record-row.ts'
import { answerRecord } from '../engine/records/view.ts'
import { AnswerMeter } from '../engine/request/answer-limit.ts'
import type { AuthRecord, RequestContext, RequestInfo } from '../engine/request/request.ts'
import { findCachedCaller, type Identity, identifyCaller } from './identify-caller.ts'
import { readRequestQuery } from './query.ts'
import type { Ctx, Services } from './request-context.ts'
import { requireRole } from './required-role.ts'
import { withCatalog } from './retry-request.ts'
import { findRequestMemory } from './server/client-address.ts'

/** Headers as API rules see them: first values, names in snake_case and, as in Go, without `host`. */
function readRuleHeaders(c: Ctx): Record<string, string> {
  const { host: _, ...rest } = c.env.incoming.headersDistinct
  return Object.fromEntries(
    Object.entries(rest).map(([name, values]) => [name.replaceAll('-', '_'), values?.[0] ?? '']),
  )
}

/**
 * Who asks, as the permission of the route says; null for a guest. If `cached`, the caller may be outdated.
 * Throws 403 if the caller's role forbids the route.
 */
export async function identify(
  c: Ctx,
  services: Services,
  cached: boolean,
): Promise<Identity | null> {
  const found = await identifyCaller(c, services, cached)
  if (found?.auth.limits) {
    const route = `${c.req.method.replace('HEAD', 'GET')} ${routePath(c)}`
    requireRole(found.auth, route, services.rights)
  }
  return found
}

/** The record of `identify`. */
export const authenticate = async (
  c: Ctx,
  services: Services,
  cached: boolean,
): Promise<AuthRecord | null> => (await identify(c, services, cached))?.auth ?? null

/** The caller, maybe from the cache; null for a guest. Checks no role: limits do not have the route yet. */
export async function identifyKnownCaller(c: Ctx, services: Services): Promise<AuthRecord | null> {
  const known = findCachedCaller(services, c.env.incoming)
  if (known) {
    c.set('asker', known)
    return known
  }
  return (await withCatalog(services.store, () => identifyCaller(c, services, true)))?.auth ?? null
}

/**
 * The caller from the database, outside of `retryRequest`; null for a guest. 403 if its role is too low.
 */
export const authenticateUncached = (c: Ctx, services: Services): Promise<AuthRecord | null> =>
  withCatalog(services.store, () => authenticate(c, services, false))

export function makeAnswerMeter(c: Ctx, auth: AuthRecord | null): AnswerMeter {
  c.set('asker', auth)
  return new AnswerMeter(() => findRequestMemory(c), c.get('memory')?.answer)
}

export function buildRequest(
  c: Ctx,
  auth: AuthRecord | null,
  body: Readonly<Record<string, unknown>>,
  context: RequestContext = 'default',
  meter?: AnswerMeter,
): RequestInfo {
  const { method } = c.req
  return {
    context,
    method,
    query: readRequestQuery(c),
    body,
    auth,
    meter,
    headers: () => readRuleHeaders(c),
  }
}

export const readOwnToken = (c: Ctx): string =>
  readHeaderToken(c.env.incoming.headers.authorization)

export const answerOwnRecord = (c: Ctx, store: Store, auth: AuthRecord): Promise<string> =>
  answerRecord(
    store,
    auth.collection,
    toRow(auth.collection, auth.values),
    buildRequest(c, auth, {}, 'default', makeAnswerMeter(c, auth)),
  )
