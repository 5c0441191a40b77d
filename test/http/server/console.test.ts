import { consoleRoutes } from '../../../src/http/pages/console.ts'
import { startServer } from '../../support/server/start.ts'

const server = await startServer()

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.url + path, { headers, redirect: 'manual' })

test.each(['/', '/_/', '/?from=mail'])('%s is the console, which loads from here alone', async (path) => {
  const response = await get(path)
  const policy = response.headers.get('content-security-policy')
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';.*frame-ancestors 'none'$/)
  expect(policy).not.toContain('unsafe')
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  expect(response.headers.get('cache-control')).toBe('no-cache')
  const html = await response.text()
  expect(html).toContain('<title>pocketsms</title>')
  expect(html).not.toMatch(/<style|style=|<script(?![^>]* src=)|\bhttps?:/)
})

test('/_ leads to /_/', async () => {
  const response = await get('/_')
  expect([response.status, response.headers.get('location')]).toEqual([307, '/_/'])
})

test('an unchanged page is not sent again', async () => {
  const etag = (await get('/')).headers.get('etag') ?? ''
  const again = await get('/', { 'if-none-match': etag })
  expect([again.status, await again.text()]).toEqual([304, ''])
})

test.each(['/', '/_/'])('the assets of %s are packed and kept for ever', async (path) => {
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
  'GET %s is no page',
  async (path) => {
    const response = await get(path)
    expect([response.status, await response.json()]).toEqual([
      404,
      { data: {}, message: expect.any(String), status: 404 },
    ])
  },
)

test('without the build the page says how to make it', async () => {
  const { log } = server.services
  const response = await consoleRoutes({ log }, '/nowhere/').request('/')
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('npm run prepare')
})
