import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { admission } from '../platform/limits/shared-limits.ts'
import type { HasServices, Permission } from './allow-callers.ts'
import { readJsonBody } from './body/raw-body.ts'
import type { RouteBound } from './bounds.ts'
import { limitRequests } from './middleware/limit-requests.ts'
import {
  addIdempotencyHeader,
  describeOperation,
  type Operation,
} from './openapi/describe-operations.ts'
import type { DescribedRecords } from './openapi/document.ts'
import type { Ctx, Env, Services } from './request-context.ts'
import type { MaxBytes } from './route-limits.ts'
import { sendRaw } from './send-answer.ts'

/** A route: who may use it, how OpenAPI describes it, and what it does. */
export interface Row<Asking, Own extends Services> {
  readonly permission: Permission<Asking, Own>
  /** Null: OpenAPI does not have it. */
  readonly describe: Operation | ((records: DescribedRecords) => Operation) | null
  /**
   * Maximum bytes of a body, which the route reads. Above: 413. Without, the route reads no body, or at most
   * MAX_BODY_BYTES.
   */
  readonly maxBytes?: MaxBytes
  readonly bound: RouteBound
  /** The work waits for a place of heavy work, once its JSON body has arrived. */
  readonly heavy?: true
  /** The route repeats its first answer for an Idempotency-Key. Of other routes the header is not read. */
  readonly idempotent?: true
  /** The route takes no place and has no rate limit. */
  readonly unlimited?: true
  /** A GET that changes something: a HEAD is refused. */
  readonly changes?: true
  /** How JSON is sent. Default: as by the rows beside it. */
  readonly send?: typeof sendRaw
  /**
   * Gets the caller and, as `id`, the first path parameter. A returned object is sent as JSON, a returned
   * text is JSON already, and undefined sends an empty 204.
   */
  readonly run: (caller: Asking, c: Ctx, id: string) => unknown
}

/** A row that OpenAPI does not have, or that it describes for each collection. */
export const makeUndescribedRow = <Asking, Own extends Services>(
  permission: Permission<Asking, Own>,
  bound: RouteBound,
  run: Row<Asking, Own>['run'],
  send?: typeof sendRaw,
) => ({ permission, bound, describe: null, run, ...(send && { send }) })

/** Method and path. ALL: every other method. A path may end in `:name.json`: the value includes `.json`. */
type At = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'ALL'} /${string}`

/** A row without the type of its caller, which `permission` finds and `run` gets: no other code reads it. */
type AnyRow<Own extends Services> = Omit<Row<never, Own>, 'permission'> & {
  readonly permission: Permission<unknown, Own>
}

/** A row with its method, its path and the tag of its description. */
export interface Route<Own extends Services = Services> extends AnyRow<Own> {
  readonly at: At
  readonly tag: string
  readonly send: typeof sendRaw
}

type Rows<Callers, Own extends Services> = {
  readonly [Name in keyof Callers]: Row<Callers[Name], never>
} & Readonly<Record<At, AnyRow<Own>>>

/** Refuses a misspelt method. */
type NoOther<Callers> = Readonly<Record<Exclude<keyof Callers, At>, never>>

/** Makes routes from rows, named by method and path. An earlier one answers first. */
export const makeRoutes = <Callers extends Record<At, unknown>, Own extends Services>(
  tag: string,
  named: Rows<Callers, Own> & NoOther<Callers>,
  send = sendRaw,
): readonly Route<Own>[] =>
  Object.entries<AnyRow<Own>>(named).map(([at, row]) => ({ at: at as At, tag, send, ...row }))

const splitMethodPath = (at: At) => at.split(' ') as [method: string, path: string]

/** Runs heavy work in a place of the caller's account. A body that arrives slowly takes no place. */
const waitForHeavyPlace =
  (run: AnyRow<never>['run']): AnyRow<never>['run'] =>
  async (caller, c, id) => {
    await readJsonBody(c)
    const holder = c.env.incoming.findHolder(c.env.incoming.caller)
    return admission.heavyWork.run(holder, async () => run(caller, c, id))
  }

/** Adds the routes to an app. */
export function mountRoutes<Own extends Services>(
  routes: readonly Route<Own>[],
  services: Own,
): Hono<Env> {
  const app = new Hono<Env>()
  const withoutCaller: HasServices<Own> = { services }
  for (const row of routes) {
    const { at, permission, send } = row
    const run = row.heavy ? waitForHeavyPlace(row.run) : row.run
    const { withCaller } = permission
    const [method, path] = splitMethodPath(at)
    const first = /:(\w+)/.exec(path)?.[1]
    const work = withCaller
      ? (c: Ctx, id: string) => withCaller(c, services, (caller) => run(caller as never, c, id))
      : // routes of records: makes no function and no object for a request
        (c: Ctx, id: string) => run(withoutCaller as never, c, id)
    const answer = async (c: Ctx) => {
      const made = await work(c, first === undefined ? '' : (c.req.param(first) ?? ''))
      if (made instanceof Response || made === RESPONSE_ALREADY_SENT) return made as Response
      if (made === undefined) return c.body(null, 204)
      return send(c, typeof made === 'string' ? made : JSON.stringify(made))
    }
    const handle = row.unlimited ? answer : (c: Ctx) => limitRequests(c, services, row, answer)
    app.on(method, path.replace(/:(\w+)\.json$/, ':$1{[^/]+\\.json}'), handle)
  }
  return app
}

export const findChangingGets = (routes: readonly Route<never>[]): string[] =>
  routes.flatMap(({ at, changes }) => (changes ? [splitMethodPath(at)[1]] : []))

export function describeRoutes(routes: readonly Route<never>[], records: DescribedRecords) {
  const paths: ZodOpenApiPathsObject = {}
  for (const { at, tag, permission, describe, idempotent } of routes) {
    const operation = typeof describe === 'function' ? describe(records) : describe
    if (operation)
      describeOperation(
        paths,
        at.replaceAll(/:(\w+)(?:\{.*?\})?/g, '{$1}'),
        tag,
        permission.security,
        idempotent ? addIdempotencyHeader(operation) : operation,
      )
  }
  return paths
}
