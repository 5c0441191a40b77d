import { z } from 'zod'
import type { ZodOpenApiContentObject, ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import { type Answers, answers, json } from './answers.ts'
import words from './operations.json' with { type: 'json' }
import type { Security } from './security.ts'

export interface Operation extends Omit<ZodOpenApiOperationObject, 'responses' | 'tags' | 'operationId'> {
  /** Of an operation that `operations.json` does not have. */
  readonly id?: string
  readonly params?: ZodOpenApiOperationObject['requestParams']
  /** JSON that a request must have, and an example of it. */
  readonly body?: readonly [schema: z.ZodType, example?: unknown]
  /** By status; of two with the same one the last counts. */
  readonly responses: readonly Answers[]
}

/** What is said of an operation beside its schemas. */
interface Words {
  readonly id: string
  readonly summary: string
  readonly description?: string
  /** Of the parameters in the path. */
  readonly path?: Readonly<Record<string, string>>
  /** Examples of the request's JSON, and of the answer's. */
  readonly body?: unknown
  readonly answer?: unknown
}
const WORDS: Readonly<Record<string, Words | undefined>> = words

/**
 * Operations of one chapter (tag), by method and path: `GET /api/ready`. Each may have its own security. Ids,
 * sentences and examples are in `operations.json`, but for those of every collection.
 */
export function chapter(
  tag: string,
  security: Security,
  operations: Readonly<Record<string, Operation>>,
): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {}
  for (const [name, { id, params, body, responses, ...more }] of Object.entries(operations)) {
    const [method, path] = name.split(' ') as [string, string]
    const said = WORDS[name]
    const requestParams = { ...pathParams(path, said?.path), ...params }
    const operation: ZodOpenApiOperationObject = {
      operationId: id ?? said?.id,
      tags: [tag],
      security,
      ...(said && { summary: said.summary, description: said.description }),
      ...(Object.keys(requestParams).length > 0 && { requestParams }),
      ...(body && { requestBody: { required: true, content: json(...body) } }),
      ...more,
      responses: answers(...responses),
    }
    exemplify(operation.requestBody, said?.body)
    exemplify(operation.responses['200'], said?.answer)
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation }
  }
  return paths
}

/** Adds an example to the JSON of a request or an answer. */
function exemplify(message: object | undefined, example: unknown): void {
  const { content } = (message ?? {}) as { content?: ZodOpenApiContentObject }
  const written = content?.['application/json']
  if (written && example !== undefined) written.example = example
}

export const texts = (names: readonly string[], one: z.ZodType = z.string()) =>
  z.object(Object.fromEntries(names.map((name) => [name, one])))

/** The parameters in a path: `/messages/{id}` has one. */
function pathParams(path: string, said: Words['path'] = {}): { path?: z.ZodObject } {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const params = names.map((name) => [name, z.string().meta({ description: said[name] })])
  return names.length > 0 ? { path: z.object(Object.fromEntries(params)) } : {}
}
