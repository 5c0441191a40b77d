import { ANN, ask, BEN, signIn, startRealtimeServer } from './realtime-server.ts'
import { TestListener } from './test-listener.ts'

// A change that cannot be read: its image is not what its table holds, or no longer.

const server = await startRealtimeServer()
let who: Awaited<ReturnType<typeof signIn>>
beforeEach(async () => {
  who = await signIn(server.url)
})

const POISON = '{"id":"poison000000001","open":"neither"}'
const write = (collection: string, body: object) =>
  ask(server.url, who.root, 'POST', `collections/${collection}/records`, body)

/** Notes changes that nobody made, in one transaction, between two real ones of the same. */
const noteAll = (collection: string, record: string, image: string, beside: string) =>
  server.services.store.db.transaction(async (db) => {
    const note = (name: string, id: string, text: string) =>
      db.query(
        `insert into _changes (collection, action, record, image) values ($1, 'update', $2, $3::json)`,
        [name, id, text],
      )
    const good = (id: string, when: string) =>
      note('notes', id, JSON.stringify({ id, title: `${beside}, ${when}`, owner: ANN.id }))
    await good('note00000000001', 'before')
    await note(collection, record, image)
    await good('note00000000002', 'after')
    await db.query(`select pg_notify('changes', '')`)
  })

test('an unreadable change is skipped, other changes are sent once, and its subscribers reconnect', async () => {
  const [notes, news] = [
    await TestListener.on(server.url, who.ann, 'notes'),
    await TestListener.on(server.url, who.ann, 'news'),
  ]
  await noteAll('news', 'poison000000001', POISON, 'first')
  await write('notes', { title: 'later', owner: ANN.id })
  await news.ended
  // twice the time between two looks, in which what failed would come again
  expect((await notes.next(3, { quietMs: 4_500 })).map(({ data }) => data.record.title)).toEqual([
    'first, before',
    'first, after',
    'later',
  ])
  const again = await TestListener.on(server.url, who.ann, 'news')
  await write('news', { title: 'good' })
  expect(await again.titles(1)).toEqual(['news create good'])
})

test("an unreadable change of a user's own record ends that user's streams", async () => {
  const ears = [
    await TestListener.on(server.url, who.ben, 'notes'),
    await TestListener.on(server.url, who.ann, 'notes'),
  ] as const
  await noteAll('_pb_users_auth_', BEN.id, '{"verified":"perhaps"}', 'second')
  await ears[0].ended
  expect(await ears[1].titles(2)).toEqual([
    'notes update second, before',
    'notes update second, after',
  ])
})

test('a table whose columns differ from its collection does not block other events', async () => {
  const ears = [
    await TestListener.on(server.url, who.ann, 'drafts'),
    await TestListener.on(server.url, who.ann, 'notes'),
  ] as const
  const { db } = server.services.store
  await db.script('alter table drafts rename title to heading')
  await noteAll('drafts', 'draft0000000001', '{"title":"x"}', 'third')
  expect(await ears[1].titles(2)).toEqual([
    'notes update third, before',
    'notes update third, after',
  ])
  await ears[0].ended
  await db.script('alter table drafts rename heading to title')
})
