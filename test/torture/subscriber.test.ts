import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { stopLater } from '../support/stops.ts'
import { Subscriber } from './subscriber.ts'

/** How many streams after the first end while their subscriber subscribes. */
const BROKEN = 5
/** How long the server takes to answer, and how long a second stream would take to come. */
const [ANSWER_MS, QUIET_MS] = [100, 500]

test('a subscriber whose streams end while it subscribes has one stream at a time', async () => {
  const open = new Set<ServerResponse>()
  const endAll = () => open.forEach((stream) => void stream.end())
  let [streams, most] = [0, 0]
  const server = createServer((asked, answer) => {
    if (asked.url === '/api/realtime' && asked.method === 'GET') {
      streams++
      most = Math.max(most, open.add(answer).size)
      answer.once('close', () => open.delete(answer))
      answer.write('id:a\nevent:PB_CONNECT\ndata:{}\n\n')
    } else if (asked.method === 'POST') {
      const isBroken = streams > 1 && streams <= 1 + BROKEN
      if (isBroken) endAll()
      setTimeout(() => answer.writeHead(isBroken ? 404 : 204).end(), ANSWER_MS)
    } else {
      answer.setHeader('content-type', 'application/json').end('{"items":[],"totalPages":1}')
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stopLater(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const subscriber = new Subscriber([url], 0, '')
  stopLater(() => subscriber.close())
  await subscriber.open()
  endAll()
  await expect.poll(() => subscriber.sessions.length).toBe(2)
  await sleep(QUIET_MS)
  expect({ streams, most }).toEqual({ streams: 2 + BROKEN, most: 1 })
})
