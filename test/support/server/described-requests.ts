import { makeOpenApiDocument } from '../../../src/http/openapi/document.ts'
import { DESCRIBED } from '../../../src/main/api-description.ts'
import type { GatewayServices } from '../../../src/protocols/gateway-services.ts'

type Json = Record<string, unknown>

/** A route of the API's description. */
export interface DescribedRequest {
  readonly method: string
  readonly path: string
  /** The names of its query. */
  readonly query: readonly string[]
  /** The types that its body may have; none without a body. */
  readonly types: readonly string[]
  readonly example: Json
  /** Paths of the names that the body's schema has, two levels deep. */
  readonly properties: readonly (readonly string[])[]
}

/** Names that a body of any properties may have. */
const ANY = ['access_token', 'to', 'message', 'name', 'value'].map((name) => [name])

/** Every route of the API's description. `parameters`: values for names in paths; others are `x`. */
export function describedRequests(
  { store, extensions }: Pick<GatewayServices, 'store' | 'extensions'>,
  parameters: Readonly<Record<string, string>>,
): DescribedRequest[] {
  const described = makeOpenApiDocument({
    url: '',
    collections: store.catalog.all,
    extensions,
    described: DESCRIBED,
  })
  const document = JSON.parse(JSON.stringify(described)) as {
    paths: Record<string, Record<string, Json>>
    components: { schemas: Record<string, Json> }
  }
  const resolve = (schema: Json): Json =>
    typeof schema.$ref === 'string'
      ? document.components.schemas[schema.$ref.split('/').at(-1)!]!
      : schema

  function properties(given: Json, depth = 2): string[][] {
    const schema = resolve(given)
    const parts = [
      schema,
      ...['allOf', 'anyOf', 'oneOf'].flatMap((key) => (schema[key] as Json[]) ?? []),
    ]
    const all = parts.map(resolve)
    const below = all.flatMap(({ properties: found = {} }) =>
      Object.entries(found as Record<string, Json>),
    )
    if (below.length === 0 && all.some(({ additionalProperties }) => additionalProperties))
      return ANY
    return below.flatMap(([name, each]) => [
      [name],
      ...(depth > 1 ? properties(each, depth - 1).map((path) => [name, ...path]) : []),
    ])
  }

  return Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]): DescribedRequest => {
      const body = operation.requestBody as {
        content?: Record<string, { schema?: Json; example?: Json }>
      }
      const content = body?.content ?? {}
      const first = content['application/json'] ?? Object.values(content)[0]
      const asked = (operation.parameters ?? []) as readonly {
        readonly in: string
        readonly name: string
      }[]
      return {
        method: method.toUpperCase(),
        path: template.replace(/\{(\w+)\}/g, (_, name) => parameters[name] ?? 'x'),
        query: asked.filter((one) => one.in === 'query').map(({ name }) => name),
        types: Object.keys(content),
        example: first?.example ?? {},
        properties: properties(first?.schema ?? {}),
      }
    }),
  )
}

/** An object with a value at a path. */
export const placed = (path: readonly string[], value: unknown): Json => {
  const [name, ...rest] = path
  return { [name!]: rest.length > 0 ? placed(rest, value) : value }
}
