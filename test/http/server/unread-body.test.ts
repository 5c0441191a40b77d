import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { startServer } from '../../support/server/start.ts'

const server = await startServer()
afterAll(() => server.stop())

/** Sends a request whose body stays incomplete. Returns the status and the header Connection. */
async function ask(
  line: string,
  header: string,
  body = '',
): Promise<[status: number, connection?: string]> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  socket.write(
    `${line} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${header}\r\n\r\n${body}`,
  )
  const answer = await text(socket)
  return [Number(answer.slice(9, 12)), /^connection: (\S+)/im.exec(answer)?.[1]]
}

const MIB = 1 << 20
const SIGN_IN = 'POST /api/collections/users/auth-with-password'
const chunkOf = (size: number) =>
  `${size.toString(16)}\r\n{"identity":"${'x'.repeat(size - 13)}\r\n`

test.each([
  [
    'declared beyond 32 MiB, on a route that reads none',
    'GET /api/nope',
    `Content-Length: ${33 * MIB}`,
    '',
    413,
  ],
  [
    'declared beyond 32 MiB, by a guest',
    'PATCH /api/settings',
    `Content-Length: ${33 * MIB}`,
    '',
    413,
  ],
  ['declared beyond the limit of sign-ins', SIGN_IN, `Content-Length: ${2 * MIB}`, '', 413],
  ['that grows beyond the limit', SIGN_IN, 'Transfer-Encoding: chunked', chunkOf(2 * MIB), 413],
  [
    'of more than 256 KiB that no route reads',
    'GET /api/health',
    `Content-Length: ${MIB}`,
    '',
    200,
  ],
])(
  'a body %s is answered with $4, and the connection closes',
  async (_, line, header, body, status) => {
    expect(await ask(line, header, body)).toEqual([status, 'close'])
  },
)

test('a body that was read leaves the connection open', async () => {
  const answer = await fetch(`${server.url}/api/collections/users/auth-with-password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identity: 'x'.repeat(40_000), password: '' }),
  })
  expect([answer.status, answer.headers.get('connection')]).toEqual([400, 'keep-alive'])
})
