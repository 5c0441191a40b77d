import PocketBase from 'pocketbase'
import { expect, test } from 'vitest'
import { ANN, startReadTestServer } from '../../support/server/read-test-server.ts'
import { stopAfterAll } from '../../support/stop-after-all.ts'

// What no recorded case of test/conformance shows.

const server = stopAfterAll(await startReadTestServer())
const pb = new PocketBase(server.url)

test('expanded records are whole: hidden fields and emails as the requester may see them', async () => {
  const ann = new PocketBase(server.url)
  await ann.collection('users').authWithPassword(ANN.email, ANN.password)
  const { expand } = await ann
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
  const three = 'shelfthree00001'
  await server.services.store.db.query(
    `insert into "books" (id, title, shelf) select 'many' || lpad(i::text, 11, '0'), 'M', $1 from generate_series(1, 1100) i`,
    [three],
  )
  const record = await pb.collection('shelves').getOne(three, { expand: 'books_via_shelf' })
  expect(record.expand?.books_via_shelf).toHaveLength(1000)
})
