import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Handler, Hono } from 'hono'
import { listDescribedCollections } from '../http/openapi/described-collections.ts'
import type { DescribedRoutes } from '../http/openapi/document.ts'
import type { Ctx, Env, Services } from '../http/request-context.ts'
import { PROGRAM_FOLDER } from '../platform/program-folder.ts'

const DIST = join(PROGRAM_FOLDER, 'console/dist/')

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  tgz: 'application/gzip',
  webmanifest: 'application/manifest+json',
}

/** Headers of a page that loads only from its server. `styles`: its style-src; `others`: CSP directives. */
const makePageHeaders = (styles: string, ...others: readonly string[]) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    ...others,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
})

/** The console's URL may contain tokens from mails: other sites get no referrer and cannot frame the page. */
const PAGE_HEADERS = makePageHeaders(
  "'self'",
  "manifest-src 'self'",
  "media-src 'self'",
  "worker-src 'self'",
)
const DOCS_HEADERS = makePageHeaders("'self' 'unsafe-inline'")
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const
const FOR_EVER = 'public, max-age=31536000, immutable'

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>pocketsms</title>
<h1>The console is not built</h1>
<p>The server runs, and its API is at <code>/api</code>. <code>npm ci</code> builds the console unless it is told to leave scripts out; in the
folder of the server this builds it, and the next start serves it:</p>
<pre>npm run prepare</pre>
`

/** Files without a hash in the name: the service worker, the manifest, its pictures, the agent's package. */
const NAMED = [
  ...['sw.js', 'manifest.webmanifest', 'icon-192.png', 'icon-512.png', 'icon-maskable.png'],
  ...['screenshot-wide.png', 'screenshot-narrow.png', 'agent.tgz'],
]

/** The console at `/` and, as in PocketBase, `/_/`; the API reference at `/docs`. Keeps files in memory. */
export function makeConsoleRoutes({ log }: Pick<Services, 'log'>, folder = DIST): Hono<Env> {
  const isBuilt = existsSync(`${folder}index.html`)
  if (!isBuilt) log.warn('The console is not built: npm run prepare builds it.')
  const page = (name: string, headers: typeof PAGE_HEADERS) => {
    const content = addEtag(isBuilt ? readFileSync(folder + name) : NOT_BUILT)
    return (c: Ctx) => sendWithEtag(c, content, headers)
  }
  const sendPage = isBuilt
    ? makePageSender(readFileSync(`${folder}index.html`, 'utf8'))
    : page('index.html', PAGE_HEADERS)
  const app = makeAssetRoutes(folder)
    .get('/', sendPage)
    .get('/_', (c) => c.redirect('/_/', 307))
    .get('/_/', sendPage)
    .get('/docs', page('docs.html', DOCS_HEADERS))
    .get('/docs/', (c) => c.redirect('../docs', 307))
  for (const name of NAMED.filter((each) => existsSync(folder + each))) {
    const content = addEtag(readFileSync(folder + name))
    const headers = { 'content-type': findAssetType(name)!, 'cache-control': 'no-cache' }
    const send = (c: Ctx) => sendWithEtag(c, content, headers)
    app.get(`/${name}`, send).get(`/_/${name}`, send)
  }
  return app
}

const LINK = /<link [^<>]*>\s*/g
/** The language of a link to its texts, which the console loads in browsers of that language. */
const LANGUAGE = /hreflang="([a-z]+)"/

/** Sends the console's page. It names the texts of the browser's language, so that they load at once. */
function makePageSender(html: string): (c: Ctx) => Response {
  const languages = (html.match(LINK) ?? []).flatMap((link) => findLinkLanguage(link) ?? [])
  const pages = new Map(
    ['en', ...languages].map((wanted) => {
      const isKept = (link: string) => [undefined, wanted].includes(findLinkLanguage(link))
      return [wanted, addEtag(html.replace(LINK, (link) => (isKept(link) ? link : '')))]
    }),
  )
  const headers = { ...PAGE_HEADERS, vary: 'Accept-Language' }
  return (c) => sendWithEtag(c, pages.get(findLanguage(c, pages) ?? 'en')!, headers)
}

const findLinkLanguage = (link: string) => LANGUAGE.exec(link)?.[1]

/** The first of the browser's languages that `known` has. */
const findLanguage = (c: Ctx, known: ReadonlyMap<string, unknown>): string | undefined =>
  (c.req.header('accept-language') ?? '')
    .split(',')
    .map((tag) => tag.trim().slice(0, 2).toLowerCase())
    .find((language) => known.has(language))

/**
 * The console's files with a hash in their names. They need no database: an open console can load the code of
 * its pages while a backup is restored. A browser does not ask again for a style sheet that it missed.
 */
export function makeAssetRoutes(folder = DIST): Hono<Env> {
  const assets = listAssets(folder)
  const sendFile: Handler<Env> = (c, next) =>
    sendAsset(c, assets, c.req.param('file') ?? '') ?? next()
  return new Hono<Env>().get('/assets/:file', sendFile).get('/_/assets/:file', sendFile)
}

const findAssetType = (name: string) => TYPES[name.split('.').pop() ?? '']

type Assets = ReadonlyMap<string, () => Buffer<ArrayBuffer> | undefined>

const assetsByFolder = new Map<string, Assets>()

/**
 * The assets of a built console, each read at its first use, then kept; empty if the console is not built.
 */
function listAssets(folder: string): Assets {
  const path = `${folder}assets/`
  const names = existsSync(path) ? readdirSync(path) : []
  const assets =
    assetsByFolder.get(folder) ?? new Map(names.map((name) => [name, keep(path + name)]))
  assetsByFolder.set(folder, assets)
  return assets
}

/** Reads a file once; undefined if an upgrade has removed it. */
function keep(file: string): () => Buffer<ArrayBuffer> | undefined {
  let content: Buffer<ArrayBuffer> | undefined
  return () => (content ??= existsSync(file) ? readFileSync(file) : undefined)
}

/** Sends an asset, compressed if the client accepts that. Undefined for a name of another version. */
function sendAsset(c: Ctx, assets: Assets, name: string): Response | undefined {
  const type = findAssetType(name)
  if (!type) return undefined
  const accepted = c.req.header('accept-encoding') ?? ''
  const [encoding, ending] = ENCODINGS.find(([each]) => accepted.includes(each)) ?? []
  const packed = ending && assets.get(name + ending)?.()
  const body = packed || assets.get(name)?.()
  if (!body) return undefined
  return c.body(body, 200, {
    'content-type': type,
    'cache-control': FOR_EVER,
    vary: 'Accept-Encoding',
    ...(packed ? { 'content-encoding': encoding } : {}),
  })
}

/** `/api/openapi.json`: the API description, made at the first request. */
export function makeOpenApiRoutes(
  { config, extensions, store }: Services,
  described: readonly DescribedRoutes[],
) {
  let description: Promise<Tagged> | undefined
  const make = async () => {
    const { makeOpenApiDocument } = await import('../http/openapi/document.ts')
    const collections = listDescribedCollections(store.catalog.builtIn)
    const subject = { url: config.publicUrl, collections, extensions, described }
    return addEtag(JSON.stringify(makeOpenApiDocument(subject)))
  }
  return new Hono<Env>().get('/api/openapi.json', async (c) => {
    description ??= make()
    return sendWithEtag(c, await description, {
      'content-type': 'application/json',
      'cache-control': 'no-cache',
    })
  })
}

/** Content that clients cache and revalidate at each use. RFC 9110, 8.8.3 */
interface Tagged {
  /** All answers share this buffer, so slow clients take no memory. */
  readonly body: Buffer<ArrayBuffer>
  readonly etag: string
}

function addEtag(content: string | Buffer<ArrayBuffer>): Tagged {
  const body = typeof content === 'string' ? Buffer.from(content) : content
  const hash = createHash('sha256').update(body).digest('base64url')
  return { body, etag: `"${hash.slice(0, 22)}"` }
}

function sendWithEtag(c: Ctx, { body, etag }: Tagged, headers: Record<string, string>): Response {
  const known = c.req.header('if-none-match')?.includes(etag)
  return known ? c.body(null, 304, { ...headers, etag }) : c.body(body, 200, { ...headers, etag })
}
