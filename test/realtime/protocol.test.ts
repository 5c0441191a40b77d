import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestServer } from '../support/database/open.ts'
import { startServer } from '../support/server/start.ts'
import { TestListener } from './ear.ts'
import { ask, signIn, withStage } from './stage.ts'

let server: TestServer
let url: string
let who: Awaited<ReturnType<typeof signIn>>

beforeAll(async () => {
  const env = { TRUSTED_PROXIES: '127.0.0.1' }
  server = await withStage((files) => startServer({ ...files, env }))
  url = server.url
  who = await signIn(url)
})
afterAll(() => server.stop())

const create = (title: string) => ask(url, who.root, 'POST', 'collections/news/records', { title })

describe('connecting', () => {
  test('the first frame names the client, to the letter', async () => {
    const ear = await TestListener.open(url)
    expect(ear.status).toBe(200)
    expect(ear.headers.get('content-type')).toBe('text/event-stream')
    expect(ear.headers.get('cache-control')).toBe('no-store')
    expect(ear.headers.get('x-accel-buffering')).toBe('no')
    expect(ear.id).toMatch(/^[a-zA-Z0-9]{40}$/)
    expect(ear.raw).toBe(`id:${ear.id}\nevent:PB_CONNECT\ndata:{"clientId":"${ear.id}"}\n\n`)
    await ear.close()
  })

  test('HEAD has the head only', async () => {
    const response = await fetch(`${url}/api/realtime`, { method: 'HEAD' })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  })

  test('an event is named as its topic was written, each frame has the id', async () => {
    const topic = 'news?options=%7B%22query%22%3A%7B%22fields%22%3A%22title%22%7D%7D'
    const ear = await TestListener.on(url, '', topic)
    await create('Hello <you>')
    await ear.next(1)
    expect(ear.raw.split('\n\n')[1]).toBe(
      `id:${ear.id}\nevent:${topic}\ndata:{"record":{"title":"Hello \\u003cyou\\u003e"},"action":"create"}`,
    )
    await ear.close()
  })
})

describe('subscriptions that are refused', () => {
  const long = (max: number) => ({
    code: 'validation_length_too_long',
    message: `The length must be no more than ${max}.`,
    params: { max, min: 0 },
  })
  test.each([
    ['no id', {}, 400, { clientId: { code: 'validation_required', message: 'Cannot be blank.' } }],
    ['an unknown id', { clientId: 'nope' }, 404, {}],
    ['an id of this length', { clientId: 'x'.repeat(40) }, 404, {}],
    ['topics of a wrong type', { clientId: 'nope', subscriptions: [1] }, 400, {}],
    ['too many', { clientId: 'x', subscriptions: Array(1001).fill('') }, 400, { subscriptions: long(1000) }],
    [
      'too long, in bytes',
      { clientId: 'x', subscriptions: ['a', 'ä'.repeat(1251)] },
      400,
      { subscriptions: { 1: long(2500) } },
    ],
  ])('%s', async (_, body, status, data) => {
    expect((await ask(url, '', 'POST', 'realtime', body, status)).data).toEqual(data)
  })

  test('a client that has gone', async () => {
    const ear = await TestListener.open(url)
    await ear.close()
    const subscribe = () =>
      fetch(`${url}/api/realtime`, { method: 'POST', body: new URLSearchParams({ clientId: ear.id }) })
    await expect.poll(async () => (await subscribe()).status).toBe(404)
  })

  test('another address than that of the connection', async () => {
    const ear = await TestListener.open(url, { 'x-forwarded-for': '198.51.100.7' })
    const body = { clientId: ear.id, subscriptions: ['news'] }
    expect((await ask(url, '', 'POST', 'realtime', body, 400)).message).toBe('Invalid realtime client.')
    await ear.close()
  })

  test('another user', async () => {
    const ear = await TestListener.on(url, '', 'news')
    await ear.subscribe(who.ann, 'news')
    await ear.subscribe(who.ann, 'news', 'notes')
    for (const token of [who.ben, who.root, '']) {
      const body = { clientId: ear.id, subscriptions: [] }
      const { message } = await ask(url, token, 'POST', 'realtime', body, 403)
      expect(message).toBe("The current and the previous request authorization don't match.")
    }
    await ear.close()
  })
})

describe('topics', () => {
  test('each that matches gets the event: by name, by *, by record', async () => {
    const { id } = await create('one')
    const ear = await TestListener.on(
      url,
      '',
      'news',
      'news/*',
      `news/${id}`,
      'news/*',
      'NEWS',
      'nope',
      '@oauth2',
      '',
    )
    await ask(url, '', 'PATCH', `collections/news/records/${id}`, { title: 'two' })
    expect((await ear.titles(3)).sort()).toEqual([
      'news update two',
      'news/* update two',
      `news/${id} update two`,
    ])
    await ear.close()
  })

  test('new ones replace the old; what stays goes on', async () => {
    const ear = await TestListener.on(url, '', 'news', 'news/*')
    await ear.subscribe('', 'news/*')
    await create('three')
    expect(await ear.titles(1)).toEqual(['news/* create three'])
    await ear.subscribe('')
    await create('four')
    expect(await ear.next(0)).toEqual([])
    await ear.close()
  })

  test('what was committed before the subscription is no news', async () => {
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
    await Promise.all([early, ...ears].map((ear) => ear.close()))
  })

  test('a form subscribes, too', async () => {
    const ear = await TestListener.open(url)
    const body = new URLSearchParams([
      ['clientId', ear.id],
      ['subscriptions', 'news'],
    ])
    expect((await fetch(`${url}/api/realtime`, { method: 'POST', body })).status).toBe(204)
    await create('five')
    expect(await ear.titles(1)).toEqual(['news create five'])
    await ear.close()
  })
})
