import { routePath } from 'hono/route'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { requireRole } from '../auth/route-roles.ts'
import { cachedIdentity, identify } from '../auth/tokens.ts'
import type { Catalog, Collection } from '../collections/catalog.ts'
import { ApiError, badRequest, notFound } from '../errors.ts'
import { pickFields } from '../records/pick.ts'
import { AnswerMeter, type AuthRecord, type RequestContext, type RequestInfo } from '../request/request.ts'
import { EMPTY, MAX_BODY_BYTES, readBody } from './body/body.ts'
import { bodyBytes } from './body/raw-body.ts'
import type { Ctx, RequestBody, Services } from './context.ts'
import { queryOf } from './query.ts'
import { SMALL_BYTES } from './request-memory.ts'
import { type Attempt, retry, withCatalog } from './retry.ts'
import { countAnswer, memoryOf } from './server/store-of.ts'

/** The body, read once a request; an absent one is `{}`. */
export async function bodyOf(c: Ctx, maxBytes = MAX_BODY_BYTES): Promise<RequestBody> {
  const known = c.get('body')
  if (known) return known
  const { incoming } = c.env
  if (bodyBytes(incoming) === 0) return EMPTY
  const limit = Math.min(maxBytes, c.get('guestLimit') ?? maxBytes)
  const body = await readBody(incoming, limit, () => memoryOf(c))
  c.set('body', body)
  return body
}

/** The body, read once a request. `sentence`: the message of the 400 for an unreadable one. */
export const bodyOr = (c: Ctx, sentence?: string, maxBytes?: number): Promise<RequestBody> =>
  bodyOf(c, maxBytes).catch((error: unknown) => {
    throw error instanceof ApiError && error.status === 400 ? badRequest(sentence) : error
  })

/** Headers as rules see them: first values, snake_case, without `host`, which Go's server removes. */
function ruleHeaders(c: Ctx): Record<string, string> {
  const { host: _, ...rest } = c.env.incoming.headersDistinct
  return Object.fromEntries(
    Object.entries(rest).map(([name, values]) => [name.replaceAll('-', '_'), values?.[0] ?? '']),
  )
}

/** The caller; `cached`: see records/fresh-auth. Throws 403 where a member may not use the route. */
export async function authenticate(c: Ctx, { store }: Services, cached: boolean) {
  const { authorization } = c.env.incoming.headers
  const known = cached && cachedIdentity(store.catalog, authorization)
  const auth = known || (await identify(store.signIn, authorization))
  if (auth?.limits) requireRole(auth, `${c.req.method.replace('HEAD', 'GET')} ${routePath(c)}`)
  return auth
}

/** The caller, perhaps from the cache. Checks no role, because the route is not known yet. */
export async function knownCaller(c: Ctx, { store }: Services): Promise<AuthRecord | null> {
  const { authorization } = c.env.incoming.headers
  const known = cachedIdentity(store.catalog, authorization)
  return known ?? withCatalog(store, () => identify(store.signIn, authorization))
}

/** The caller of a request whose work is not inside `retry`. Checks the role for the route. */
export const authOf = (c: Ctx, services: Services): Promise<AuthRecord | null> =>
  withCatalog(services.store, () => authenticate(c, services, false))

export function meterFor(c: Ctx, auth: AuthRecord | null): AnswerMeter {
  c.set('asker', auth)
  return new AnswerMeter(() => memoryOf(c), c.get('memory')?.answer)
}

/** Runs `work` for the caller, first as cached: see `retry`. `values`: the request's body, if read. */
export async function asCaller<T>(
  c: Ctx,
  services: Services,
  work: (request: RequestInfo, how: Attempt) => Promise<T>,
  options: { readonly isRead?: boolean; readonly values?: RequestBody['values'] } = {},
): Promise<T> {
  const { isRead = false, values = (await bodyOf(c)).values } = options
  return retry(
    services.store,
    (isCached) => authenticate(c, services, isCached),
    (auth, how) => work(buildRequest(c, auth, values, 'default', meterFor(c, auth)), how),
    { startsCached: true, isRead },
  )
}

/** The request as rules and filters see it. */
export function buildRequest(
  c: Ctx,
  auth: AuthRecord | null,
  body: Readonly<Record<string, unknown>>,
  context: RequestContext = 'default',
  meter?: AnswerMeter,
): RequestInfo {
  const { method } = c.req
  return { context, method, query: queryOf(c), body, auth, meter, headers: () => ruleHeaders(c) }
}

const JSON_HEADERS = { 'content-type': 'application/json' }

/** Longer texts are sent as bytes: Node writes strings through a buffer of three times the length. */
const LARGE = 8_192

/** Sends JSON. Throws RetryLater if memory has no room for a large answer to a GET. */
export function sendRaw(c: Ctx, text: string, status: ContentfulStatusCode = 200): Response {
  if (text.length <= LARGE) return c.body(text, status, JSON_HEADERS)
  const bytes = Buffer.from(text)
  if (bytes.length > SMALL_BYTES) countAnswer(c, bytes.length)
  return c.body(bytes, status, JSON_HEADERS)
}

/** Sends JSON after applying the `fields` parameter. */
export function sendJson(c: Ctx, text: string): Response {
  const { fields } = queryOf(c)
  return sendRaw(c, fields ? pickFields(text, fields) : text)
}

/** The collection of a route, by name or id. Throws 404 with `missing`. */
export function collectionOf(
  catalog: Catalog,
  nameOrId: string,
  missing = 'Missing collection context',
): Collection {
  const collection = catalog.find(nameOrId)
  if (!collection) throw notFound(missing)
  return collection
}

/** A collection with writable records. Throws 404 with `missing`, 400 for a view. */
export function writableCollection(catalog: Catalog, nameOrId: string, missing?: string): Collection {
  const collection = collectionOf(catalog, nameOrId, missing)
  if (collection.type === 'view') throw badRequest('Unsupported collection type')
  return collection
}
