import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { callWebhook, TIMEOUT_MS } from '../../../src/gateway/webhooks/call-webhook.ts'
import type { DueDelivery } from '../../../src/gateway/webhooks/load-delivery.ts'
import { makeWebhookSecret } from '../../../src/gateway/webhooks/webhook-secret.ts'
import { startReceiver } from '../../support/services/receiver.ts'
import { until } from '../../support/until.ts'
import {
  deliveriesOf,
  makeWebhook,
  sendAndReport,
  startWebhookFixture,
  type WebhookFixture,
} from '../../support/webhook-fixture.ts'

/** A receiver that knows no HTTP: `speak` is called when a request has come. */
async function startRaw(speak: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.once('data', () => speak(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    sockets,
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

const due = (url: string): DueDelivery => ({
  delivery: 'delivery0000001',
  user: 'user00000000001',
  webhook: 'webhook00000001',
  eventId: 'event0000000001',
  attempts: 0,
  url,
  closed: undefined,
  format: '',
  maxAttempts: 10,
  event: 'message.sent',
  image: {},
  files: [],
  apiKey: '',
  secrets: [makeWebhookSecret()],
  body: '{}',
})

const OK = 'HTTP/1.1 200 OK\r\n'
const never = new AbortController().signal

describe('an attempt', () => {
  /** Writes on and on, as fast as it is taken. */
  const flood =
    (chunk: string | Buffer) =>
    (socket: Socket): void => {
      const more = (): void => {
        while (!socket.destroyed && socket.write(chunk));
      }
      socket.on('drain', more)
      more()
    }

  const broken: readonly (readonly [
    what: string,
    speak: (socket: Socket) => void,
    outcome: object,
  ])[] = [
    [
      'a body without end',
      (socket: Socket) => {
        socket.write(`${OK}\r\n`)
        flood('x'.repeat(65_536))(socket)
      },
      { status: 200, text: 'x'.repeat(1024) },
    ],
    [
      'a body longer than its content-length',
      (socket: Socket) => void socket.write(`${OK}content-length: 1\r\n\r\n${'y'.repeat(1e6)}`),
      { status: 0 },
    ],
    ['headers without end', flood(`${OK}x: ${'z'.repeat(60_000)}\r\n`), { status: 0 }],
    ['many small headers', flood('HTTP/1.1 200 OK\r\na: b\r\n'), { status: 0 }],
    ['no HTTP', (socket: Socket) => void socket.write('hello\r\n\r\n'), { status: 0 }],
    ['no answer and hangs up', (socket: Socket) => socket.destroy(), { status: 0 }],
    [
      'another protocol',
      (socket: Socket) =>
        void socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
        ),
      { status: 0 },
    ],
    [
      'endless hints and no answer',
      flood('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
      { status: 0 },
    ],
  ]
  test.each(broken)(
    'an attempt against a receiver that sends %s ends in time with little memory and the outcome $2',
    async (_, speak, expected) => {
      const raw = await startRaw(speak)
      const begun = performance.now()
      const before = process.memoryUsage().rss
      const outcome = await callWebhook(due(raw.url), true, never)
      expect(outcome).toMatchObject(expected)
      expect(performance.now() - begun).toBeLessThan(TIMEOUT_MS + 2_000)
      expect(process.memoryUsage().rss - before).toBeLessThan(150e6)
      await until('the connection is closed', () => raw.sockets.size === 0)
    },
  )

  test('an attempt does not unpack a gzip bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(20e6))
    const receiver = await startReceiver()
    receiver.behave((_, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
    const { status, text } = await callWebhook(due(receiver.url), true, never)
    await receiver.stop()
    expect(status).toBe(200)
    expect(text.length).toBeLessThanOrEqual(1024)
    expect(text).not.toContain('\0')
  })

  const slow: readonly (readonly [what: string, speak: (socket: Socket) => void])[] = [
    ['nothing', () => {}],
    [
      'a byte now and then',
      (socket: Socket) => {
        socket.write(`${OK}content-length: 1000\r\n\r\n`)
        const timer = setInterval(() => socket.write('.'), 200)
        socket.on('close', () => clearInterval(timer))
      },
    ],
  ]
  test.concurrent.for(slow)(
    'an attempt against a receiver that %s times out',
    async ([, speak], { expect }) => {
      const raw = await startRaw(speak)
      const outcome = await callWebhook(due(raw.url), true, never)
      expect(outcome).toMatchObject({ status: 0, text: `${raw.url} did not answer in time` })
      expect(outcome.latencyMs).toBeGreaterThan(TIMEOUT_MS - 100)
      expect(outcome.latencyMs).toBeLessThan(TIMEOUT_MS + 1_000)
      await until('the connection is closed', () => raw.sockets.size === 0)
    },
  )
})

describe('a slow receiver', () => {
  let fixture: WebhookFixture
  beforeAll(async () => {
    fixture = await startWebhookFixture()
  })
  let slow: Awaited<ReturnType<typeof startReceiver>>
  beforeEach(async () => {
    slow = await startReceiver()
    slow.behave(() => {})
  })
  afterEach(() => slow.stop())

  test('a slow receiver does not delay other users, and gets at most five calls at once', async () => {
    const { gateway, receiver } = fixture
    const [dawdler, other] = [await gateway.makeUser(), await gateway.makeUser()]
    await makeWebhook(dawdler, slow.url)
    await makeWebhook(other, receiver.url)
    const [phone, another] = [await gateway.pair(dawdler), await gateway.pair(other)]
    await sendAndReport(dawdler, phone, 90, 'sent', 'delivered')
    await slow.heard(5)
    await sendAndReport(other, another, 20, 'sent')
    await receiver.heard(20)
    // the slow ones are still at it: nobody waited for one of them to end
    expect(slow.told).toHaveLength(5)
    expect(slow.most()).toBe(5)
    expect((await deliveriesOf(dawdler)).filter(({ status }) => status === 'pending')).toHaveLength(
      180,
    )
  })
})
