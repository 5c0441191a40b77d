import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { createUnavailableApp } from '../../../src/main/app.ts'
import { makeAssetRoutes, makeConsoleRoutes } from '../../../src/main/console.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { startServer } from '../../support/server/start.ts'

const server = await startServer()

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.url + path, { headers, redirect: 'manual' })

test.each(['/', '/_/', '/?from=mail'])(
  '%s serves the console with a policy that allows only its own files',
  async (path) => {
    const response = await get(path)
    const policy = response.headers.get('content-security-policy')
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ])
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';.*frame-ancestors 'none'$/,
    )
    expect(policy).not.toContain('unsafe')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    const html = await response.text()
    expect(html).toContain('<title>pocketsms</title>')
    expect(html).not.toMatch(/<style|style=|<script(?![^>]* src=)|\bhttps?:/)
  },
)

test.each([
  ['de-AT,de;q=0.9,en;q=0.8', ['de', 'de']],
  ['it, pt-BR;q=0.5', ['pt', 'pt']],
  ['en-US,en;q=0.9,de;q=0.8', []],
  ['', []],
])(
  'the page for the languages “%s” names the texts of the first that the console has',
  async (wanted, named) => {
    const html = await (await get('/', { 'accept-language': wanted })).text()
    expect(
      [...html.matchAll(/modulepreload" hreflang="([a-z]+)"/g)].map(([, each]) => each),
    ).toEqual(named)
  },
)

test('/_ redirects to /_/', async () => {
  const response = await get('/_')
  expect([response.status, response.headers.get('location')]).toEqual([307, '/_/'])
})

test('an unchanged page is answered with 304', async () => {
  const etag = (await get('/')).headers.get('etag') ?? ''
  const again = await get('/', { 'if-none-match': etag })
  expect([again.status, await again.text()]).toEqual([304, ''])
})

test.each(['/', '/_/'])('the assets of %s are compressed and cached for ever', async (path) => {
  const html = await (await get(path)).text()
  const names = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, name]) => name!)
  expect(names.length).toBeGreaterThan(2)
  for (const name of names) {
    const packed = await get(path + name, { 'accept-encoding': 'gzip, br' })
    expect([packed.status, packed.headers.get('content-encoding')]).toEqual([200, 'br'])
    expect(packed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const plain = await get(path + name, { 'accept-encoding': 'identity' })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(await plain.text()).toBe(await packed.text())
  }
})

test.each(['/assets/none.js', '/assets/..%2findex.html', '/nothing', '/api', '/index.html'])(
  'GET %s is answered with 404',
  async (path) => {
    const response = await get(path)
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({ data: {}, message: expect.any(String), status: 404 })
  },
)

test('the assets are served while the database is not in use, and the pages are not', async () => {
  const html = await (await get('/')).text()
  const [, name] = /"\.\/(assets\/[^"]+\.css)"/.exec(html) ?? []
  const env = { incoming: { headers: {} }, outgoing: { setHeader() {} } }
  const app = createUnavailableApp(server.services, () => 'Not now.')
  const [asset, page] = await Promise.all([
    app.request(`/${name}`, {}, env),
    app.request('/', {}, env),
  ])
  expect([asset.status, asset.headers.get('content-type')]).toEqual([
    200,
    'text/css; charset=utf-8',
  ])
  expect([page.status, (await app.request('/assets/next-version.js', {}, env)).status]).toEqual([
    503, 503,
  ])
})

test('an asset is read at its first use, and kept while an upgrade replaces the files', async () => {
  const folder = temporaryFolder()
  const file = (name: string) => join(folder, 'assets', name)
  mkdirSync(join(folder, 'assets'))
  for (const name of ['used.js', 'unused.js']) writeFileSync(file(name), '1')
  const app = makeAssetRoutes(`${folder}/`)
  const statuses = async () => {
    const names = ['used.js', 'unused.js', 'later.js']
    return Promise.all(names.map(async (name) => (await app.request(`/assets/${name}`)).status))
  }
  expect((await app.request('/assets/used.js')).status).toBe(200)
  rmSync(join(folder, 'assets'), { recursive: true })
  expect(await statuses()).toEqual([200, 404, 404])
  mkdirSync(join(folder, 'assets'))
  writeFileSync(file('later.js'), '2')
  expect(await statuses()).toEqual([200, 404, 404])
})

test('without a build the page says how to make it', async () => {
  const { log } = server.services
  const response = await makeConsoleRoutes({ log }, '/nowhere/').request('/')
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('npm run prepare')
})

/** By Node's own client: fetch would clean the path itself. */
const ask = (method: string, path: string, origin: string) =>
  new Promise<unknown[]>((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    const asked = request({ hostname, port, method, path, headers: { origin } }, (response) => {
      const { location, vary } = response.headers
      const cors = response.headers['access-control-allow-origin']
      response.resume().on('end', () => resolve([response.statusCode, location, vary, cors]))
    })
    asked.on('error', reject).end()
  })

test.each([
  [
    'an unclean path is redirected to the clean one',
    'GET',
    '/api//health?a=1',
    [307, '/api/health?a=1'],
  ],
  [
    'a preflight on an unclean path is redirected',
    'OPTIONS',
    '/api/./health',
    [307, '/api/health'],
  ],
  ['a POST on an unclean path is redirected', 'POST', '/api/x/../health', [307, '/api/health']],
] as const)('%s: $3', async (_, method, path, expected) => {
  expect((await ask(method, path, 'https://app.example')).slice(0, 2)).toEqual(expected)
})

test('an empty Origin header is ignored', async () => {
  expect(await ask('GET', '/api/health', '')).toEqual([200, undefined, 'Origin', undefined])
})

test('the redirect page escapes the address as Go does', async () => {
  const { hostname, port } = new URL(server.url)
  const page = await new Promise<string>((resolve, reject) => {
    const asked = request({ hostname, port, path: `/api//x?a='b'&c="d"<e>` }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve(text)
    })
    asked.on('error', reject).end()
  })
  expect(page).toBe(
    '<a href="/api/x?a=&#39;b&#39;&amp;c=&#34;d&#34;&lt;e&gt;">Temporary Redirect</a>.\n\n',
  )
})
