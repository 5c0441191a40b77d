import { readTopic } from '../../../src/engine/realtime/topic.ts'
import { RATES } from '../../../src/platform/limits/admission-limits.ts'
import { makeAccountHolder, makeGuestHolder } from '../../../src/platform/limits/limit-holder.ts'
import { admission } from '../../../src/platform/limits/shared-limits.ts'
import { counts } from '../../../src/platform/tools/process-counters.ts'
import { ANN, ask, signIn, startRealtimeServer } from './realtime-server.ts'
import { TestListener, withOptions } from './test-listener.ts'

const server = await startRealtimeServer({ CLIENT_STATEMENT_SECONDS: '1' })
const tokens = await signIn(server.url)

const create = (collection: string, body: object) =>
  ask(server.url, tokens.root, 'POST', `collections/${collection}/records`, body)
const filtered = (topic: string, filter: string) => withOptions(topic, { query: { filter } })
/** A note of Ann's with so many replies. */
async function noteWithReplies(count: number): Promise<string> {
  const { id } = await create('notes', { title: 'busy', owner: ANN.id })
  await server.services.store.db.query(
    `insert into replies (id, title, note) select left(md5($1 || i), 15), 'reply ' || i, $1 from generate_series(1, $2::int) i`,
    [id, count],
  )
  return id
}

test('topics of a collection hidden from guests are not compiled for them', async () => {
  const guest = await TestListener.open(server.url)
  const topics = (collection: string) =>
    Array.from({ length: 25 }, (_, i) =>
      filtered(
        `${collection}/*`,
        `title != @now && id != "${i}" || ${'('.repeat(i)}title = 1${')'.repeat(i)}`,
      ),
    )
  await guest.subscribe('', ...topics('notes'), ...topics('vaults'), 'news')
  const before = counts.filter.miss
  await create('vaults', { title: 'x' })
  await create('notes', { title: 'x', owner: ANN.id })
  await create('news', { title: 'last' })
  expect(await guest.titles(1)).toEqual(['news create last'])
  expect(counts.filter.miss - before).toBeLessThan(20)
})

test("a slow filter ends its account's streams while others get their events at once", async () => {
  // longer than 3 s, the limit behind PgBouncer (deploy/pgbouncer.sql)
  const note = await noteWithReplies(9_000)
  const far = 'replies_via_note.note.replies_via_note.note.replies_via_note.id'
  const slow = filtered('notes/*', `replies_via_note.title ?~ ${far}`)
  const victim = await TestListener.on(
    server.url,
    tokens.ben,
    'news',
    filtered('news/*', 'title ~ "w"'),
  )
  const hostile = await TestListener.on(server.url, tokens.ann, slow)
  await ask(server.url, tokens.root, 'PATCH', `collections/notes/records/${note}`, { title: 'w' })
  await create('news', { title: 'w' })
  expect((await victim.next(2)).map(({ data }) => data.record.title)).toEqual(['w', 'w'])
  await hostile.ended
  expect(hostile.heard).toEqual([])
})

test("changes that exceed a holder's memory end the holder's streams", async () => {
  const topic = filtered('news/*', 'title ~ "y"')
  const [waiting, other] = [
    await TestListener.on(server.url, tokens.ann, topic),
    await TestListener.on(server.url, tokens.ben, topic),
  ]
  const share = admission.realtimeMemory.open(makeAccountHolder('_pb_users_auth_', ANN.id))
  while (share.tryTake(1_000)) {}
  const titles = Array.from({ length: 50 }, (_, i) => `y${i}`)
  const requests = titles.map((title) => ({
    method: 'POST',
    url: '/api/collections/news/records',
    body: { title },
  }))
  await ask(server.url, tokens.root, 'POST', 'batch', { requests })
  expect((await other.next(50)).map(({ data }) => data.record.title)).toEqual(titles)
  await waiting.ended
  share.close()
})

test('too many new filters end the stream that subscribed to them', async () => {
  const filters = Array.from({ length: 200 }, (_, n) =>
    Array.from({ length: 110 }, (_, bit) => ((n >> (bit % 8)) & 1 ? 'id!=@now' : 'title!=1')).join(
      '||',
    ),
  )
  const topics = filters.map((filter) => filtered('news/*', filter))
  const [hostile, victim] = [
    await TestListener.on(server.url, tokens.ann, ...topics),
    await TestListener.on(server.url, tokens.ben, filtered('news/*', 'title ~ "few"')),
  ]
  await create('news', { title: 'few' })
  await hostile.ended
  expect(await victim.next(1)).toHaveLength(1)
})

test('an expand that is too large is left out of the event', async () => {
  const [small, large] = [await noteWithReplies(3), await noteWithReplies(100)]
  const topic = withOptions('notes/*', {
    query: { expand: 'replies_via_note.note.replies_via_note' },
  })
  const ear = await TestListener.on(server.url, tokens.root, topic)
  for (const id of [small, large])
    await ask(server.url, tokens.root, 'PATCH', `collections/notes/records/${id}`, {
      title: 'changed',
    })
  const records = (await ear.next(2)).map(({ data }) => data.record)
  expect(records.map(({ title, expand }) => [title, expand?.replies_via_note.length])).toEqual([
    ['changed', 3],
    ['changed', undefined],
  ])
})

test('too many subscribe requests are refused with 429', async () => {
  const holder = makeGuestHolder('192.0.2.1')
  const request = { clientId: 'nope', ip: '192.0.2.1', auth: null, topics: [readTopic('news')] }
  const subscribe = () => server.services.realtime.subscribe(holder, request)
  await expect(subscribe()).rejects.toThrow('Missing or invalid client id.')
  admission.subscriptions.charge(holder, RATES.subscriptions.burst)
  await expect(subscribe()).rejects.toThrow('Your share of subscriptions is used up.')
})
