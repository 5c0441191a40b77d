import { DEL, GET, PATCH, POST, qs, REQ, recs } from '../dsl.mjs'
export function define(book) {
  const A = book.area('misc')
  const O = (st, why, o) => A.one(st, why, o)
  const H = (...h) => ({ rec: h })
  O(GET('guest', '/api/health', H('content-type')), 'health')
  O(GET('alice', '/api/health'), 'health as a user')
  O(GET('super', '/api/health', { volatile: { '/data/realIP': 'any' } }), 'health as superuser')
  O(REQ('guest', 'HEAD', '/api/health', H('content-type')), 'HEAD health')
  O(POST('guest', '/api/health', {}), 'POST health')
  O(DEL('guest', '/api/health'), 'DELETE health')
  O(GET('guest', '/api/health/'), 'trailing slash')
  O(GET('guest', '/api/health?x=1'), 'with a query')
  for (const p of [
    '/api',
    '/api/',
    '/api/nope',
    '/api/nope/deeper',
    '/api/collections/users',
    '/api/records',
    '/api/collections/users/nope',
    '/api/settings/nope',
    '/api/%20',
    '/api/health%2F',
  ])
    for (const m of ['GET', 'POST']) O(REQ('guest', m, p, m === 'POST' ? { body: {} } : {}), `${m} ${p}`)
  for (const p of [
    '/api/logs',
    '/api/logs/stats',
    '/api/logs/x',
    '/api/settings',
    '/api/backups',
    '/api/crons',
    '/api/collections/meta/scaffolds',
    '/api/collections/meta/oauth2-providers',
  ])
    for (const as of ['guest', 'alice', 'device_a1']) O(GET(as, p), `${p} as ${as}`)
  O(PATCH('alice', '/api/settings', {}), 'settings as a user')
  O(POST('alice', '/api/backups', {}), 'backup as a user')
  O(POST('guest', '/api/settings/test/email', {}), 'test mail as guest')
  O(GET('super', '/api/logs?perPage=x'), 'logs with a bad page')
  O(GET('super', '/api/logs/nope'), 'unknown log')
  O(GET('super', `/api/settings${qs({ fields: 'batch' })}`), 'batch settings')
  O(POST('alice', '/api/files/token'), 'a file token')
  O(POST('guest', '/api/files/token'), 'a file token as guest')
  O(POST('super', '/api/files/token', undefined, { decode: '/body/token' }), 'a file token as superuser')
  O(GET('guest', '/api/files/demo_types/typesfull000001/nope.png'), 'unknown file')
  O(GET('guest', '/api/files/nope/x/y.png'), 'unknown collection of a file')
  O(GET('guest', '/api/files/demo_types/nonexistent0000/y.png'), 'unknown record of a file')
  O(
    GET('alice', recs('sms_messages', null, { sort: 'id', perPage: 3 }), {
      headers: { 'accept-encoding': 'gzip' },
    }),
    'a client that takes gzip',
  )
  O(
    GET('guest', '/api/health', { headers: { 'accept-encoding': 'br, gzip, deflate' } }),
    'a client that takes any compression',
  )
  // CORS
  const cors = [
    'access-control-allow-origin',
    'access-control-allow-methods',
    'access-control-allow-headers',
    'access-control-allow-credentials',
    'access-control-max-age',
    'vary',
  ]
  O(
    GET('guest', '/api/health', { headers: { origin: 'https://app.example' }, ...H(...cors) }),
    'CORS on a simple request',
  )
  O(GET('guest', '/api/health', H(...cors)), 'no Origin')
  O(
    REQ('guest', 'OPTIONS', '/api/health', {
      headers: { origin: 'https://app.example', 'access-control-request-method': 'GET' },
      ...H(...cors),
    }),
    'preflight',
  )
  O(
    REQ('guest', 'OPTIONS', recs('contacts'), {
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
      ...H(...cors),
    }),
    'preflight with headers',
  )
  O(
    REQ('guest', 'OPTIONS', '/api/nope', {
      headers: { origin: 'https://app.example', 'access-control-request-method': 'GET' },
      ...H(...cors),
    }),
    'preflight of an unknown route',
  )
  O(REQ('guest', 'OPTIONS', '/api/health', H(...cors)), 'OPTIONS without Origin')
  O(
    GET('guest', '/api/nope', { headers: { origin: 'https://app.example' }, ...H(...cors) }),
    'CORS on an error',
  )
  O(
    GET('guest', '/api/health', { headers: { origin: 'null' }, ...H('access-control-allow-origin') }),
    'Origin null',
  )
  // headers
  O(
    GET(
      'alice',
      recs('contacts', null, { perPage: 1, sort: 'id', fields: 'id' }),
      H('content-type', 'x-content-type-options', 'x-frame-options', 'x-xss-protection'),
    ),
    'headers of a list',
  )
  O(GET('guest', '/api/nope', H('content-type', 'x-content-type-options')), 'headers of an error')
  O(REQ('alice', 'HEAD', recs('contacts', null, { perPage: 1 }), H('content-type')), 'HEAD of a list')
  O(REQ('alice', 'HEAD', recs('contacts', 'nonexistent0000'), H('content-type')), 'HEAD of nothing')
  O(REQ('alice', 'HEAD', '/api/nope'), 'HEAD of an unknown route')
  O(
    GET('alice', recs('demo_public', null, { sort: 'n', fields: 'n' }), {
      headers: { accept: 'text/html' },
      ...H('content-type'),
    }),
    'Accept is ignored',
  )
  O(
    GET('alice', recs('demo_public', null, { sort: 'n', fields: 'n' }), {
      headers: { 'accept-language': 'de' },
    }),
    'Accept-Language is ignored',
  )
  O(
    GET('alice', recs('demo_public', null, { sort: 'n', fields: 'n' }), {
      headers: { 'if-none-match': '*' },
    }),
    'If-None-Match is ignored',
  )
  O(
    GET('alice', recs('demo_public', null, { sort: 'n', fields: 'n' }), { headers: { range: 'bytes=0-3' } }),
    'Range is ignored',
  )
  O(
    REQ('alice', 'POST', recs('demo_public', 'public000000001'), {
      body: { label: 'x' },
      headers: { 'x-http-method-override': 'PATCH' },
    }),
    'method override is ignored',
  )
  O(
    GET('alice', recs('demo_public', null, { sort: 'n', fields: 'n', _method: 'DELETE' })),
    'method in the query is ignored',
  )
  O(REQ('guest', 'TRACE', '/api/health'), 'TRACE')
  O(REQ('guest', 'PATCH', '/api/health', { body: {} }), 'PATCH health')
  O(REQ('guest', 'PUT', '/api/health', { body: {} }), 'PUT health')
  O(GET('guest', '/api/collections/demo_public/records?sort=n&fields=n#frag'.replace('#frag', '')), 'plain')
  O(GET('guest', '/api/./health'), 'dot in the path')
  O(GET('guest', '/api/x/../health'), 'dots in the path')
  O(GET('guest', '//api/health'), 'double slash at the start')
  for (const [f, d] of [
    ['label', 'first'],
    ['n', 3],
  ])
    A.list(
      'guest',
      'demo_public',
      { filter: `${f} = ${JSON.stringify(d)}`, sort: 'n' },
      `JSON number and text: ${f}`,
    )
}
