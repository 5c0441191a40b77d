import { once } from 'node:events'
import { request as ask } from 'node:http'
import { connect, type Socket } from 'node:net'
import { isTooComplex } from '../../../src/engine/fields/json-text.ts'
import { JSON_BOUNDS, parseStrict } from '../../../src/http/body/raw-body.ts'
import { makeHstsHeader } from '../../../src/http/server/before-routes.ts'
import { CONNECTION_OPTIONS } from '../../../src/http/server/limit-connections.ts'
import { startCpuTimer } from '../../support/server/cpu-timer.ts'
import { PASSWORD, startServerWithMail } from '../../support/server/server-with-mail.ts'

const server = await startServerWithMail({ PUBLIC_URL: 'https://sms.example.com', HSTS_DAYS: '30' })
const user = await server.addUser('ann@example.com', { monthly_quota: 5 })
const token = await server.signIn('users', 'ann@example.com', PASSWORD)

/** A connection that begins with this text. */
function say(text: string): Socket {
  const socket = connect(Number(new URL(server.server.url).port), '127.0.0.1')
  socket.write(text)
  return socket
}

/** What a connection was answered by the time it ended, of which `limitMs` may pass. */
const untilClosed = (socket: Socket, limitMs = 20_000) =>
  new Promise<string>((resolve, reject) => {
    let text = ''
    const late = setTimeout(() => reject(new Error('still open')), limitMs)
    socket.on('data', (chunk) => {
      text += String(chunk)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(late)
      resolve(text)
    })
  })

/** What a client is told that sends its head byte by byte; begun at once, as that takes so long. */
async function sendSlowHead(): Promise<string> {
  const socket = say('GET /api/health HTTP/1.1\r\nHost: a\r\nX-Slow: ')
  const drip = setInterval(() => socket.write('a'), 1_000)
  const { headersTimeout, connectionsCheckingInterval } = CONNECTION_OPTIONS
  const told = untilClosed(socket, headersTimeout + 3 * connectionsCheckingInterval)
  return told.finally(() => clearInterval(drip))
}
const slowHead = sendSlowHead()

