import { createServer, type ServerResponse } from 'node:http'
import { EventSource } from 'eventsource'
import { listenLocally } from '../../support/services/listen.ts'

type Listen = (
  topic: string,
  hear: (data: unknown) => void,
) => { readonly subscribed: Promise<unknown>; leave(): void }

const FILE = '../../../console/src/data/use/shared-subscription.ts'
const PAUSE_MS = 5_000

/** How often the next subscriptions are refused, and how many were asked for. */
let refusals = 0
let asked = 0
const streams = new Set<ServerResponse>()
const realtime = createServer((request, response) => {
  if (request.method === 'POST') {
    asked++
    return void response.writeHead(refusals-- > 0 ? 503 : 204).end()
  }
  streams.add(response)
  response.once('close', () => streams.delete(response))
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write('id:a\nevent:PB_CONNECT\ndata:{"clientId":"a"}\n\n')
})
const { url } = await listenLocally(realtime)

// the client reads where the console stands: there is no such place in Node, nor in its types
vi.stubGlobal('location', new URL(url))
vi.stubGlobal('EventSource', EventSource)
afterAll(() => vi.unstubAllGlobals())
// another file of this process may have imported the client, which then stands elsewhere
vi.resetModules()
const { listenToTopic }: { listenToTopic: Listen } = await import(FILE)

beforeEach(() => {
  asked = 0
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => void vi.useRealTimers())

const PATIENCE_MS = 20_000

/** Not by a timer: the test has its own. Throws after PATIENCE_MS. */
async function passUntil(isSo: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`waited in vain after ${asked} requests`)
    await new Promise(setImmediate)
  }
}

/** Waits until a refused subscription has closed its stream and pauses, then ends the pause. */
async function endPauseAfter(requests: number): Promise<void> {
  await passUntil(() => asked === requests && streams.size === 0 && vi.getTimerCount() > 0)
  await vi.advanceTimersByTimeAsync(PAUSE_MS)
}

test('a failed subscription is retried until it succeeds once', async () => {
  refusals = 2
  const heard: unknown[] = []
  const { subscribed, leave } = listenToTopic('contacts/*', (data) => heard.push(data))
  await endPauseAfter(1)
  await endPauseAfter(2)
  await subscribed
  expect([asked, streams.size]).toEqual([3, 1])
  for (const stream of streams) stream.write('event:contacts/*\ndata:{"action":"update"}\n\n')
  await passUntil(() => heard.length > 0)
  leave()
  await passUntil(() => streams.size === 0)
  expect(heard).toEqual([{ action: 'update' }])
})

test('a failed subscription is not retried after its last listener left', async () => {
  refusals = 1
  const { subscribed, leave } = listenToTopic('devices/*', () => {})
  const outcome = subscribed.then(
    () => 'subscribed',
    () => 'left',
  )
  leave()
  await endPauseAfter(1)
  expect(await outcome).toBe('left')
  expect([asked, streams.size]).toEqual([1, 0])
})

test.each([
  ['at once', async (_: number) => {}],
  [
    'while the server hears that nobody listens',
    (before: number) => passUntil(() => asked > before),
  ],
])('who joins a topic %s after the last listener left hears its events', async (_, pass) => {
  const others = listenToTopic('lines/*', () => {})
  const first = listenToTopic('campaigns/*', () => {})
  await Promise.all([others.subscribed, first.subscribed])
  const heard: unknown[] = []
  const before = asked
  first.leave()
  await pass(before)
  const second = listenToTopic('campaigns/*', (data) => heard.push(data))
  await second.subscribed
  for (const stream of streams) stream.write('event:campaigns/*\ndata:{"action":"create"}\n\n')
  await passUntil(() => heard.length > 0)
  expect(heard).toEqual([{ action: 'create' }])
  second.leave()
  others.leave()
  await passUntil(() => streams.size === 0)
})
