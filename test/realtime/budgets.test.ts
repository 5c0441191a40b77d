import { expect, test } from 'vitest'
import { Client, type ClientConnection, LIMITS } from '../../src/realtime/clients/client.ts'
import { Flusher } from '../../src/realtime/clients/flusher.ts'
import { Shares } from '../../src/realtime/clients/shares.ts'
import { readTopic, type Topic } from '../../src/realtime/clients/topic.ts'
import { weightOf } from '../../src/realtime/clients/weight.ts'
import { BUDGETS } from '../../src/realtime/limits/budgets.ts'

const filtered = (filter: string) => readTopic(`news?${filter}`, JSON.stringify({ query: { filter } }))
const SINCE = { xmin: 0, xmax: 0, running: new Set<number>() }

class Reader implements ClientConnection {
  held = 0
  isOver = false
  write = (text: string) => {
    this.held += text.length
  }
  waiting = () => this.held
  end = () => {
    this.isOver = true
  }
  cut = () => {
    this.isOver = true
  }
}

function streams(budgets = BUDGETS) {
  const evicted: Client[] = []
  const shares: Shares = new Shares(budgets, (client) => {
    evicted.push(client)
    shares.leave(client)
    client.subscriptions = new Map()
  })
  const flusher = new Flusher(budgets.unreadBytes)
  const open = (key: string, connection: ClientConnection = new Reader()) => {
    const viewer = { key, auth: null }
    const owner = shares.ownerOf(viewer, '192.0.2.1')
    const origin = { ip: '192.0.2.1', network: '192.0.2.1' }
    const client = new Client('node', { origin, viewer, owner, connection, limits: LIMITS, flusher })
    shares.enter(client)
    return client
  }
  const subscribe = (client: Client, topics: readonly Topic[]) => {
    shares.charge(client, client.owner, topics)
    client.subscriptions = new Map(topics.map((topic) => [topic.name, { topic, since: SINCE }]))
  }
  return { shares, evicted, open, subscribe }
}

const many = (count: number, filter: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => filtered(filter(i)))

test('filters that differ in values have one shape, others have their own', () => {
  const shapes = (...filters: string[]) =>
    new Set(filters.map((filter) => weightOf(filtered(filter)).shape)).size
  expect(shapes(`a = 'x' && b > 5`, `a = "it's" && b > 70.5`)).toBe(1)
  expect(shapes('a.0 = 1', 'a.1 = 1')).toBe(2)
  expect(shapes(`a = 1 // '\n && b = 1 // '`, `a = 1 // '\n && c = 1 // '`)).toBe(2)
  expect(shapes(String.raw`a = '\\' && b = '`, String.raw`a = '\\' && c = '`)).toBe(2)
})

test('an account may hold 100 shapes, the guests of an address 50; what it had stays', () => {
  const { open, subscribe } = streams()
  for (const [key, max] of [
    ['users/ann', 100],
    ['', 50],
  ] as const) {
    const [first, second] = [open(key), open(key)]
    subscribe(
      first,
      many(max, (i) => `f${i} = 1`),
    )
    const before = first.owner.bytes
    expect(() => subscribe(second, [filtered('other = 1')])).toThrow(/Too many different subscriptions/)
    expect(first.owner.bytes).toBe(before)
    subscribe(second, [filtered('f0 = 2')])
    subscribe(first, [filtered('other = 1')])
    subscribe(first, [])
    subscribe(second, [])
    expect([first.owner.bytes, first.owner.topics.size, first.owner.shapes.size]).toEqual([0, 0, 0])
  }
})

test('100 streams of one owner with 1,000 long topics stay within its share', () => {
  const { open, subscribe, shares } = streams()
  const long = (i: number) => readTopic(`news/${i}?${'x'.repeat(2_400)}`)
  const taken = Array.from({ length: 100 }, (_, stream) => {
    const topics = Array.from({ length: 1_000 }, (_, i) => long(stream * 1_000 + i))
    try {
      subscribe(open('users/ann'), topics)
      return true
    } catch {
      return false
    }
  })
  expect(taken.filter((isTaken) => isTaken).length).toBe(1)
  expect(shares.total).toBeLessThanOrEqual(BUDGETS.ownerBytes)
})

test('equal topics of many streams are charged once', () => {
  const { open, subscribe, shares } = streams()
  const topics = Array.from({ length: 10 }, (_, i) => readTopic(`news/${i}?${'x'.repeat(2_000)}`))
  subscribe(open('users/ann'), topics)
  const one = shares.total
  for (let i = 0; i < 99; i++) subscribe(open('users/ann'), topics)
  expect(shares.total).toBeLessThan(8 * one)
})

test('where all together have too much, the largest loses a stream, and cannot have more', () => {
  const { open, subscribe, evicted } = streams({ ...BUDGETS, totalBytes: 100_000 })
  const [large, small, none] = [open('users/ann'), open('users/ben'), open('users/cy')]
  subscribe(
    large,
    many(60, (i) => `a = ${i}`),
  )
  expect(() =>
    subscribe(
      open('users/ann'),
      many(60, (i) => `b = ${i}`),
    ),
  ).toThrow(/Too many/)
  subscribe(
    small,
    many(40, (i) => `c = ${i}`),
  )
  subscribe(none, [filtered('d = 1')])
  expect(evicted).toEqual([large])
})

test('of clients that do not read, those who hold most are cut off when all hold too much', async () => {
  const { open } = streams({ ...BUDGETS, unreadBytes: 1_000_000 })
  const [slow, slower, quick] = [new Reader(), new Reader(), new Reader()]
  const clients = [slow, slower, quick].map((line) => open('users/ann', line))
  clients[0]!.send('news', 'x'.repeat(300_000))
  clients[1]!.send('news', 'x'.repeat(900_000))
  await expect.poll(() => slower.isOver).toBe(true)
  clients[2]!.send('news', 'x')
  await expect.poll(() => quick.held).toBeGreaterThan(100)
  expect([slow.isOver, quick.isOver]).toEqual([false, false])
  for (const client of clients) client.close()
})

test('one client holds no more than its limit and an event, however much comes at once', () => {
  const { open } = streams()
  const line = new Reader()
  const client = open('users/ann', line)
  for (let i = 0; i < 100; i++) client.send('news', 'x'.repeat(300_000))
  expect(line.isOver).toBe(true)
  expect(line.held).toBeLessThan(3 * LIMITS.maxWaitingBytes)
})
