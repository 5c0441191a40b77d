import { describe, expect, test } from 'vitest'
import { stopAfterAll } from '../support/stop-after-all.ts'
import { ANN, ask, BEN, signIn, startRealtimeServer } from './realtime-server.ts'
import { TestListener, withOptions } from './test-listener.ts'

const { url } = stopAfterAll(await startRealtimeServer())
const who = { ...(await signIn(url)), guest: '' }

const asRoot = (method: string, path: string, body?: object) => ask(url, who.root, method, path, body)
const create = async (collection: string, body: object): Promise<string> =>
  (await asRoot('POST', `collections/${collection}/records`, body)).id
const update = (collection: string, id: string, body: object) =>
  asRoot('PATCH', `collections/${collection}/records/${id}`, body)
const remove = (collection: string, id: string) => asRoot('DELETE', `collections/${collection}/records/${id}`)
const batch = (...requests: [method: string, path: string, body?: object][]) =>
  asRoot('POST', 'batch', {
    requests: requests.map(([method, path, body]) => ({ method, url: `/api/collections/${path}`, body })),
  })

/** Ears of everybody on the same topics, and what each hears of `act` as `action title`. */
async function hears(
  topics: readonly string[],
  act: () => Promise<unknown>,
): Promise<Record<string, string[]>> {
  const names = Object.keys(who) as (keyof typeof who)[]
  const ears = await Promise.all(names.map((name) => TestListener.on(url, who[name], ...topics)))
  const end = await TestListener.on(url, who.root, 'vaults')
  await act()
  // one collection's events do not wait for another's: some time for the slow ones
  await create('vaults', { title: 'end' })
  await end.next(1, { quietMs: 250 })
  const heard = await Promise.all(ears.map((ear) => ear.next(0)))
  await Promise.all([end, ...ears].map((ear) => ear.close()))
  const lines = heard.map((events) => events.map(({ data }) => `${data.action} ${data.record.title}`))
  return Object.fromEntries(names.map((name, i) => [name, lines[i]!]))
}

describe('rules', () => {
  test('of the record itself: its owner hears of it', async () => {
    const heard = await hears(['notes'], async () => {
      const id = await create('notes', { title: 'a', owner: ANN.id })
      await update('notes', id, { title: 'b' })
      await remove('notes', id)
      await create('notes', { title: 'c', owner: BEN.id })
    })
    const all = ['create a', 'update b', 'delete b', 'create c']
    expect(heard).toEqual({ ann: all.slice(0, 3), ben: ['create c'], guest: [], root: all })
  })

  test('of a related record', async () => {
    const note = await create('notes', { title: 'n', owner: ANN.id })
    const other = await create('notes', { title: 'o', owner: BEN.id })
    const heard = await hears(['replies/*'], async () => {
      const id = await create('replies', { title: 'a', note })
      await update('replies', id, { title: 'b', note: other })
      await remove('replies', id)
    })
    const all = ['create a', 'update b', 'delete b']
    expect(heard).toEqual({ ann: ['create a'], ben: ['update b', 'delete b'], guest: [], root: all })
  })

  test('a deleted child is judged while its deleted parent is there', async () => {
    const note = await create('notes', { title: 'n', owner: ANN.id })
    await create('replies', { title: 'a', note })
    await create('replies', { title: 'b', note })
    const heard = await hears(['replies', 'notes'], () => remove('notes', note))
    const all = ['delete n', 'delete a', 'delete b']
    expect(heard.ann!.sort()).toEqual(all.sort())
    expect(heard).toMatchObject({ ben: [], guest: [] })
  })

  test('null: superusers only', async () => {
    const heard = await hears(['vaults'], () => create('vaults', { title: 'a' }))
    expect(heard).toEqual({ ann: [], ben: [], guest: [], root: ['create a', 'create end'] })
  })

  test('a record topic is bound to the viewRule, with the options as query', async () => {
    const id = await create('notes', { title: 'code', owner: ANN.id })
    const topic = withOptions(`notes/${id}`, { query: { code: 'code' } })
    const change = () => update('notes', id, { owner: BEN.id })
    expect(await hears([topic], change)).toEqual({
      ann: ['update code'],
      ben: ['update code'],
      guest: ['update code'],
      root: ['update code'],
    })
    expect(await hears([`notes/${id}`], change)).toMatchObject({ ann: [], ben: ['update code'], guest: [] })
  })

  test('who no longer may see a record is not told why', async () => {
    const id = await create('drafts', { title: 'a', open: true })
    const heard = await hears(['drafts'], async () => {
      await update('drafts', id, { title: 'b', open: false })
      await update('drafts', id, { title: 'c' })
      await update('drafts', id, { title: 'd', open: true })
    })
    expect(heard).toMatchObject({ guest: ['update d'], root: ['update b', 'update c', 'update d'] })
  })
})

