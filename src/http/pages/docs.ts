import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Hono } from 'hono'
import { type DescribedRoutes, describedCollections, openApiDocument } from '../../openapi/document.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { pageHeaders } from './page-headers.ts'
import { hashOf, sendTagged, tagged } from './tagged.ts'

const PAGES = fileURLToPath(new URL('./', import.meta.url))
const { resolve } = createRequire(import.meta.url)

/** What the page loads: two files of the package swagger-ui-dist, two of ours. */
const ASSETS: Readonly<Record<string, { path: string; type: string }>> = {
  'swagger-ui-bundle.js': { path: resolve('swagger-ui-dist/swagger-ui-bundle.js'), type: 'text/javascript' },
  'swagger-ui.css': { path: resolve('swagger-ui-dist/swagger-ui.css'), type: 'text/css' },
  'docs.js': { path: `${PAGES}docs.js`, type: 'text/javascript' },
  'docs.css': { path: `${PAGES}docs.css`, type: 'text/css' },
}

/** Loads nothing from other hosts. Swagger UI has inline pictures and styles. */
const PAGE_HEADERS = pageHeaders("'self' 'unsafe-inline'")
/** A hash of all assets is in the path of each. */
const FOR_EVER = 'public, max-age=31536000, immutable'

/** `/api/openapi.json` and `/docs`: the API description. Made at the first request. */
export function docsRoutes({ config, extensions }: Services, described: readonly DescribedRoutes[]) {
  const description = once(() => {
    const subject = { url: config.publicUrl, collections: describedCollections(), extensions, described }
    return tagged(JSON.stringify(openApiDocument(subject)))
  })
  const assets = once(readAssets)
  const page = once(() => {
    const html = readFileSync(`${PAGES}docs.html`, 'utf8')
    return tagged(html.replaceAll('VERSION', assets().version))
  })
  return new Hono<Env>()
    .get('/api/openapi.json', (c) =>
      sendTagged(c, description(), { 'content-type': 'application/json', 'cache-control': 'no-cache' }),
    )
    .get('/docs', (c) => sendTagged(c, page(), PAGE_HEADERS))
    .get('/docs/', (c) => c.redirect('../docs', 307))
    .get('/docs/:version/:file', (c) => sendAsset(c, assets()))
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function readAssets() {
  const files = Object.entries(ASSETS).map(([name, { path, type }]) => {
    const plain = readFileSync(path)
    // 460 kB of the package's 1.7 MB; packed when first asked for
    const packed = once(() => promisify(gzip)(plain))
    return [name, { type: `${type}; charset=utf-8`, plain, packed }] as const
  })
  return { version: hashOf(...files.map(([, { plain }]) => plain)), files: new Map(files) }
}

async function sendAsset(c: Ctx, { version, files }: ReturnType<typeof readAssets>): Promise<Response> {
  const asset = files.get(c.req.param('file') ?? '')
  if (!asset || c.req.param('version') !== version) return c.notFound()
  const headers = { 'content-type': asset.type, 'cache-control': FOR_EVER, vary: 'Accept-Encoding' }
  if (!c.req.header('accept-encoding')?.includes('gzip')) return c.body(asset.plain, 200, headers)
  return c.body(await asset.packed(), 200, { ...headers, 'content-encoding': 'gzip' })
}
