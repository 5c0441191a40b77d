import { createServer, ServerResponse } from 'node:http'
import { takeFaults, watchAnswers } from '../../support/answers/answers.ts'
import { startServer } from '../../support/server/start.ts'
import { listenLocally } from '../../support/services/listen.ts'

const get = (path: string, headers = {}) =>
  fetch(server.url + path, { headers, redirect: 'manual' })

const server = await startServer({ env: { PUBLIC_URL: 'https://sms.example.com' } })

test('the description names the public address and is answered with 304 when unchanged', async () => {
  const first = await get('/api/openapi.json')
  expect(first.headers.get('content-type')).toBe('application/json')
  expect(await first.json()).toMatchObject({ servers: [{ url: 'https://sms.example.com' }] })
  const again = await get('/api/openapi.json', { 'if-none-match': first.headers.get('etag') })
  expect([again.status, await again.text()]).toEqual([304, ''])
})

test('repeated answers share one copy of the description', async () => {
  const end = vi.spyOn(ServerResponse.prototype, 'end')
  for (let i = 0; i < 2; i++) await (await get('/api/openapi.json')).text()
  const [first, second] = end.mock.calls.map(([body]) => body as unknown)
  end.mockRestore()
  expect(first).toBeInstanceOf(Uint8Array)
  expect(second === first).toBe(true)
})

test('/docs loads only its own files', async () => {
  const page = await get('/docs')
  const html = await page.text()
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  const policy = page.headers.get('content-security-policy')!
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("script-src 'self';")
  expect(policy).not.toMatch(/https?:/)
  expect(html).not.toMatch(/<script>|\son\w+=|https?:/)
})

test('every asset of /docs exists, is cached for ever and compressed on request', async () => {
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

// What looks at all answers of all tests sees what is wrong with them: here a server answers as the test
// says.

let says: { status: number; type: string; body: string }
const listener = createServer((_, res) => {
  res.setHeader('content-type', says.type)
  res.writeHead(says.status).end(says.body)
})

const real = await startServer()
const { url, stop } = await listenLocally(listener)
const liar = await watchAnswers({ url, services: real.services, stop })

const GROUP = {
  id: 'q0w9e8r7t6y5u4i',
  user: 'k3v9x0c2m5n8b1a',
  name: 'staff',
  join_words: '',
  join_confirm: false,
  join_text: '',
  join_page: false,
  page_text: '',
  page_consent: '',
  page_confirm: '',
  requires_consent: false,
  keep_days: 0,
  created: '2026-11-20 07:00:00.000Z',
  updated: '',
  collectionId: 'contact_groups',
  collectionName: 'contact_groups',
}
const groups = (...items: object[]) => ({
  items,
  page: 1,
  perPage: 30,
  totalItems: 1,
  totalPages: 1,
})
const LIST = '/api/collections/contact_groups/records'

test.each<
  [what: string, method: string, path: string, status: number, body: unknown, fault: string]
>([
  ['a right answer', 'GET', LIST, 200, groups(GROUP), ''],
  [
    'a collection by its id',
    'GET',
    '/api/collections/_pb_users_auth_/records/x',
    200,
    {},
    'required',
  ],
  ['a missing key', 'GET', LIST, 200, groups({ ...GROUP, name: undefined }), "'name'"],
  ['a part of a record', 'GET', `${LIST}?fields=id`, 200, groups({ id: GROUP.id }), ''],
  [
    'a wrong part of a record',
    'GET',
    `${LIST}?fields=id`,
    200,
    groups({ id: 1 }),
    'must be string',
  ],
  ['an unknown key', 'GET', LIST, 200, groups({ ...GROUP, tokenKey: 'x' }), 'tokenKey'],
  [
    'a date in another form',
    'GET',
    LIST,
    200,
    groups({ ...GROUP, updated: '2026-11-20' }),
    '/items/0/updated',
  ],
  [
    'an expanded record',
    'GET',
    LIST,
    200,
    groups({ ...GROUP, expand: { user: {} } }),
    '/expand/user',
  ],
  ['an unknown status', 'GET', LIST, 418, {}, 'status'],
  ['an unknown error', 'POST', '/api/sms/send', 400, { error: 'oops', message: 'Oops' }, '/error'],
  ['no JSON', 'POST', '/api/sms/send', 200, undefined, 'no JSON'],
  ['a body with a 204', 'DELETE', `${LIST}/x`, 204, undefined, ''],
  ['an unknown route', 'POST', '/api/sms/resend', 200, {}, 'route'],
  ['an unknown route of a collection', 'POST', '/api/collections/users/fly', 200, {}, 'route'],
  ['a 404 of an unknown route', 'POST', '/api/sms/resend', 404, {}, ''],
  ['a path outside the API', 'GET', '/', 200, {}, ''],
])(
  'the fault of an answer with %s (%s %s) is "$5"',
  async (_, method, path, status, body, fault) => {
    says = { status, type: 'application/json', body: JSON.stringify(body) ?? '' }
    await (await fetch(liar.url + path, { method })).text()
    const faults = takeFaults()
    if (fault === '') expect(faults).toEqual([])
    else expect(faults).toEqual([expect.stringContaining(fault)])
  },
)

test('an answer of an undescribed content type is a fault', async () => {
  says = { status: 200, type: 'text/plain', body: '{}' }
  await (await fetch(`${liar.url}/api/sms/usage`)).text()
  expect(takeFaults()).toEqual([expect.stringContaining('text/plain is not described')])
})
