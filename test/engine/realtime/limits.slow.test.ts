import { createServer, get, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeChangesCleanUp } from '../../../src/engine/realtime/change-log.ts'
import { CONNECTION_LIMITS, type ConnectionLimits } from '../../../src/engine/realtime/client.ts'
import { openRealtime, type Realtime } from '../../../src/engine/realtime/open-realtime.ts'
import { readTopic } from '../../../src/engine/realtime/topic.ts'
import { makeGuestHolder } from '../../../src/platform/limits/limit-holder.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { ask, signIn, startRealtimeServer } from './realtime-server.ts'
import { TestListener } from './test-listener.ts'

const server = await startRealtimeServer()
const { root } = await signIn(server.url)

const create = (title: string) =>
  ask(server.url, root, 'POST', 'collections/news/records', { title })
const rows = async (text: string) => (await server.services.store.db.query(text)).rows

describe('a realtime connection', () => {
  let doors: Server
  let realtime: Realtime
  let url: string

  /** The same streams behind a door of their own, with less patience. */
  async function open(limits: Partial<ConnectionLimits>): Promise<void> {
    const { store } = server.services
    realtime = openRealtime(store, createLogger({ logLevel: 'silent' }), {
      ...CONNECTION_LIMITS,
      ...limits,
    })
    doors = createServer((_, response) => {
      const gone = new AbortController()
      response.once('close', () => gone.abort())
      const line = {
        write: (text: string, taken: () => void) => void response.write(text, taken),
        end: () => void response.end(),
        cut: () => void response.destroy(),
      }
      void realtime.connect(
        { ip: '127.0.0.1', holder: makeGuestHolder('127.0.0.1') },
        line,
        gone.signal,
      )
    })
    await new Promise<void>((resolve) => doors.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(doors.address() as AddressInfo).port}`
  }
  const subscribe = (clientId: string) =>
    realtime.subscribe(makeGuestHolder('127.0.0.1'), {
      clientId,
      ip: '127.0.0.1',
      auth: null,
      topics: [readTopic('news')],
    })
  beforeEach(() => async () => {
    await realtime.close()
    doors.closeAllConnections()
    await new Promise((resolve) => doors.close(resolve))
  })

  test('a realtime connection ends after a time without events, and each event restarts that time', async () => {
    await open({ idleMs: 5_000, aliveMs: 100 })
    const began = performance.now()
    const [idle, busy] = [await TestListener.open(url), await TestListener.open(url)]
    await subscribe(busy.id)
    const timer = setInterval(() => create('tick').catch(() => {}), 200)
    onTestFinished(() => clearInterval(timer))
    await idle.ended
    expect(performance.now() - began).toBeGreaterThan(4_500)
    expect(await busy.next(3)).not.toEqual([])
    await create('still there')
    clearInterval(timer)
    await busy.ended
  })

  test('a realtime connection gets keep-alive comments that are not events', async () => {
    await open({ aliveMs: 100 })
    const { body } = await fetch(url)
    let text = ''
    for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
      text += piece
      if (text.includes('\n\n:\n:\n')) break
    }
    expect(text.match(/^event:/gm)).toHaveLength(1)
  })

  test('a realtime connection ends after its maximum time even with events', async () => {
    await open({ totalMs: 3_000 })
    const ear = await TestListener.open(url)
    await subscribe(ear.id)
    const timer = setInterval(() => void create('tick'), 100)
    await ear.ended
    clearInterval(timer)
  })

  test('a realtime connection is cut off if its client does not read, while others continue', async () => {
    await open({ maxUnread: 1_000_000 })
    const id = await new Promise<string>((resolve) => {
      get(url, (response) => {
        response.once('data', (chunk) => {
          response.pause()
          resolve(/^id:(.*)$/m.exec(String(chunk))![1]!)
        })
        response.on('error', () => {})
      })
    })
    const reader = await TestListener.open(url)
    await Promise.all([subscribe(id), subscribe(reader.id)])
    const isThere = () =>
      subscribe(id).then(
        () => true,
        () => false,
      )
    const long = 'x'.repeat(100_000)
    for (let i = 0; i < 400 && (await isThere()); i++)
      await Promise.all([create(long), create(long), create(long)])
    expect(await isThere()).toBe(false)
    await create('last')
    await expect.poll(() => reader.heard.at(-1)?.data.record.title).toBe('last')
  })
})

describe('without subscribers', () => {
  test('no changes are written, and earlier ones are deleted once all clients could read them', async () => {
    const ear = await TestListener.on(server.url, '', 'news')
    await create('a')
    await ear.next(1)
    const [count] = await rows('select count(*) from _changes')
    expect(Number(count![0])).toBeGreaterThan(0)
    const cleanUp = makeChangesCleanUp(server.services.store)
    await cleanUp()
    expect(await rows('select count(*) from _changes')).toEqual([count])
    // nothing goes while a transaction is open that is older, in whatever database of the server
    await expect
      .poll(async () => {
        await cleanUp()
        return rows('select count(*) from _changes')
      })
      .toEqual([[0]])
    await ear.close()
  })

  test('a dead node is removed from the listeners', async () => {
    await server.services.store.db.query(
      `insert into _listeners (node, seen) values ('dead', now() - interval '2 minutes'), ('alive', now())`,
    )
    await makeChangesCleanUp(server.services.store)()
    const nodes = (await rows('select node from _listeners')).flat()
    expect(nodes).toContain('alive')
    expect(nodes).not.toContain('dead')
    await server.services.store.db.query(`delete from _listeners where node = 'alive'`)
  })
})
