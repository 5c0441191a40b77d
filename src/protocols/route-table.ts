import type { Hono } from 'hono'
import { z } from 'zod'
import type { Ctx, Env } from '../http/context.ts'
import { sendRaw } from '../http/request-info.ts'
import {
  type Answers,
  chapter,
  FILE,
  json,
  type Operation,
  type Security,
  texts,
} from '../openapi/schemas/operations.ts'

/** A route of another product's API, with its description. `C`: the argument of `work`. */
export interface TableRoute<C> {
  /** Method and path below the root: `GET /messages/{id}`. */
  readonly at: string
  readonly id: string
  readonly summary: string
  /** Names of parameters in the query, and in the form of the body. */
  readonly query?: readonly string[]
  readonly form?: readonly string[]
  readonly header?: z.ZodObject
  readonly body?: z.ZodType
  readonly answer?: readonly [
    status: 200 | 201 | 202 | 204,
    description: string,
    schema?: z.ZodType,
    headers?: z.ZodObject,
  ]
  /** The answer is a file, which `work` sends. */
  readonly isFile?: boolean
  /** Its result is answered as JSON, unless it is a Response. */
  readonly work: (call: C) => Promise<unknown>
}

type Enter<C, R> = (c: Ctx, route: R, work: (call: C) => Promise<Response>) => Promise<Response>

/** Adds routes below a root; `enter` identifies the caller. Returns the paths as Hono has them. */
export function addRoutes<C, R extends TableRoute<C>>(
  app: Hono<Env>,
  root: string,
  routes: readonly R[],
  enter: Enter<C, R>,
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

/** The path for Hono: a parameter at its end includes `.json`. */
const routedPath = (path: string) =>
  path.replace(/\{(\w+)\}\.json$/, ':$1{[^/]+\\.json}').replace(/\{(\w+)\}/g, ':$1')

const answered = ([status, description, schema, headers]: NonNullable<
  TableRoute<never>['answer']
>): Answers => ({
  [status]: { description, ...(schema && { content: json(schema) }), ...(headers && { headers }) },
})

/** The error answers of an API by status, the same for all of its routes. */
export const failuresOf = (schema: z.ZodType, sentences: Readonly<Record<number, string>>): Answers =>
  Object.fromEntries(
    Object.entries(sentences).map(([status, description]) => [
      status,
      { description, content: json(schema) },
    ]),
  )

/** A table's chapter of the API's description, with further operations. */
export function describeRoutes<R extends TableRoute<never>>(
  [tag, security]: readonly [tag: string, security: Security],
  root: string,
  routes: readonly R[],
  failures: Answers,
  description: (route: R) => string,
  more: Readonly<Record<string, Operation>> = {},
) {
  const operations = routes.map((route) => {
    const { at, id, summary, query, form, header, body, answer, isFile } = route
    const operation: Operation = {
      ...{ id, summary, description: description(route) },
      params: { ...(query && { query: optional(query) }), ...(header && { header }) },
      ...(body && { body: [body] as const }),
      ...(form && {
        requestBody: {
          required: true,
          content: { 'application/x-www-form-urlencoded': { schema: optional(form) } },
        },
      }),
      fails: failures,
      responses: { ...(answer && answered(answer)), ...(isFile && FILE) },
    }
    return [at.replace(' ', ` ${root}`), operation]
  })
  return chapter(tag, security, { ...Object.fromEntries(operations), ...more })
}

const optional = (names: readonly string[]) => texts(names, z.string().optional())
