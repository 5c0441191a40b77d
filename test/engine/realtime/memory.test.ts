import {
  Client,
  type ClientConnection,
  CONNECTION_LIMITS,
} from '../../../src/engine/realtime/client.ts'
import { makeClientRegistry } from '../../../src/engine/realtime/client-registry.ts'
import { makeEventFlusher } from '../../../src/engine/realtime/flush-events.ts'
import { estimateTopicBytes, readTopic } from '../../../src/engine/realtime/topic.ts'
import { Budget } from '../../../src/platform/limits/byte-budget.ts'
import { makeGuestHolder } from '../../../src/platform/limits/limit-holder.ts'

const SINCE = { xmin: 0, xmax: 0, running: new Set<number>() }
const topicsOf = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    readTopic(`news?${i}`, JSON.stringify({ query: { filter: `a = ${i}` } })),
  )

/** A connection whose reader takes nothing before `take`. */
class Reader implements ClientConnection {
  isOver = false
  readonly held: (() => void)[] = []
  write = (_: string, taken: () => void) => void this.held.push(taken)
  take = () => {
    for (const taken of this.held.splice(0)) taken()
  }
  end = () => {
    this.isOver = true
  }
  cut = this.end
}

function node(total: number) {
  const memory = new Budget({ name: 'memory', total })
  const registry = makeClientRegistry()
  const flusher = makeEventFlusher()
  const open = (account: string, connection: ClientConnection = new Reader()) => {
    const origin = { ip: '192.0.2.1', holder: makeGuestHolder(account) }
    const { guest: viewer } = registry.viewers
    const over = () => registry.remove(client)
    const parts = { origin, viewer, connection, limits: CONNECTION_LIMITS, flusher, memory, over }
    const client: Client = new Client('node', parts)
    registry.clients.set(client.id, client)
    return client
  }
  const subscribe = (client: Client, count: number) =>
    registry.subscribe(client, registry.viewers.guest, topicsOf(count), SINCE)
  return { memory, registry, open, subscribe }
}

test("subscriptions above a holder's memory are refused, earlier ones stay and other holders have room", () => {
  const { open, subscribe, memory } = node(100 * estimateTopicBytes(topicsOf(1)[0]!))
  const [first, second, other] = [open('ann'), open('ann'), open('ben')]
  subscribe(first, 40)
  expect(() => subscribe(second, 20)).toThrow(/memory is used up/)
  expect(second.subscriptions.size).toBe(0)
  subscribe(other, 20)
  subscribe(first, 10)
  subscribe(second, 20)
  for (const client of [first, second, other]) client.close()
  expect(memory.taken).toBe(0)
})

test("a client that does not read is cut off when its holder's memory is used up", async () => {
  const { open, memory } = node(1_000_000)
  const [slow, slower, quick] = [new Reader(), new Reader(), new Reader()]
  const clients = [open('ann', slow), open('ann', slower), open('ben', quick)] as const
  const send = async (at: 0 | 1 | 2, bytes: number) => {
    clients[at].send('news', 'x'.repeat(bytes))
    await new Promise(setImmediate)
  }
  await send(0, 300_000)
  await send(1, 300_000)
  await send(2, 200_000)
  expect([slow, slower, quick].map(({ isOver }) => isOver)).toEqual([false, true, false])
  slow.take()
  quick.take()
  expect(memory.taken).toBe(0)
  await send(0, 300_000)
  expect(slow.isOver).toBe(false)
  for (const client of clients) client.close()
})

test('a client that does not read is cut off before it takes three times its limit', () => {
  const { open, memory } = node(1 << 30)
  const reader = new Reader()
  const client = open('ann', reader)
  for (let i = 0; i < 100; i++) client.send('news', 'x'.repeat(300_000))
  expect(reader.isOver).toBe(true)
  expect(memory.taken).toBeLessThan(3 * CONNECTION_LIMITS.maxUnread)
  client.close()
  expect(memory.taken).toBe(0)
})
