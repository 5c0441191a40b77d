import { ANN, ask, signIn, startRealtimeServer } from './realtime-server.ts'
import { TestListener, withOptions } from './test-listener.ts'

const { url } = await startRealtimeServer({ TRUSTED_PROXIES: '127.0.0.1' })
const who = await signIn(url)

const create = (title: string) => ask(url, who.root, 'POST', 'collections/news/records', { title })

describe('a new connection', () => {
  test("a new connection gets the client's id in its first frame, byte for byte", async () => {
    const ear = await TestListener.open(url)
    expect(ear.status).toBe(200)
    expect(ear.headers.get('content-type')).toBe('text/event-stream')
    expect(ear.headers.get('cache-control')).toBe('no-store')
    expect(ear.headers.get('x-accel-buffering')).toBe('no')
    expect(ear.id).toMatch(/^[a-zA-Z0-9]{40}$/)
    expect(ear.raw).toBe(`id:${ear.id}\nevent:PB_CONNECT\ndata:{"clientId":"${ear.id}"}\n\n`)
  })

  test('a new connection by HEAD gets the headers only', async () => {
    const response = await fetch(`${url}/api/realtime`, { method: 'HEAD' })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream',
    ])
  })

  test("an event has its topic as name and the client's id in each frame", async () => {
    const topic = 'news?options=%7B%22query%22%3A%7B%22fields%22%3A%22title%22%7D%7D'
    const ear = await TestListener.on(url, '', topic)
    await create('Hello <you>')
    await ear.next(1)
    expect(ear.raw.split('\n\n')[1]).toBe(
      `id:${ear.id}\nevent:${topic}\ndata:{"record":{"title":"Hello <you>"},"action":"create"}`,
    )
  })
})

describe('a subscription is refused for', () => {
  test('a disconnected client', async () => {
    const ear = await TestListener.open(url)
    await ear.close()
    const subscribe = () =>
      fetch(`${url}/api/realtime`, {
        method: 'POST',
        body: new URLSearchParams({ clientId: ear.id }),
      })
    await expect.poll(async () => (await subscribe()).status).toBe(404)
  })

  test("another address than the connection's", async () => {
    const ear = await TestListener.open(url, { 'x-forwarded-for': '198.51.100.7' })
    const body = { clientId: ear.id, subscriptions: ['news'] }
    expect((await ask(url, '', 'POST', 'realtime', body, 400)).message).toBe(
      'Invalid realtime client.',
    )
  })
})

test('changes committed before a subscription are not sent to it', async () => {
  const early = await TestListener.on(url, '', 'news')
  const ears: TestListener[] = []
  for (const i of [0, 1, 2, 3]) {
    const next = await TestListener.open(url)
    await create(`before ${i}`)
    await next.subscribe('', 'news')
    await create(`after ${i}`)
    ears.push(next)
  }
  expect(await early.next(8)).toHaveLength(8)
  expect(await ears[0]!.titles(7)).not.toContain('news create before 0')
  expect(await ears[3]!.titles(1)).toEqual(['news create after 3'])
})

test('each of many filters notifies its own client', async () => {
  const filters = Array.from({ length: 40 }, (_, i) => `title ~ "w${i}x" || title = "all"`)
  const ears = await Promise.all(
    filters.map((filter) => TestListener.on(url, '', withOptions('news', { query: { filter } }))),
  )
  await create('w7x')
  await create('all')
  const heard = await Promise.all(ears.map((ear, i) => ear.next(i === 7 ? 2 : 1)))
  expect(heard.map((events) => events.length)).toEqual(ears.map((_, i) => (i === 7 ? 2 : 1)))
})

test("expanded records follow each subscriber's rules", async () => {
  const note = { title: 'n', owner: ANN.id }
  const { id } = await ask(url, who.root, 'POST', 'collections/notes/records', note)
  const topic = withOptions('notes', { query: { expand: 'owner,replies_via_note' } })
  const tokens = [who.ann, who.root, who.ann]
  const ears = await Promise.all(tokens.map((token) => TestListener.on(url, token, topic)))
  await ask(url, who.root, 'PATCH', `collections/notes/records/${id}`, { title: 'm' })
  const heard = await Promise.all(ears.map((ear) => ear.next(1)))
  expect(heard.map(([event]) => event!.data.record.expand.owner.email)).toEqual(
    Array(3).fill(ANN.email),
  )
})
