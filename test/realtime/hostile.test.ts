import { afterAll, beforeAll, expect, test } from 'vitest'
import { counts } from '../../src/counts.ts'
import { createLogger } from '../../src/log.ts'
import { LIMITS } from '../../src/realtime/clients/client.ts'
import { readTopic } from '../../src/realtime/clients/topic.ts'
import { Realtime } from '../../src/realtime/hub.ts'
import { BUDGETS } from '../../src/realtime/limits/budgets.ts'
import type { RunningServer } from '../../src/server.ts'
import { startServer } from '../support/server/start.ts'
import { TestListener, withOptions } from './ear.ts'
import { ANN, ask, signIn, withStage } from './stage.ts'

let server: RunningServer
let tokens: Awaited<ReturnType<typeof signIn>>

beforeAll(async () => {
  server = await withStage((files) => startServer(files))
  tokens = await signIn(server.url)
})
afterAll(() => server.stop())

const create = (collection: string, body: object) =>
  ask(server.url, tokens.root, 'POST', `collections/${collection}/records`, body)
const filtered = (topic: string, filter: string) => withOptions(topic, { query: { filter } })
const post = (clientId: string, subscriptions: string[], token = '') =>
  fetch(`${server.url}/api/realtime`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: token }) },
    body: JSON.stringify({ clientId, subscriptions }),
  })

/** A note of Ann's with so many replies. */
async function noteWithReplies(count: number): Promise<string> {
  const { id } = await create('notes', { title: 'busy', owner: ANN.id })
  await server.services.store.db.query(
    `insert into replies (id, title, note) select left(md5($1 || i), 15), 'reply ' || i, $1 from generate_series(1, $2::int) i`,
    [id, count],
  )
  return id
}

test('what a rule keeps from a guest is not compiled, whatever his topics are', async () => {
  const guest = await TestListener.open(server.url)
  const topics = (collection: string) =>
    Array.from({ length: 25 }, (_, i) =>
      filtered(
        `${collection}/*`,
        `title != @now && id != "${i}" || ${'('.repeat(i)}title = 1${')'.repeat(i)}`,
      ),
    )
  await guest.subscribe('', ...topics('notes'), ...topics('vaults'), 'news')
  const before = counts.filter.misses
  await create('vaults', { title: 'x' })
  await create('notes', { title: 'x', owner: ANN.id })
  await create('news', { title: 'last' })
  expect(await guest.titles(1)).toEqual(['news create last'])
  expect(counts.filter.misses - before).toBeLessThan(20)
  await guest.close()
})

test('too many shapes are refused with 429, and what was subscribed to goes on', async () => {
  const guest = await TestListener.on(server.url, '', 'news')
  const response = await post(
    guest.id,
    Array.from({ length: 51 }, (_, i) => filtered('news', `title != ""${' && open = true'.repeat(i)}`)),
  )
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '60'])
  expect(((await response.json()) as { message: string }).message).toBe(
    'Too many different subscriptions from your address.',
  )
  await create('news', { title: 'still' })
  expect(await guest.titles(1)).toEqual(['news create still'])
  await guest.close()
})

test('slow filters of one account end its own streams, then are refused; others hear at once', async () => {
  const note = await noteWithReplies(3_000)
  const far = 'replies_via_note.note.replies_via_note.note.replies_via_note.id'
  const slow = filtered('notes/*', `replies_via_note.title ?~ ${far}`)
  const victim = await TestListener.on(server.url, tokens.ben, 'news', filtered('news/*', 'title ~ "w"'))
  for (const round of [1, 2, 3]) {
    const hostile = await TestListener.on(server.url, tokens.ann, slow)
    await ask(server.url, tokens.root, 'PATCH', `collections/notes/records/${note}`, { title: `w${round}` })
    await create('news', { title: `w${round}` })
    expect((await victim.next(2)).map(({ data }) => data.record.title)).toEqual([`w${round}`, `w${round}`])
    await hostile.ended
    expect(hostile.heard).toEqual([])
  }
  const hostile = await TestListener.open(server.url)
  const refused = await post(hostile.id, [slow], tokens.ann)
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
  expect((await post(hostile.id, ['news'], tokens.ann)).status).toBe(204)
  await Promise.all([hostile.close(), victim.close()])
})

test('an expand that is too much is left out of the event', async () => {
  const [small, large] = [await noteWithReplies(3), await noteWithReplies(100)]
  const topic = withOptions('notes/*', { query: { expand: 'replies_via_note.note.replies_via_note' } })
  const ear = await TestListener.on(server.url, tokens.root, topic)
  for (const id of [small, large])
    await ask(server.url, tokens.root, 'PATCH', `collections/notes/records/${id}`, { title: 'changed' })
  const records = (await ear.next(2)).map(({ data }) => data.record)
  expect(records.map(({ title, expand }) => [title, expand?.replies_via_note.length])).toEqual([
    ['changed', 3],
    ['changed', undefined],
  ])
  await ear.close()
})

test('who subscribes again and again has to wait', async () => {
  const log = createLogger({ logLevel: 'silent' })
  const budgets = { ...BUDGETS, burst: 100, perSecond: 1 }
  const realtime = new Realtime(server.services.store, log, LIMITS, budgets)
  const origin = { ip: '192.0.2.1', network: '192.0.2.1' }
  let id = ''
  const write = (text: string) => {
    id ||= /^id:(.*)$/m.exec(text)![1]!
  }
  const gone = new AbortController()
  await realtime.connect(origin, { write, waiting: () => 0, end() {}, cut() {} }, gone.signal)
  const topics = Array.from({ length: 60 }, (_, i) => readTopic(`news/${i}`))
  const subscribe = () => realtime.subscribe({ clientId: id, ...origin, auth: null, topics })
  await subscribe()
  realtime.checkPace(null, origin.network)
  await subscribe()
  expect(() => realtime.checkPace(null, origin.network)).toThrow(
    'Too many subscribe requests from your address.',
  )
  realtime.checkPace(null, '192.0.2.2')
  gone.abort()
  await realtime.close()
})
