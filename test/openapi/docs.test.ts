import { ServerResponse } from 'node:http'
import { startServer } from '../support/server/start.ts'

const get = (path: string, headers = {}) => fetch(server.url + path, { headers, redirect: 'manual' })

const server = await startServer({ env: { PUBLIC_URL: 'https://sms.example.com' } })

test('the description names the public address and is not sent twice', async () => {
  const first = await get('/api/openapi.json')
  expect(first.headers.get('content-type')).toBe('application/json')
  expect(await first.json()).toMatchObject({ servers: [{ url: 'https://sms.example.com' }] })
  const again = await get('/api/openapi.json', { 'if-none-match': first.headers.get('etag') })
  expect([again.status, await again.text()]).toEqual([304, ''])
})

test('clients that do not read the description hold no copy of it', async () => {
  const end = vi.spyOn(ServerResponse.prototype, 'end')
  for (let i = 0; i < 2; i++) await (await get('/api/openapi.json')).text()
  const [first, second] = end.mock.calls.map(([body]) => body as unknown)
  end.mockRestore()
  expect(first).toBeInstanceOf(Uint8Array)
  expect(second === first).toBe(true)
})

test('the page loads from here alone', async () => {
  const page = await get('/docs')
  const html = await page.text()
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  const policy = page.headers.get('content-security-policy')!
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("script-src 'self';")
  expect(policy).not.toMatch(/https?:/)
  expect(html).not.toMatch(/<script>|\son\w+=|https?:/)
})

test('everything that the page names is there, for ever, packed for those who take it', async () => {
  const html = await (await get('/docs')).text()
  const names = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, name]) => name!)
  expect(names.length).toBeGreaterThan(1)
  for (const name of names) {
    const asset = await get(`/${name}`, { 'accept-encoding': 'gzip, br' })
    expect([name, asset.status, asset.headers.get('content-encoding')]).toEqual([name, 200, 'br'])
    expect(asset.headers.get('cache-control')).toContain('immutable')
  }
  expect((await get('/docs/')).status).toBe(307)
})
