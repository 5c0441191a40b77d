import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { identify } from '../auth/identify.ts'
import type { Backups } from '../backup/service/backups.ts'
import type { CatalogStore } from '../collections/catalog-store.ts'
import type { SettingsStore } from '../collections/settings-store.ts'
import type { Config } from '../config.ts'
import { lateRequest } from '../filter/late-request.ts'
import type { AuthRecord, RequestContext, RequestInfo } from '../filter/request.ts'
import type { Job } from '../jobs.ts'
import type { Logger } from '../log.ts'
import type { RequestLog } from '../logs/request-log.ts'
import type { Traffic } from '../metrics/traffic.ts'
import type { Realtime } from '../realtime/hub.ts'
import type { Extensions } from '../records/extension.ts'
import { pickFields } from '../records/pick.ts'
import type { Hold } from './answer-room.ts'
import { MAX_BODY_BYTES, type RequestBody, readBody } from './body.ts'
import { withCatalog } from './fresh-catalog.ts'
import { COUNTED_BYTES, countAnswer, meterFor } from './large-answer.ts'
import { readQuery } from './query.ts'
import { requestClient } from './request-client.ts'

/** What the routes work with: made once in `server.ts`. */
export interface Services {
  readonly store: CatalogStore
  /** What superusers may set while the server runs. */
  readonly settings: SettingsStore
  readonly config: Config
  readonly log: Logger
  /** Requests to look up. */
  readonly logs: RequestLog
  readonly extensions: Extensions
  readonly jobs: readonly Job[]
  readonly backups: Backups
  readonly realtime: Realtime
  readonly traffic: Traffic
  /** Aborts when the server is told to stop: it is not ready for more. */
  readonly stopping: AbortSignal
  /** Aborts when it begins to: waiting claims end then. */
  readonly closing: AbortSignal
  /** Aborts when all other requests are done: streams end then. */
  readonly ending: AbortSignal
}

/** What Hono's context has in it for each request. */
export type Env = {
  Bindings: HttpBindings
  Variables: {
    query?: Record<string, string>
    body?: RequestBody
    leave?: () => void
    /** Bytes that a guest's body may have. */
    guestLimit?: number
    services?: Services
    /** For whom an answer is made. */
    asker?: AuthRecord | null
    /** What a large answer takes in memory. */
    hold?: Hold
    /** Whose share of the server's totals a large body takes; undefined for superusers, whose are not counted. */
    holder?: string
  }
}
export type Ctx = Context<Env>

/** The query's first values, read once a request. */
export function queryOf(c: Ctx): Record<string, string> {
  const known = c.get('query')
  if (known) return known
  const query = readQuery(c.env.incoming.url ?? '')
  c.set('query', query)
  return query
}

/** The body, read once a request. */
export async function bodyOf(c: Ctx, maxBytes = MAX_BODY_BYTES): Promise<RequestBody> {
  const known = c.get('body')
  if (known) return known
  const limit = Math.min(maxBytes, c.get('guestLimit') ?? maxBytes)
  const body = await readBody(c.env.incoming, limit, c.get('holder'))
  if (body.release) releaseAfter(c, body.release)
  if (body.leave) c.set('leave', body.leave)
  c.set('body', body)
  return body
}

/** A client that is gone gets no answer, and its connection will not say that it closes. */
function releaseAfter({ env: { outgoing } }: Ctx, release: () => Promise<void>): void {
  if (outgoing.closed) void release()
  else outgoing.once('close', () => void release())
}

/** Headers as rules see them: first values, snake_case, without `host`, which Go's server takes away. */
function ruleHeaders(c: Ctx): Record<string, string> {
  const { host: _, ...rest } = c.env.incoming.headersDistinct
  return Object.fromEntries(
    Object.entries(rest).map(([name, values]) => [name.replaceAll('-', '_'), values?.[0] ?? '']),
  )
}

/** Who asks, read from the database now; with `cached`, perhaps from memory (see records/guard). */
export function authOf(
  c: Ctx,
  services: Services,
  options?: { cached?: boolean },
): Promise<AuthRecord | null> {
  const { store } = services
  return withCatalog(store, () => identify(store, c.env.incoming.headers.authorization, options))
}

/**
 * The request as rules and filters see it. Reads the body first: PocketBase does so on every record route, so
 * that a GET with a broken body is a 400.
 */
export async function requestInfo(
  c: Ctx,
  services: Services,
  options: { context?: RequestContext; cached?: boolean } = {},
): Promise<RequestInfo> {
  const { values } = await bodyOf(c)
  const auth = await authOf(c, services, options)
  const limits = { meter: meterFor(c, services, auth), client: requestClient(c, services, auth) }
  return buildRequest(c, auth, values, options.context, limits)
}

/** The same from parts already at hand. Headers are only read when a rule asks for them. */
export function buildRequest(
  c: Ctx,
  auth: AuthRecord | null,
  body: Readonly<Record<string, unknown>>,
  context: RequestContext = 'default',
  limits: Pick<RequestInfo, 'meter' | 'client'> = {},
): RequestInfo {
  const parts = { context, method: c.req.method, query: queryOf(c), body, auth, ...limits }
  return lateRequest(parts, () => ruleHeaders(c))
}

/** The same of a request that only reads and whose body does not matter. */
export const readingRequest = (c: Ctx, services: Services, auth: AuthRecord | null): RequestInfo =>
  buildRequest(c, auth, {}, 'default', { client: requestClient(c, services, auth) })

const JSON_HEADERS = { 'content-type': 'application/json' }

/**
 * Given a string, Node measures it, then writes it by way of a buffer three times as long: 3 % of the work on a page of 30. For a
 * large one malloc has no memory at hand, and asking for new costs a list of 500 records up to half of its rate.
 */
const LARGE = 8_192

/**
 * Sends JSON text as it is, with the line end that PocketBase puts there. Empty text stays empty. Throws LargeAnswer when
 * there is no room for a large answer to a GET.
 */
export function sendRaw(c: Ctx, text: string, status: ContentfulStatusCode = 200): Response {
  const line = text && `${text}\n`
  if (line.length <= LARGE) return c.body(line, status, JSON_HEADERS)
  const bytes = Buffer.from(line)
  if (bytes.length > COUNTED_BYTES) countAnswer(c, bytes.length)
  return c.body(bytes, status, JSON_HEADERS)
}

/** Sends JSON text after the `fields` parameter picked from it, as on every successful answer of PocketBase. */
export function sendJson(c: Ctx, text: string, status: ContentfulStatusCode = 200): Response {
  const { fields } = queryOf(c)
  return sendRaw(c, fields ? pickFields(text, fields) : text, status)
}
