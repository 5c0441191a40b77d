import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { startServer } from '../../support/server/start.ts'

const server = await startServer()

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

test('a body may have 1,000 tiny chunks', async () => {
  expect(await answerTo(990, 1)).toEqual(READ)
})

test('and more that are not tiny', async () => {
  expect(await answerTo(900, 70)).toEqual(READ)
})

test('the connection is closed when more are', async () => {
  expect(await answerTo(1_100, 1)).not.toContain('HTTP/1.1')
})