describe('in one transaction', () => {
  test('each change is told as it was, in order', async () => {
    const heard = await hears(['news'], () =>
      batch(
        ['POST', 'news/records', { id: 'news00000000001', title: 'a' }],
        ['PATCH', 'news/records/news00000000001', { title: 'b' }],
        ['DELETE', 'news/records/news00000000001'],
      ),
    )
    expect(heard.guest).toEqual(['create a', 'update b', 'delete b'])
  })

  test('a rule judges what the transaction leaves', async () => {
    const heard = await hears(['drafts'], () =>
      batch(
        ['POST', 'drafts/records', { id: 'draft0000000001', title: 'a', open: true }],
        ['POST', 'drafts/records', { id: 'draft0000000002', title: 'b' }],
        ['PATCH', 'drafts/records/draft0000000001', { open: false }],
        ['PATCH', 'drafts/records/draft0000000002', { open: true }],
        ['POST', 'drafts/records', { id: 'draft0000000003', title: 'c', open: true }],
        ['DELETE', 'drafts/records/draft0000000003'],
      ),
    )
    expect(heard.guest).toEqual(['create b', 'update b'])
    expect(heard.root).toHaveLength(6)
  })

  test('all of a collection deleted: one event a record', async () => {
    const heard = await hears(['replies'], async () => {
      await asRoot('DELETE', 'collections/replies/truncate')
      await create('replies', { title: 'a' })
      await create('replies', { title: 'b' })
      await asRoot('DELETE', 'collections/replies/truncate')
    })
    expect(heard.root!.slice(-4, -2)).toEqual(['create a', 'create b'])
    expect(heard.root!.slice(-2).sort()).toEqual(['delete a', 'delete b'])
  })
})

describe("the client's filter", () => {
  const filtered = (filter: string, topic = 'news') => withOptions(topic, { query: { filter } })
  const openAndClosed = async () => {
    await create('news', { title: 'a', open: true, secret: 's' })
    const id = await create('news', { title: 'b' })
    await remove('news', id)
  }
  const everybody = (lines: string[]) => ({ ann: lines, ben: lines, guest: lines, root: lines })

  test.each([
    ['of a bool', 'open = true', ['create a']],
    ['of a text', 'title != "a"', ['create b', 'delete b']],
    ['of both', '(title = "a" || title = "b") && open = false', ['create b', 'delete b']],
    ['of what is no equality', 'title ~ "A" && (title > "0" || open = true)', ['create a']],
    ['of the time', 'title = "a" && @year > 2000', ['create a']],
    ['of an unknown field', 'nope = 1', []],
    ['of a hidden field, even for superusers', 'secret = "s"', []],
  ])('%s', async (_, filter, lines) => {
    expect(await hears([filtered(filter)], openAndClosed)).toEqual(everybody(lines))
  })

  test('@request and @collection are for superusers', async () => {
    const heard = await hears([filtered('@request.auth.id != "" && title = "a"')], openAndClosed)
    expect(heard).toEqual({ ann: [], ben: [], guest: [], root: ['create a'] })
  })

  test('what a filter reaches has to be listable, by superusers too', async () => {
    const note = await create('notes', { title: 'n', owner: ANN.id })
    const heard = await hears([filtered('note.title = "n"', 'replies')], () =>
      create('replies', { title: 'a', note }),
    )
    expect(heard).toEqual({ ann: ['create a'], ben: [], guest: [], root: [] })
  })

  test.each([
    ['of @collection', '@collection.users.id != "" && title = "a"'],
    ['that nobody may list', '@collection.vaults.id = "" && title = "a"'],
    ['of @request.auth', '@request.auth.verified = true && @request.auth.created != "" && title = "a"'],
  ])('so has what is reached by a path %s', async (_, filter) => {
    const heard = await hears([filtered(filter)], openAndClosed)
    expect(heard.root).toEqual([])
  })

  test('many different ones', async () => {
    const ears = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        TestListener.on(url, '', filtered(`title ~ "w${i}x" || title = "all"`)),
      ),
    )
    await create('news', { title: 'w7x' })
    await create('news', { title: 'all' })
    const heard = await Promise.all(ears.map((ear, i) => ear.next(i === 7 ? 2 : 1)))
    expect(heard.map((events) => events.length)).toEqual(ears.map((_, i) => (i === 7 ? 2 : 1)))
    await Promise.all(ears.map((ear) => ear.close()))
  })
})

