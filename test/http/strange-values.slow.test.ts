import { OWN_ROUTES } from '../../src/http/app.ts'
import { openApiDocument } from '../../src/openapi/document.ts'
import { PROTOCOLS } from '../../src/protocols/protocols.ts'
import { tablesWith } from '../support/database/dump.ts'
import { basic, request } from '../support/server/request.ts'
import { ANN, as, PHONES, startServerWithUsers } from '../support/server/server-with-users.ts'

type Json = Record<string, unknown>

const server = await startServerWithUsers({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const [[root]] = (await server.rows('select id from _superusers')) as [[string]]
const hook = { user: ANN.id, name: 'Mail', preset: 'text', recipients: ['+4911111'] }
const user = await server.signedIn('users', ANN.id)
const { body: made } = await server.ask('POST', '/api/collections/hooks/records', hook, user)

const document = JSON.parse(
  JSON.stringify(
    openApiDocument({
      url: '',
      collections: server.store.catalog.all,
      extensions: server.services.extensions,
      described: [OWN_ROUTES, ...PROTOCOLS],
    }),
  ),
) as { paths: Record<string, Record<string, Json>>; components: { schemas: Record<string, Json> } }

/** Values that no reader of texts, numbers or lists expects. `toString` breaks `String()` and templates. */
const STRANGE = [{ toString: 1, valueOf: 1 }, [{ toString: 1 }, ['x']]]
/** Names that a body of any properties may have. */
const ANY = ['access_token', 'to', 'message', 'name', 'value'].map((name) => [name])

const resolve = (schema: Json): Json =>
  typeof schema.$ref === 'string' ? document.components.schemas[schema.$ref.split('/').at(-1)!]! : schema

/** The names of a body's properties, and of those one level below. */
function properties(given: Json, depth = 2): string[][] {
  const schema = resolve(given)
  const parts = [schema, ...['allOf', 'anyOf', 'oneOf'].flatMap((key) => (schema[key] as Json[]) ?? [])].map(
    resolve,
  )
  const below = parts.flatMap(({ properties: found = {} }) => Object.entries(found as Record<string, Json>))
  if (below.length === 0 && parts.some(({ additionalProperties }) => additionalProperties)) return ANY
  return below.flatMap(([name, each]) => [
    [name],
    ...(depth > 1 ? properties(each, depth - 1).map((path) => [name, ...path]) : []),
  ])
}

const placed = (path: readonly string[], value: unknown): Json => {
  const [name, ...rest] = path
  return { [name!]: rest.length > 0 ? placed(rest, value) : value }
}

const PARAMETERS: Readonly<Record<string, string>> = {
  secret: made.secret,
  collection: 'contacts',
  id: ANN.id,
}
// MCP's library answers errors of JSON-RPC by itself: test/mcp/hostile
const bodies = Object.entries(document.paths)
  .filter(([path]) => path !== '/mcp')
  .flatMap(([template, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const body = operation.requestBody as { content?: Record<string, { schema?: Json; example?: Json }> }
      const json = body?.content?.['application/json']
      if (!json) return []
      const path = template.replace(/\{(\w+)\}/g, (_, name) => PARAMETERS[name] ?? 'x')
      return [{ method: method.toUpperCase(), path, schema: json.schema ?? {}, example: json.example ?? {} }]
    }),
  )

const callers = [
  {},
  { ...as(ANN), 'access-token': ANN.key },
  basic(ANN.email, ANN.password),
  user,
  await server.signedIn('devices', PHONES[0]),
  await server.signedIn('_superusers', root),
]

test.each(bodies)(
  '$method $path never fails with 500 for strange values',
  async ({ method, path, schema, example }) => {
    const names = properties(schema)
    const strange: unknown[] = STRANGE.flatMap((value) => [
      value,
      ...names.map((each) => ({ ...example, ...placed(each, value) })),
    ])
    const faults: string[] = []
    for (const body of strange)
      for (const headers of callers) {
        const { status, text } = await request(
          server.url,
          method,
          path,
          body,
          headers as Record<string, string>,
        )
        if (status === 500 || text.includes('[object Object]'))
          faults.push(`${status} ${JSON.stringify(body)}`)
      }
    expect([...new Set(faults)]).toEqual([])
    expect(await tablesWith(server.store.forEverybody('command').db, ['[object Object]'])).toEqual([])
  },
)
