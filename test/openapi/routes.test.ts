import { createApp } from '../../src/http/app.ts'
import { startServer } from '../support/server/start.ts'

/** Roots of which all is described; `{collection}` of the router stands for each collection there. */
const WHOLE =
  /^\w+ \/(?:2010-04-01|mcp|vendel|http_api|jsonrpc|cgi-bin|api\/(3rdparty|v1|v2|account|sms|campaigns|devices|webhooks|batch|realtime|health|ready|warnings|logs|backups|backup-status|collections\/\{collection\}\/.+))/
/** Routes of superusers, who change collections by them. */
const OTHER = /^\w+ \/api\/collections\/(meta\/|\{collection\}(\/truncate)?$)/

/** What a parameter is called does not matter, but for the collection's. */
const nameless = (route: string) =>
  route.replace(/\{(?!collection\})\w+\}(\.json$)?/g, '{}').replace(/(.)\/$/, '$1')

const server = await startServer()
const document = await (await fetch(`${server.url}/api/openapi.json`)).json()
const { paths } = document as { paths: Record<string, object> }
const names = server.services.store.catalog.all.map(({ name }) => name).join('|')
const ofCollection = new RegExp(`^/api/collections/(${names})/`)
const described = new Set(
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) =>
      nameless(`${method.toUpperCase()} ${path.replace(ofCollection, '/api/collections/{collection}/')}`),
    ),
  ),
)
const { routes } = createApp(server.services)
const routed = new Set(
  routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')}`)
    .filter((route) => !OTHER.test(route))
    .map(nameless),
)

test('each route is described', () => {
  expect([...routed].filter((route) => WHOLE.test(route) && !described.has(route))).toEqual([])
})

test('each description has a route', () => {
  expect(described.size).toBeGreaterThan(40)
  expect([...described].filter((route) => !routed.has(route))).toEqual([])
})