describe('what is shown', () => {
  const records = async (topic: string, act: () => Promise<unknown>) => {
    const names = ['ann', 'ben', 'guest', 'root'] as const
    const ears = await Promise.all(names.map((name) => TestListener.on(url, who[name], topic)))
    await act()
    const heard = await Promise.all(ears.map((ear) => ear.next(1)))
    await Promise.all(ears.map((ear) => ear.close()))
    return Object.fromEntries(names.map((name, i) => [name, heard[i]![0]!.data.record]))
  }

  test('hidden fields to superusers only', async () => {
    const seen = await records('news', () => create('news', { title: 'a', secret: 's' }))
    expect(Object.values(seen).map((record) => record.secret)).toEqual([undefined, undefined, undefined, 's'])
  })

  test('an email to whom the manageRule names, and superusers', async () => {
    const member = { email: 'm@example.com', password: 'secret-enough', passwordConfirm: 'secret-enough' }
    const seen = await records('patrons', () => create('patrons', { ...member, sponsor: ANN.id }))
    const email = member.email
    expect(Object.values(seen).map((record) => record.email)).toEqual([email, undefined, undefined, email])
    const shown = { ...member, email: 'n@example.com', emailVisibility: true }
    expect((await records('patrons', () => create('patrons', shown))).guest.email).toBe('n@example.com')
  })

  test('what is expanded, under the viewRule of each', async () => {
    const note = await create('notes', { title: 'n', owner: ANN.id })
    const topic = withOptions('replies', {
      query: { expand: 'note.owner', fields: 'title,expand.note.title' },
    })
    const ears = await Promise.all([
      TestListener.on(url, who.ann, topic),
      TestListener.on(url, who.root, topic),
    ])
    const id = await create('replies', { title: 'a', note })
    await remove('replies', id)
    for (const ear of ears) {
      const events = await ear.next(2)
      const record = { title: 'a', expand: { note: { title: 'n' } } }
      expect(events.map(({ data }) => data.record)).toEqual([record, record])
      await ear.close()
    }
    const seen = await records(withOptions('news', { query: { expand: 'nope', fields: 'title:nope' } }), () =>
      create('news', { title: 'b' }),
    )
    expect(seen.guest).toMatchObject({ title: 'b', collectionName: 'news' })
  })
})

test('what many see alike is expanded once, what each sees otherwise for each', async () => {
  const note = await create('notes', { title: 'n', owner: ANN.id })
  const topic = withOptions('notes', { query: { expand: 'owner,replies_via_note' } })
  const ears = await Promise.all(
    [who.ann, who.root, who.ann].map((token) => TestListener.on(url, token, topic)),
  )
  await update('notes', note, { title: 'm' })
  const heard = await Promise.all(ears.map((ear) => ear.next(1)))
  const owners = heard.map(([event]) => event!.data.record.expand.owner)
  expect(owners.map(({ email }) => email)).toEqual([ANN.email, ANN.email, ANN.email])
  await Promise.all(ears.map((ear) => ear.close()))
})
