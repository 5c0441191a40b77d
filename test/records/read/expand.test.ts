import PocketBase from 'pocketbase'
import { expect, test } from 'vitest'
import { ANN, BEN, startReadTestServer } from '../../support/server/read-test-server.ts'
import { SUPERUSER } from '../../support/server/start.ts'
import { stopAfterAll } from '../../support/stop-after-all.ts'

const clients = new Map<string, PocketBase>()

const server = stopAfterAll(await startReadTestServer())
const accounts = [
  ['ann', 'users', ANN],
  ['ben', 'users', BEN],
  ['super', '_superusers', SUPERUSER],
] as const
clients.set('guest', new PocketBase(server.url))
for (const [name, collection, { email, password }] of accounts) {
  const pb = new PocketBase(server.url)
  await pb.collection(collection).authWithPassword(email, password)
  clients.set(name, pb)
}

type Tree = { [key: string]: unknown }

/** What is expanded in a record: ids instead of records, with what is expanded in those. */
function outline(record: { id: string; expand?: Tree }): unknown {
  if (!record.expand) return record.id
  return {
    [record.id]: Object.fromEntries(
      Object.entries(record.expand).map(([key, value]) => [key, inside(value)]),
    ),
  }
}
const inside = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(outline) : outline(value as { id: string })

const [one, three] = ['shelfone0000001', 'shelfthree00001'] as const

test.each([
  ['books', 'bookone00000001', 'covers_via_book', { covers_via_book: 'coverone0000001' }],
  // the context of the rule is `expand`
  ['shelves', one, 'contexts_via_shelf', { contexts_via_shelf: ['contextone00001'] }],
] as const)('%s/%s: %s', async (collection, id, expand, expected) => {
  const record = await clients.get('guest')!.collection(collection).getOne(id, { expand })
  expect(outline(record)).toEqual({ [id]: expected })
})

test.each([
  ['a closed collection', 'locks', 'lockone00000001', 'vault'],
  ['a closed collection, from behind', 'shelves', one, 'vaults_via_shelf'],
  ['a path through a closed collection', 'locks', 'lockone00000001', 'vault.shelf'],
])('%s leaves no key', async (_, collection, id, expand) => {
  const record = await clients.get('ann')!.collection(collection).getOne(id, { expand })
  expect(record).not.toHaveProperty('expand')
})

test('beyond a step without records nothing is looked at', async () => {
  const record = await clients.get('ben')!.collection('shelves').getOne(one, { expand: 'owner.nope' })
  expect(outline(record)).toEqual({ [one]: {} })
})

test('expanded records are whole: hidden fields and emails as the requester may see them', async () => {
  const { expand } = await clients
    .get('ann')!
    .collection('users')
    .getOne(ANN.id, { expand: 'patrons_via_sponsor,shelves_via_owner' })
  expect(expand?.patrons_via_sponsor[0]).toMatchObject({ collectionName: 'patrons', email: 'm1@example.com' })
  expect(expand?.patrons_via_sponsor[0]).not.toHaveProperty('pin')
  expect(expand?.shelves_via_owner[0]).not.toHaveProperty('secret')
})

test('a list, each record with its own; `expand` stands in the order of the keys', async () => {
  const text = await (
    await fetch(`${server.url}/api/collections/covers/records?expand=book&fields=expand.book.title,*`)
  ).text()
  expect(JSON.parse(text).items[0].expand).toEqual({ book: { title: 'First' } })
  const whole = await (
    await fetch(`${server.url}/api/collections/covers/records/coverone0000001?expand=book`)
  ).text()
  expect(whole).toMatch(/"color":"red","expand":\{"book":\{"collectionId":"books".*\}\},"id":/)
})

test('of many that point at a record, a thousand are shown', async () => {
  await server.services.store.db.query(
    `insert into "books" (id, title, shelf) select 'many' || lpad(i::text, 11, '0'), 'M', $1 from generate_series(1, 1100) i`,
    [three],
  )
  const record = await clients
    .get('guest')!
    .collection('shelves')
    .getOne(three, { expand: 'books_via_shelf' })
  expect(record.expand?.books_via_shelf).toHaveLength(1000)
})
