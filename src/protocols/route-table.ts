import type { Hono } from 'hono'
import { z } from 'zod'
import { sendRaw } from '../http/answer.ts'
import type { Ctx, Env } from '../http/context.ts'
import type { Answers } from '../http/openapi/answers.ts'
import { chapter, type Operation, texts } from '../http/openapi/operations.ts'
import type { Security } from '../http/openapi/security.ts'
import { FILE, json } from '../http/openapi/success-answers.ts'

/** A route of another product's API, with its description. `C`: the argument of `work`. */
export interface TableRoute<C> {
  /** Method and path below the root: `GET /messages/{id}`. */
  readonly at: string
  /** The OpenAPI operation id. Default: made from method and path. */
  readonly id?: string
  readonly summary: string
  /** Default: `summary`. */
  readonly description?: string
  /** Names of the query parameters. `form`: those of a form in the body. */
  readonly query?: readonly string[]
  readonly form?: readonly string[]
  readonly header?: z.ZodObject
  readonly body?: z.ZodType
  readonly answer?: readonly [
    status: 200 | 201 | 202 | 204 | 501,
    description: string,
    schema?: z.ZodType,
    headers?: z.ZodObject,
  ]
  /** The schema of error bodies. Default: any. */
  readonly error?: z.ZodType
  /** The answer is a file, which `work` sends. */
  readonly isFile?: boolean
  /** The answer is plain text, which `work` sends. */
  readonly isText?: boolean
  /** Handles a call. The result is sent as JSON, unless it is a Response. */
  readonly work: (call: C) => Promise<unknown>
}

/** Adds routes. `enter` identifies the caller and calls `work`. Returns the paths in Hono's syntax. */
export function addRoutes<C, R extends TableRoute<C>>(
  app: Hono<Env>,
  root: string,
  routes: readonly R[],
  enter: (c: Ctx, route: R, work: (call: C) => Promise<Response>) => Promise<Response>,
): string[] {
  return routes.map((route) => {
    const [method, path] = route.at.split(' ') as [string, string]
    const routed = routedPath(root + path)
    const status = route.answer?.[0] ?? 200
    const answer = (c: Ctx, result: unknown) =>
      status === 204 ? c.body(null, 204) : sendRaw(c, JSON.stringify(result), status)
    app.on(method, routed, (c) =>
      enter(c, route, async (call) => {
        const result = await route.work(call)
        return result instanceof Response ? result : answer(c, result)
      }),
    )
    return routed
  })
}

/** A path in Hono's syntax. If it ends in `{Sid}.json`, the value of `Sid` includes `.json`. */
const routedPath = (path: string) =>
  path.replace(/\{(\w+)\}\.json$/, ':$1{[^/]+\\.json}').replace(/\{(\w+)\}/g, ':$1')

/** The OpenAPI response of a route. Without a schema, the answer is as the other product documents it. */
const answered = (
  [status, description, schema = z.unknown(), headers]: NonNullable<TableRoute<never>['answer']>,
  isText = false,
): Answers => ({
  [status]: {
    description,
    ...(status !== 204 && { content: isText ? plain(schema) : json(schema) }),
    ...(headers && { headers }),
  },
})

const plain = (schema: z.ZodType) => ({ 'text/plain': { schema } })

const FAILURES: Readonly<Record<number, string>> = {
  400: 'Something in the request cannot be honoured: the sentence names it.',
  401: 'The credentials are missing or wrong.',
  402: 'The monthly quota is exceeded.',
  403: 'The API key or token lacks the scope.',
  404: 'There is no such thing, or it is not yours.',
  409: 'What it names is ambiguous, was used before, or is no longer as it must be.',
  413: 'The body is too large.',
  422: 'The Idempotency-Key was used for another request.',
  429: 'Too many requests: wait, then ask again.',
  500: 'A fault of the server, which is in its log.',
  501: 'This server has no such thing.',
  503: 'No device, or no database, is there now. Try again.',
}

/** The OpenAPI responses for errors, by status. */
export const failuresOf = (schema: z.ZodType = z.unknown(), isText = false): Answers =>
  Object.fromEntries(
    Object.entries(FAILURES).map(([status, description]) => [
      status,
      { description, content: isText ? plain(schema) : json(schema) },
    ]),
  )

export function describeRoutes(
  tag: string,
  security: Security,
  root: string,
  routes: readonly TableRoute<never>[],
) {
  const operations = routes.map((route) => {
    const { at, summary, description = summary, query, form, header, body, error, isFile, isText } = route
    const { answer = [200, 'As the other product documents it.'] } = route
    const path = at.replace(' ', () => ` ${root}`)
    const id = route.id ?? path.toLowerCase().replace(/\W+/g, '_')
    const operation: Operation = {
      id,
      summary,
      description,
      params: { ...(query && { query: optional(query) }), ...(header && { header }) },
      ...(body && { body: [body] as const }),
      ...(form && {
        requestBody: {
          required: true,
          content: { 'application/x-www-form-urlencoded': { schema: optional(form) } },
        },
      }),
      fails: failuresOf(error, isText),
      responses: isFile ? FILE : answered(answer, isText),
    }
    return [path, operation]
  })
  return chapter(tag, security, Object.fromEntries(operations))
}

const optional = (names: readonly string[]) => texts(names, z.string().optional())
