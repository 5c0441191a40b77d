import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { BodyRequest } from '../../../src/http/body/raw-body.ts'
import { readBody } from '../../../src/http/body/read-body.ts'
import { RequestMemory } from '../../../src/http/limit-request-memory.ts'
import { readQuery } from '../../../src/http/query.ts'
import { MAX_BODY_BYTES } from '../../../src/http/route-limits.ts'
import { makeGuestHolder } from '../../../src/platform/limits/limit-holder.ts'
import { startServerWithDevices } from '../../support/server/server-with-devices.ts'

// What no recorded case of test/conformance shows.

/** A request as Node hands it over. */
function incoming(
  type: string,
  text: string | Buffer,
  { url = '/', method = 'POST' } = {},
): Omit<BodyRequest, 'memory'> {
  const bytes = Buffer.from(text)
  return Object.assign(Readable.from(bytes.length > 0 ? [bytes] : []), {
    url,
    method,
    headers: { 'content-type': type, 'content-length': String(bytes.length) },
    mayBeLarge: true,
  }) as unknown as BodyRequest
}

/** A body that was read; what it holds of the process's memory goes back. */
async function read(request: Omit<BodyRequest, 'memory'>): ReturnType<typeof readBody> {
  const memory = new RequestMemory(makeGuestHolder('ann'))
  try {
    const body = await readBody(Object.assign(request, { memory }) as BodyRequest, MAX_BODY_BYTES)
    await body.release?.()
    return body
  } finally {
    memory.close()
  }
}

test.each([
  [
    'bytes after the JSON value are ignored',
    'application/json',
    Buffer.from('{"a":1}\xff', 'latin1'),
    { a: 1 },
  ],
  ['an empty body of any type is an empty object', 'text/plain', '', {}],
] as const)('reading a body: %s', async (_, type, text, values) => {
  expect((await read(incoming(type, text))).values).toEqual(values)
})

test('a form in the body of a DELETE request is not read', async () => {
  const request = incoming('application/x-www-form-urlencoded', 'a=%zz', {
    url: '/x?b=2',
    method: 'DELETE',
  })
  expect((await read(request)).values).toEqual({ b: 2 })
})

test('a multipart body with bare line feeds is refused', async () => {
  const form = '--x\nContent-Disposition: form-data; name="a"\n\n5\n--x--\n'
  const refused = read(incoming('multipart/form-data; boundary=x', form))
  await expect(refused).rejects.toMatchObject({ status: 400 })
})

test('a multipart form may have at most 1,000 parts, as in Go', async () => {
  const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n5\r\n'
  const form = (parts: number) =>
    incoming('multipart/form-data; boundary=x', `${part.repeat(parts)}--x--\r\n`)
  expect((await read(form(1_000))).values).toEqual({ a: Array(1_000).fill(5) })
  const message = expect.stringContaining('at most 1,000 parts')
  await expect(read(form(1_001))).rejects.toMatchObject({ status: 400, message })
})

test('a query key named __proto__ is an ordinary key', () => {
  const query = readQuery('/a?__proto__=x')
  expect(Object.hasOwn(query, '__proto__')).toBe(true)
  expect(Object.getPrototypeOf(query)).toBe(Object.prototype)
})

// Postgres does not take NUL, not even to look for it.

const server = await startServerWithDevices()
const user = await server.makeUser()

test.each([
  ['GET', '/api/sms/batches/%00', 'batch_not_found'],
  ['POST', '/api/sms/batches/a%00/cancel', 'batch_not_found'],
  ['POST', '/api/sms/batches/%00/retry', 'batch_not_found'],
  ['POST', '/api/sms/messages/%00/cancel', 'message_not_found'],
  ['POST', '/api/sms/messages/%00b/retry', 'message_not_found'],
  ['POST', '/api/webhooks/%00/test', 'webhook_not_found'],
  ['POST', '/api/webhooks/%00/rotate', 'webhook_not_found'],
  ['POST', '/api/webhooks/deliveries/%00/resend', 'delivery_not_found'],
  ['POST', '/api/mobile/v1/incoming/%00', undefined],
  ['GET', '/api/collections/contacts/records/%00', undefined],
  ['GET', '/api/collections/%00/records', undefined],
  ['GET', '/api/files/contacts/%00/a.png', undefined],
  ['GET', '/%00', undefined],
] as const)(
  'a null character in the path %s %s is answered with 404',
  async (method, path, error) => {
    const answer = await user.call(method, path, method === 'POST' ? {} : undefined)
    expect([answer.status, answer.body.error]).toEqual([404, error])
  },
)

test('a null character in the fields query is accepted', async () => {
  const { status, body } = await user.call('GET', '/api/collections/contacts/records?fields=%00')
  expect([status, body]).toEqual([200, expect.anything()])
})

test("a null character in a realtime client's id is answered with 404", async () => {
  const body = { clientId: 'a\0b', subscriptions: ['contacts'] }
  expect((await user.call('POST', '/api/realtime', body)).status).toBe(404)
})

/** What the server answers to a JSON body in chunks of this many blanks, and then `{}`. */
function answerTo(chunks: number, bytes: number): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  const chunk = `${bytes.toString(16)}\r\n${' '.repeat(bytes)}\r\n`
  socket.write(
    'POST /api/collections/users/auth-with-password HTTP/1.1\r\nHost: a\r\nConnection: close\r\n' +
      `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(chunks)}2\r\n{}\r\n0\r\n\r\n`,
  )
  return text(socket).catch((error: NodeJS.ErrnoException) => error.code ?? '')
}

// the sign-in itself lacks its values
const READ = expect.stringMatching(/^HTTP\/1\.1 400 .*validation_required/s)

test('a body may have 1,000 tiny chunks; with more the connection is closed', async () => {
  expect(await answerTo(990, 1)).toEqual(READ)
  expect(await answerTo(900, 70)).toEqual(READ)
  expect(await answerTo(1_100, 1)).not.toContain('HTTP/1.1')
})
