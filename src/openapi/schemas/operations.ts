import { z } from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import { type Answers, answers, json } from './answers.ts'
import type { Security } from './security.ts'

export interface Operation extends Omit<ZodOpenApiOperationObject, 'responses' | 'tags' | 'operationId'> {
  readonly id: string
  readonly params?: ZodOpenApiOperationObject['requestParams']
  /** JSON that a request must have, and an example of it. */
  readonly body?: readonly [schema: z.ZodType, example?: unknown]
  /** Responses by status; the last one wins. */
  readonly responses: readonly Answers[]
}

/** Operations of a chapter (tag), by method and path: `GET /api/ready`. Each may set its own security. */
export function chapter(tag: string, security: Security, operations: Readonly<Record<string, Operation>>) {
  const paths: ZodOpenApiPathsObject = {}
  for (const [name, { id, params, body, responses, ...more }] of Object.entries(operations)) {
    const [method, path] = name.split(' ') as [string, string]
    const requestParams = path.includes('{') ? { ...pathParams(path), ...params } : params
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        operationId: id,
        tags: [tag],
        security,
        ...(requestParams && { requestParams }),
        ...(body && { requestBody: { required: true, content: json(...body) } }),
        ...more,
        responses: answers(...responses),
      },
    }
  }
  return paths
}

export const texts = (names: readonly string[], one: z.ZodType = z.string()) =>
  z.object(Object.fromEntries(names.map((name) => [name, one])))

/** The parameters in a path: `/messages/{id}` has one. */
function pathParams(path: string): { path?: z.ZodObject } {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  return names.length > 0 ? { path: texts(names) } : {}
}
