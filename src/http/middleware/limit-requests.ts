import { checkAddress } from '../../engine/auth/superuser-addresses.ts'
import { requireSuperuserFactor } from '../../engine/auth/superuser-factor.ts'
import type { Collection } from '../../engine/collections/collection.ts'
import { findMaxBodyBytes } from '../../engine/fields/field-types.ts'
import { DEFAULT_MAX_CHARACTERS } from '../../engine/fields/scalar-types.ts'
import type { AuthRecord } from '../../engine/request/request.ts'
import { badRequest, tooManyTries } from '../../platform/api-errors.ts'
import type { Holder } from '../../platform/limits/limit-holder.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import { isIpListed } from '../../platform/tools/ip-lists.ts'
import { memoize } from '../../platform/tools/lru.ts'
import { NO_CALLER, retryRequest } from '../attempt.ts'
import { BodyTooLarge } from '../body/raw-body.ts'
import { SMALL_BYTES } from '../limit-request-memory.ts'
import type { Ctx, Services } from '../request-context.ts'
import { GUEST_BODY_BYTES, MAX_BODY_BYTES, type RouteLimits } from '../route-limits.ts'
import type { ServedRequest } from '../served-request.ts'
import { answerLateBody } from '../server/raw-http-errors.ts'
import { findRule, listRateLimitLabels, RateLimiter } from './rate-limiter.ts'

/** Time for a body up to 64 KiB to arrive, else 408. Larger bodies have Node's requestTimeout. */
const SMALL_BODY_MS = 10_000

const limiterOf = memoize((_: Services) => new RateLimiter())

/**
 * Calls `answer` in a place of concurrent requests. Checks superusers' addresses and second factors (403) and
 * rate limits (429) before. `row`: that of the request's route, which says where the caller's credentials
 * are; undefined for a path without a row. Contract 8.1, 8.3
 */
export async function limitRequests<T>(
  c: Ctx,
  services: Services,
  row: RouteLimits | undefined,
  answer: (c: Ctx) => Promise<T>,
): Promise<T> {
  const request = c.env.incoming
  request.row = row
  request.path = c.req.path
  const { bodyLength } = request
  // the request counts for the account if its credentials are cached, else for the client's network
  const holder = request.known?.auth.holder ?? request.network
  if (bodyLength > 0) await Promise.resolve() // a body that came with the head is then read
  const isWhole = bodyLength === 0 || (bodyLength <= SMALL_BYTES && request.isWhole)
  const atOnce = isWhole ? admission.requests.tryEnter(holder) : undefined
  const leave = atOnce ?? (await waitForPlace(request, holder))
  request.leavePlace = leave
  try {
    const { superuserIPs, rateLimits } = services.settings.current
    const needsFactor = services.config.superuserSecondFactor
    if (superuserIPs.length > 0 || rateLimits.enabled || needsFactor) {
      const auth = await identifyKnownCaller(request)
      checkAddress(services, auth, request.ip)
      checkRate(services, auth, request.ip, c.req.method, c.req.path)
      await requireSuperuserFactor(services, auth, c.req.path)
    }
    // a route with a limit of its own refuses a larger body in its own words
    const hasUsualLimit = (row?.maxBytes ?? MAX_BODY_BYTES) === MAX_BODY_BYTES
    if (hasUsualLimit && bodyLength > MAX_BODY_BYTES && bodyLength < Infinity)
      throw new BodyTooLarge()
    return await (request.mayBeLarge ? workOnLargeBody(c, services, answer) : answer(c))
  } finally {
    leave()
  }
}

/**
 * Waits until a small body has arrived and another request of the holder may run. Returns a function that
 * ends the request. Throws 400, 429, 503.
 */
async function waitForPlace(request: ServedRequest, holder: Holder): Promise<() => void> {
  const bytes = request.bodyLength
  if (bytes > SMALL_BYTES) return admission.bodies.enter(holder)
  if (bytes > 0 && !request.isWhole) {
    const leave = await admission.bodies.enter(holder)
    const late = setTimeout(() => answerLateBody(request.socket), SMALL_BODY_MS)
    await request.arrival()
    clearTimeout(late)
    leave()
    if (!request.isWhole) throw badRequest() // the connection is closed: no client reads this
  }
  return admission.requests.enter(holder)
}

/** The caller, maybe from the cache; null for a guest. Checks no role, which the route does. */
export async function identifyKnownCaller(request: ServedRequest): Promise<AuthRecord | null> {
  const { known } = request
  if (known) {
    request.caller = known.auth
    return known.auth
  }
  const found = await retryRequest(request.services.store, NO_CALLER, () => request.identify(true))
  return found?.auth ?? null
}

/**
 * Runs a route with a large body: identifies the caller before it reads the body, frees the body at the end.
 */
async function workOnLargeBody<T>(
  c: Ctx,
  services: Services,
  answer: (c: Ctx) => Promise<T>,
): Promise<T> {
  const request = c.env.incoming
  // a guest's body has a lower limit
  const auth = await identifyKnownCaller(request)
  if (!auth) request.guestLimit = findGuestBodyLimit(c, services)
  try {
    return await answer(c)
  } finally {
    request.leaveBodyMemory()
    await request.body?.release?.()
  }
}

/** Throws 429 if a request, or one request of a batch, exceeds the rate limits of the settings. */
export function checkRate(
  services: Services,
  auth: AuthRecord | null,
  ip: string,
  method: string,
  path: string,
): void {
  const { rateLimits } = services.settings.current
  if (!rateLimits.enabled || auth?.isSuperuser || isIpListed(rateLimits.excludedIPs, ip)) return
  const labels = listRateLimitLabels(method, path, (name) => services.store.catalog.find(name))
  const subject = { ip, isSignedIn: auth !== null, ...labels }
  if (limiterOf(services).allows(rateLimits, subject)) return
  throw tooManyTries(findRule(rateLimits.rules, subject)?.duration ?? 1)
}

/** When a guest creates or updates a record, the body may have these bytes plus the maximum of each field. */
const GUEST_RECORD_BYTES = 1 << 20

const CHARACTER_BYTES = 6

const RECORDS = /^\/api\/collections\/([^/]+)\/records(?:\/[^/]+)?$/

function findGuestBodyLimit(c: Ctx, services: Services): number {
  const { catalog } = services.store
  if (c.req.path === '/api/batch') {
    return Math.max(
      ...catalog.all.map((one) => computeGuestLimit(one, one.createRule, one.updateRule)),
      GUEST_BODY_BYTES,
    )
  }
  const collection = catalog.find(RECORDS.exec(c.req.path)?.[1] ?? '')
  if (!collection) return GUEST_BODY_BYTES
  return computeGuestLimit(
    collection,
    c.req.method === 'POST' ? collection.createRule : collection.updateRule,
  )
}

function computeGuestLimit(collection: Collection, ...rules: readonly (string | null)[]): number {
  if (collection.type === 'view' || !rules.some(admitsGuests)) return GUEST_BODY_BYTES
  return collection.fields.reduce(
    (sum, field) => sum + estimateFieldBytes(field),
    GUEST_RECORD_BYTES,
  )
}

/** Whether an API rule may admit guests. A rule with `@request.auth` is assumed not to. */
const admitsGuests = (rule: string | null) => rule !== null && !rule.includes('@request.auth')

const estimateFieldBytes = (field: Collection['fields'][number]) =>
  field.type === 'text'
    ? (field.max || DEFAULT_MAX_CHARACTERS) * CHARACTER_BYTES
    : findMaxBodyBytes(field)
