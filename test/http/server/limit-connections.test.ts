import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test as anywhere, expect, onTestFinished } from 'vitest'
import { endStalled } from '../../../src/http/server/limit-connections.ts'
import { startServer } from '../../support/server/start.ts'
import { until } from '../../support/until.ts'

// macOS has one address of its own only
const test = anywhere.skipIf(process.platform === 'darwin')
const ASK = 'GET /api/health HTTP/1.1\r\nHost: a\r\n\r\n'

/** A server that this test connects to from an address of its choice: any of 127.0.0.0/8 is this machine. */
async function serve(env: Record<string, string>) {
  const server = await startServer({ env: { MAX_CONNECTIONS_PER_ADDRESS: '3', ...env } })
  onTestFinished(() => server.stop())
  const dial = async (localAddress: string) => {
    const socket = connect({
      port: Number(new URL(server.url).port),
      host: '127.0.0.1',
      localAddress,
    })
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    socket.write(ASK)
    return { socket, answer: await firstOf(socket) }
  }
  return { server, dial }
}

/** What a connection says first, '' if it is closed. */
async function firstOf(socket: Socket): Promise<string> {
  const [chunk] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [''])])
  return String(chunk).slice(0, 12)
}

const OK = 'HTTP/1.1 200'

test('an address has a maximum number of connections, idle ones included', async () => {
  const { dial } = await serve({})
  const mine = [await dial('127.0.0.2'), await dial('127.0.0.2'), await dial('127.0.0.2')]
  expect(mine.map(({ answer }) => answer)).toEqual([OK, OK, OK])
  expect((await dial('127.0.0.2')).answer).toBe('')
  expect((await dial('127.0.0.3')).answer).toBe(OK)
  // who is there is not disturbed
  mine[0]!.socket.write(ASK)
  expect(await firstOf(mine[0]!.socket)).toBe(OK)
  mine[1]!.socket.destroy()
  await until('there is room again', async () => (await dial('127.0.0.2')).answer === OK)
})

test.each([
  ['a proxy that is trusted', { TRUSTED_PROXIES: '127.0.0.4' }, '127.0.0.4'],
  ['any address with a limit of 0', { MAX_CONNECTIONS_PER_ADDRESS: '0' }, '127.0.0.5'],
])('%s may open more connections', async (_, env, from) => {
  const { dial } = await serve(env)
  for (let i = 0; i < 6; i++) expect((await dial(from)).answer).toBe(OK)
})

test('a network may have as many connections as it leaves free for others', async () => {
  const { dial } = await serve({ MAX_CONNECTIONS: '8' })
  const opened: string[] = []
  for (const from of ['1.1', '1.1', '1.2', '1.2', '1.3', '2.1', '2.1', '2.1', '3.1'])
    if ((await dial(`127.0.${from}`)).answer === OK) opened.push(from)
  expect(opened).toEqual(['1.1', '1.1', '1.2', '1.2', '2.1', '2.1', '3.1'])
})

test('event streams behind a trusted proxy count for the networks of its clients', async () => {
  const { dial } = await serve({ MAX_CONNECTIONS: '8', TRUSTED_PROXIES: '127.0.0.4' })
  const watch = async (client: string) => {
    const { socket } = await dial('127.0.0.4')
    socket.write(`GET /api/realtime HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${client}\r\n\r\n`)
    const answer = await firstOf(socket)
    if (answer !== OK) socket.destroy()
    return { socket, answer }
  }
  const streams = [await watch('10.1.1.1'), await watch('10.1.1.2'), await watch('10.1.1.3')]
  streams.push(await watch('10.1.1.4'))
  expect(streams.map(({ answer }) => answer)).toEqual([OK, OK, OK, OK])
  expect((await watch('10.1.1.5')).answer).toBe('HTTP/1.1 429')
  expect((await watch('10.2.2.2')).answer).toBe(OK)
  for (const { socket } of streams) socket.destroy()
  await until('there is room again', async () => (await watch('10.1.1.1')).answer === OK)
})

const BATCH = 'POST /api/batch HTTP/1.1\r\nHost: a\r\n'

test.each([
  ['bodies', `${BATCH}Content-Length: 60000\r\n\r\n${'a'.repeat(60_000)}`],
  ['bodies in chunks', `${BATCH}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`],
  ['heads', `GET /api/health?${'a'.repeat(11_000)} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(4)],
])(
  'a connection may buffer 64 KiB behind a running request, then is closed: %s',
  async (_, bytes) => {
    const { dial } = await serve({})
    const { socket } = await dial('127.0.0.2')
    const closed = once(socket, 'close')
    socket.write('GET /api/realtime HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(socket, 'data')
    socket.write(bytes)
    expect((await dial('127.0.0.3')).answer).toBe(OK)
    expect(socket.closed).toBe(false)
    socket.write(bytes)
    await closed
  },
)

test('too many pipelined requests through a proxy do not block its other clients', async () => {
  const { dial } = await serve({ TRUSTED_PROXIES: '127.0.0.4' })
  const { socket } = await dial('127.0.0.4')
  const closed = once(socket, 'close')
  socket.write(`GET /api/realtime HTTP/1.1\r\nHost: a\r\n\r\n${ASK.repeat(33)}`)
  await closed
  expect((await dial('127.0.0.4')).answer).toBe(OK)
})

// HAProxy's plain `option httpchk` asks like this. RFC 1945, 5
anywhere('HTTP/1.0 needs no Host', async () => {
  const { server } = await serve({})
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write('GET /api/ready HTTP/1.0\r\n\r\n')
  expect(await firstOf(socket)).toBe(OK)
})

test('connections are not limited per address if the settings trust a proxy header', async () => {
  const { server, dial } = await serve({})
  await server.services.settings.save({
    trustedProxy: { headers: ['X-Real-IP'], useLeftmostIP: false },
  })
  for (let i = 0; i < 6; i++) expect((await dial('127.0.0.6')).answer).toBe(OK)
})

anywhere(
  'a client that takes nothing of its answer is cut off, one that waits for it is not',
  async () => {
    const cut: string[] = []
    const server = createServer(({ url }, res) => {
      res.once('close', () => void (res.writableFinished || cut.push(url!)))
      if (url === '/large') res.end(Buffer.alloc(64 << 20))
      else setTimeout(() => res.end('late'), 500)
    })
    onTestFinished(() => void server.close())
    server.setTimeout(100, endStalled)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const unread = connect(port, '127.0.0.1')
    unread.on('error', () => {})
    unread.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n')
    unread.pause()
    const late = await fetch(`http://127.0.0.1:${port}/late`)
    expect(await late.text()).toBe('late')
    await until('the client is cut off', async () => cut.length > 0)
    expect(cut).toEqual(['/large'])
    unread.destroy()
  },
)