const lists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const keys = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join()}}`

test.each([
  ['deep lists', lists(2_000)],
  ['deep objects', objects(2_000)],
  ['a list that never ends', '['.repeat(5_000)],
  ['20,000 keys', keys(20_000)],
  ['keys deep inside', `{"data":${keys(300_000)}}`],
  ['a list of many numbers', `{"data":[${'1,'.repeat(1_100_000)}1]}`],
  ['many empty lists', `{"data":[${'[],'.repeat(100_001)}1]}`],
  ['many short texts', `{"data":[${'"a",'.repeat(100_001)}1]}`],
  ['many keys deep inside', `{"data":${keys(30_001)}}`],
])('JSON with %s is too complex', (_, json) => expect(isTooComplex(json, JSON_BOUNDS)).toBe(true))

test.each([
  ['as many numbers as a JSON field accepts', `{"data":[${'1,'.repeat(520_000)}1]}`],
  ['commas in a text', JSON.stringify({ body: ','.repeat(2_000_000) })],
  ['brackets in a text', JSON.stringify({ body: lists(5_000) })],
  ['a text with quotes', JSON.stringify({ body: '"['.repeat(5_000) })],
  ['many texts', JSON.stringify({ recipients: Array(20_000).fill('+4915112345678') })],
  ['a field with much in it', `{"data":${keys(20_000)}}`],
])('JSON with %s is not too complex', (_, json) =>
  expect(isTooComplex(json, JSON_BOUNDS)).toBe(false),
)

test.each([
  ['a large exponent', '{"a":1e308,"b":1e309}'],
  ['a negative number', '[-1e999]'],
  ['300 digits and an exponent', `[${'1'.repeat(300)}e99]`],
  ['many digits', `{"a":${'1'.repeat(310)}}`],
  ['an exponent in an unfinished object', '{"a":1e999999'],
])('JSON whose number is out of range is refused: %s', (_, json) => {
  expect(() => parseStrict(json)).toThrow(SyntaxError)
})

test.each([
  ['the greatest number', '{"a":1.7976931348623157e308}'],
  ['a small exponent', '{"a":1e-999}'],
  ['such a number in a text', '{"a":"\\"1e999"}'],
  ['many digits of a fraction', `{"a":0.${'1'.repeat(400)}}`],
])('JSON with %s is accepted', (_, json) => {
  expect(() => parseStrict(json)).not.toThrow()
})

const RECORDS = '/api/collections/contacts/records'
const SIGN_IN = '/api/collections/users/auth-with-password'
const FORM = 'application/x-www-form-urlencoded'
const post = (path: string, body: string, type = 'application/json', headers = {}) =>
  fetch(server.server.url + path, {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body,
  })

test.each([
  ['a record', RECORDS, `{"data":${lists(20_000)}}`, 'application/json', 400],
  ['a sign-in', SIGN_IN, `{"identity":${lists(20_000)}}`, '', 400],
  ['a batch', '/api/batch', `{"requests":${objects(10_000)}}`, '', 400],
  ['a subscription', '/api/realtime', `{"clientId":"a","subscriptions":${lists(20_000)}}`, '', 400],
  ['a pairing', '/api/devices/pair', `{"code":"123456","sims":${lists(20_000)}}`, '', 400],
  ['a form of many parts', RECORDS, 'a=1&'.repeat(15_000), FORM, 400],
  ['a sign-in of more than a megabyte', SIGN_IN, 'a'.repeat(2 << 20), FORM, 413],
])(
  '%s with absurdly complex content is refused with $4 at once',
  async (_, path, body, type, status) => {
    expect((await post(path, body, type || undefined)).status).toBe(status)
  },
)

/** The status of an answer to a request that only says how long it is: nobody waits for the rest. */
async function statusOfLength(
  method: string,
  path: string,
  type: string,
  bytes: number,
): Promise<number> {
  const { hostname, port } = new URL(server.server.url)
  const headers = { 'content-type': type, 'content-length': bytes, ...(await server.superuser()) }
  const request = ask({ hostname, port, method, path, headers, agent: false })
  request.flushHeaders()
  const [{ statusCode }] = await once(request, 'response')
  request.on('error', () => undefined).destroy()
  return statusCode
}

const MULTIPART = 'multipart/form-data; boundary=x'
test.each([
  ['a record', 'POST', '/api/collections/contact_groups/records', 'application/json'],
  ['a record with a file', 'POST', '/api/collections/contact_groups/records', MULTIPART],
  ['a batch with files', 'POST', '/api/batch', MULTIPART],
  ['a sign-in in parts', 'POST', SIGN_IN, MULTIPART],
  ['settings', 'PATCH', '/api/settings', 'application/json'],
  ['settings in parts', 'PATCH', '/api/settings', MULTIPART],
  ['a test mail', 'POST', '/api/settings/test/email', 'application/json'],
  ['a subscription', 'POST', '/api/realtime', 'application/json'],
  ['a subscription in parts', 'POST', '/api/realtime', MULTIPART],
])('%s with an excessive Content-Length is refused with 413', async (_, method, path, type) => {
  expect(await statusOfLength(method, path, type, 200 << 20)).toBe(413)
})

test.each([
  ['JSON', 'application/json', '{"__proto__":{"monthly_quota":1000},"name":"A"}'],
  [
    'a form',
    FORM,
    `@jsonPayload=${encodeURIComponent('{"__proto__":{"monthly_quota":1000},"name":"B"}')}`,
  ],
  ['a field of a form', FORM, '__proto__.monthly_quota=1000&name=C'],
])('a __proto__ key does not bypass field rules: %s', async (_, type, body) => {
  const headers = { 'content-type': type, authorization: token }
  const answer = await server.call('PATCH', `/api/collections/users/records/${user}`, body, headers)
  expect(answer).toMatchObject({ status: 200, body: { monthly_quota: 5 } })
  expect(({} as Record<string, unknown>).monthly_quota).toBeUndefined()
})

test('every answer has the security headers', async () => {
  const origin = 'https://evil.example'
  const { headers } = await server.call('GET', '/api/health', undefined, { origin })
  expect(Object.fromEntries(headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'strict-transport-security': 'max-age=2592000',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
    'cross-origin-opener-policy': 'same-origin',
  })
  for (const name of ['access-control-allow-credentials', 'server', 'x-powered-by', 'set-cookie'])
    expect(headers.get(name)).toBeNull()
})

test.each([
  ['a sign-in', SIGN_IN, { identity: 'ann@example.com', password: PASSWORD }],
  ['a new token', '/api/collections/users/auth-refresh', {}],
  ['a file token', '/api/files/token', {}],
  ['a key', '/api/collections/api_keys/records', { name: 'shop' }],
  ['a pairing code', '/api/devices/pairing', {}],
])('an answer with secrets is not cacheable: %s', async (_, path, body) => {
  const given = JSON.stringify({ ...body, ...('name' in body && { user }) })
  const answer = await post(path, given, undefined, { authorization: token })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('cache-control')).toBe('no-store')
})

test.each([
  ['an https address', 'https://sms.example.com', 365, 'max-age=31536000'],
  ['an http address', 'http://127.0.0.1:8090', 365, ''],
  ['an https address with a duration of 0 days', 'https://sms.example.com', 0, ''],
])('Strict-Transport-Security for %s is "$3"', (_, publicUrl, hstsDays, header) => {
  expect(makeHstsHeader({ publicUrl, hstsDays })).toBe(header)
})

const BATCH = 'POST /api/batch HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n'
const EVIL = 'GET //.//\\evil.example HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

test.each([
  ['two lengths', `${BATCH}Content-Length: 2\r\n\r\na`, 400],
  ['a length and chunks', `${BATCH}Transfer-Encoding: chunked\r\n\r\n`, 400],
  ['a path that looks like another host', EVIL, 307],
])(
  'the raw request with %s is answered with $2 and not redirected to another host',
  async (_, text, status) => {
    const answer = await untilClosed(say(text))
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(answer).not.toMatch(/location: (\/[/\\]|\w+:)/i)
  },
)

test.each([
  [
    'a head that is too large',
    `GET /api/health HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
    431,
    'headers',
  ],
  ['data that is not HTTP', 'HELO mail.example.com\r\n\r\n', 400, 'HTTP'],
])('%s is answered with $2 and a JSON error about "$3"', async (_, text, status, word) => {
  const [head, body] = (await untilClosed(say(text))).split('\r\n\r\n') as [string, string]
  expect(head).toContain('Content-Type: application/json')
  expect(JSON.parse(body)).toEqual({ data: {}, message: expect.stringContaining(word), status })
})

test('a protocol error behind a request is not mixed into its answer', async () => {
  const socket = say('GET /api/health HTTP/1.1\r\nHost: a\r\n\r\nHELO mail.example.com\r\n\r\n')
  const answers = (await untilClosed(socket)).match(/HTTP\/1\.1 \d+/g)
  expect([['HTTP/1.1 200', 'HTTP/1.1 400'], ['HTTP/1.1 400']]).toContainEqual(answers)
})

test('file names of 12,000 slashes do not block the server', async () => {
  const form = new FormData()
  for (let i = 0; i < 40; i++) form.append(`f${i}`, new Blob(['x']), `a${'/'.repeat(12_000)}b`)
  const took = startCpuTimer()
  const answer = await fetch(server.server.url + RECORDS, { method: 'POST', body: form })
  expect(answer.status).toBeLessThan(500)
  expect(took()).toBeLessThan(4_000)
})

test('a request head that arrives too slowly is cut off with 408', {
  timeout: 60_000,
}, async () => {
  expect(await slowHead).toMatch(/^HTTP\/1\.1 408 /)
})
