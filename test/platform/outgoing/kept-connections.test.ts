import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { sendOutgoing } from '../../../src/platform/outgoing/send-request.ts'
import { stopLater } from '../../support/stops.ts'

const connections: Socket[] = []
/** What the receiver does with a request: it may destroy the connection instead of answering. */
let answer: (socket: Socket) => string | undefined = () => 'taken'
const receiver: Server = createServer((request, response) => {
  const text = answer(request.socket)
  if (text === undefined) request.socket.destroy()
  else response.end(text)
})
receiver.on('connection', (socket) => connections.push(socket))
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
stopLater(() => void receiver.close())
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`

beforeEach(() => {
  for (const socket of connections.splice(0)) socket.destroy()
  answer = () => 'taken'
})

const send = async (mayRepeat: boolean) => {
  const limits = { allowPrivate: true, maxBodyBytes: 100, mayRepeat }
  const { body } = await sendOutgoing({ url, method: 'POST', headers: {}, body: '{}' }, limits)
  return body.toString()
}

test.each([
  [true, 1],
  [false, 3],
])(
  'of three requests that may be repeated (%s), %i connections are made',
  async (mayRepeat, count) => {
    for (let i = 0; i < 3; i++) expect(await send(mayRepeat)).toBe('taken')
    expect(connections).toHaveLength(count)
  },
)

test('a request goes to a new connection when the kept one is closed instead of answered', async () => {
  await send(true)
  const [first] = connections
  answer = (socket) => (socket === first ? undefined : 'taken anew')
  expect(await send(true)).toBe('taken anew')
  expect(connections).toHaveLength(2)
})

test('a request that a new connection does not answer fails and is not repeated', async () => {
  answer = () => undefined
  await expect(send(true)).rejects.toThrow()
  expect(connections).toHaveLength(1)
})

test('a connection with an answer longer than the read limit is not kept', async () => {
  answer = () => 'x'.repeat(100_000)
  expect(await send(true)).toHaveLength(100)
  await send(true)
  expect(connections).toHaveLength(2)
})
