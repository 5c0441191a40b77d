import PocketBase from 'pocketbase'
import { describe, expect, test } from 'vitest'
import { ANN, BEN, startReadTestServer } from '../../support/server/read-test-server.ts'
import { request } from '../../support/server/request.ts'
import { SUPERUSER } from '../../support/server/start.ts'
import { stopAfterAll } from '../../support/stop-after-all.ts'

const tokens: Record<string, string> = {}

const server = stopAfterAll(await startReadTestServer())
const pb = new PocketBase(server.url)
for (const [name, { email, password }] of Object.entries({ ann: ANN, ben: BEN })) {
  tokens[name] = (await pb.collection('users').authWithPassword(email, password)).token
}
tokens.super = (
  await pb.collection('_superusers').authWithPassword(SUPERUSER.email, SUPERUSER.password)
).token

const get = (who: string, path: string) =>
  request(`${server.url}/api/collections/`, 'GET', path, undefined, {
    ...(tokens[who] && { authorization: tokens[who] }),
  })
const getJson = async (who: string, path: string) => (await get(who, path)).body

describe('what is in an answer', () => {
  test('keys stand in the order of their bytes, hidden fields are left out, values are as PocketBase writes them', async () => {
    const { status, text } = await get('guest', 'shelves/records/shelfone0000001')
    expect(status).toBe(200)
    expect(text.trim()).toBe(
      '{"Rank":1.5,"collectionId":"shelves","collectionName":"shelves","day":"2026-11-20 07:00:00.000Z",' +
        '"id":"shelfone0000001","meta":{"a":[1,2,{"x":null}],"b":1},"open":true,"owner":"readerann000001",' +
        '"place":{"lon":7.5,"lat":50},"tags":["rare","old"],"title":"One & <two>"}',
    )
    const cover = await get('guest', 'covers/records/coverone0000001?expand=book')
    expect(cover.text).toMatch(/"color":"red","expand":\{"book":\{"collectionId":"books".*\}\},"id":/)
  })

  test('of many that point at a record, a thousand are shown', async () => {
    const three = 'shelfthree00001'
    await server.services.store.db.query(
      `insert into "books" (id, title, shelf) select 'many' || lpad(i::text, 11, '0'), 'M', $1 from generate_series(1, 1100) i`,
      [three],
    )
    const { expand } = await getJson('guest', `shelves/records/${three}?expand=books_via_shelf`)
    expect(expand.books_via_shelf).toHaveLength(1000)
  })
})

describe('a sign-in from memory', () => {
  const books = 'diaries/records?fields=id'

  test('does not outlive its record: a changed token key counts at once', async () => {
    const pb = new PocketBase(server.url)
    const { token } = await pb.collection('patrons').authWithPassword('m3@example.com', 'mem3pass12345')
    tokens.member = token
    expect((await getJson('member', 'sms_messages/records')).totalItems).toBe(0)
    await server.services.store.db.query(
      `update "patrons" set "tokenKey" = repeat('x', 50) where id = 'memberthree0001'`,
    )
    expect((await get('member', 'sms_messages/records')).status).toBe(401)
    expect((await get('member', 'sms_messages/records?skipTotal=1&filter=1=2')).status).toBe(401)
    expect((await get('member', 'sms_messages/records/nope')).status).toBe(401)
  })

  test('a superuser who is gone sees no more than a guest', async () => {
    expect((await getJson('super', books)).totalItems).toBe(2)
    await server.services.store.db.query(`update "_superusers" set "tokenKey" = repeat('x', 50)`)
    expect((await getJson('super', books)).totalItems).toBe(0)
  })
})
