import { Hono } from 'hono'
import { routePath } from 'hono/route'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { cachedIdentity, identify, tokenOf } from '../engine/auth/tokens.ts'
import type { Catalog, Store } from '../engine/collections/catalog.ts'
import type { Collection } from '../engine/collections/collection.ts'
import { answerRecord } from '../engine/records/list.ts'
import { pickFields } from '../engine/records/pick.ts'
import { toRow } from '../engine/records/record-sql.ts'
import { AnswerMeter } from '../engine/request/answer-limit.ts'
import type { AuthRecord, RequestContext, RequestInfo } from '../engine/request/request.ts'
import { badRequest, notFound } from '../platform/errors.ts'
import { bodyOf } from './body/body.ts'
import type { Ctx, Env, RequestBody, Services } from './context.ts'
import { queryOf } from './query.ts'
import { SMALL_BYTES } from './request-memory.ts'
import { requireRole } from './required-role.ts'
import { type Attempt, retry, withCatalog } from './retry.ts'
import { countAnswer, memoryOf } from './server/caller.ts'

/** Headers as API rules see them: first values, names in snake_case and, as in Go, without `host`. */
function ruleHeaders(c: Ctx): Record<string, string> {
  const { host: _, ...rest } = c.env.incoming.headersDistinct
  return Object.fromEntries(
    Object.entries(rest).map(([name, values]) => [name.replaceAll('-', '_'), values?.[0] ?? '']),
  )
}

/**
 * Returns the caller, or null for a guest. If `cached`, the caller may be outdated. Throws 403 if the
 * caller's role forbids the route.
 */
export async function authenticate(c: Ctx, { store, rights }: Services, cached: boolean) {
  const { authorization } = c.env.incoming.headers
  const known = cached && cachedIdentity(store.catalog, authorization)
  const auth = known || (await identify(store.signIn, authorization))
  if (auth?.limits) requireRole(auth, `${c.req.method.replace('HEAD', 'GET')} ${routePath(c)}`, rights)
  return auth
}

/** The caller, maybe from the cache; null for a guest. Checks no role: the route is not known yet. */
export async function knownCaller(c: Ctx, { store }: Services): Promise<AuthRecord | null> {
  const { authorization } = c.env.incoming.headers
  const known = cachedIdentity(store.catalog, authorization)
  return known ?? withCatalog(store, () => identify(store.signIn, authorization))
}

/**
 * The caller from the database, for work outside of `retry`; null for a guest. 403 if its role is too low.
 */
export const authOf = (c: Ctx, services: Services): Promise<AuthRecord | null> =>
  withCatalog(services.store, () => authenticate(c, services, false))

export function meterFor(c: Ctx, auth: AuthRecord | null): AnswerMeter {
  c.set('asker', auth)
  return new AnswerMeter(() => memoryOf(c), c.get('memory')?.answer)
}

/**
 * Runs `work` for the cached caller and, if that is outdated, again for the caller from the database (see
 * `retry`). `values`: the body, if already read.
 */
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

export const ownToken = (c: Ctx): string => tokenOf(c.env.incoming.headers.authorization)

export const ownRecord = (c: Ctx, store: Store, auth: AuthRecord): Promise<string> =>
  answerRecord(
    store,
    auth.collection,
    toRow(auth.collection, auth.values),
    buildRequest(c, auth, {}, 'default', meterFor(c, auth)),
  )

const JSON_HEADERS = { 'content-type': 'application/json' }

/** Longer texts are sent as bytes: Node writes a string through a buffer of three times its length. */
const LARGE = 8_192

/** Sends JSON. Throws RetryLater if memory has no room for a large answer to a GET. */
export function sendRaw(c: Ctx, text: string, status: ContentfulStatusCode = 200): Response {
  if (text.length <= LARGE) return c.body(text, status, JSON_HEADERS)
  const bytes = Buffer.from(text)
  if (bytes.length > SMALL_BYTES) countAnswer(c, bytes.length)
  return c.body(bytes, status, JSON_HEADERS)
}

export const sendValue = (c: Ctx, value: object): Response => sendRaw(c, JSON.stringify(value))

type Work<T> = (caller: T, c: Ctx, id: string) => unknown

/**
 * Makes routes from functions, which get the caller and, as `id`, the first path parameter. A returned object
 * is sent as JSON, a returned text is JSON already, and undefined sends an empty 204.
 */
export function routesFor<T>(
  identify: (c: Ctx) => Promise<T>,
  routes: Readonly<Record<string, Work<T>>>,
  send: (c: Ctx, json: string) => Response = sendRaw,
): Hono<Env> {
  const app = new Hono<Env>()
  for (const [route, work] of Object.entries(routes)) {
    const [method, path] = route.split(' ') as [string, string]
    app.on(method, path, async (c) => {
      const made = await work(await identify(c), c, String(Object.values(c.req.param())[0] ?? ''))
      if (made instanceof Response) return made
      if (made === undefined) return c.body(null, 204)
      return send(c, typeof made === 'string' ? made : JSON.stringify(made))
    })
  }
  return app
}

/** Sends JSON after applying the `fields` parameter. */
export function sendJson(c: Ctx, text: string): Response {
  const { fields } = queryOf(c)
  return sendRaw(c, fields ? pickFields(text, fields) : text)
}

/** Finds a collection by name or id. Throws 404 with the message `missing`. */
export function collectionOf(
  catalog: Catalog,
  nameOrId: string,
  missing = 'Missing collection context',
): Collection {
  const collection = catalog.find(nameOrId)
  if (!collection) throw notFound(missing)
  return collection
}

/** Finds a collection whose records can be written. Throws 404 with the message `missing`, 400 for a view. */
export function writableCollection(catalog: Catalog, nameOrId: string, missing?: string): Collection {
  const collection = collectionOf(catalog, nameOrId, missing)
  if (collection.type === 'view') throw badRequest('Unsupported collection type')
  return collection
}
