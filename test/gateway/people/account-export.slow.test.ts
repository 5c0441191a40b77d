import { sql } from 'kysely'
import { exportSlice } from '../../../src/gateway/people/export-person.ts'
import { loadPersonalRows } from '../../../src/gateway/people/export-portion.ts'
import { makeEveryPerson } from '../../../src/gateway/people/person.ts'
import { listAccountPlaces } from '../../../src/gateway/people/personal-account-tables.ts'
import { tablesWith } from '../../support/database/dump.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { ended, makeShop, type Shop, seedPerson } from './person-fixture.ts'

const gateway = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const { store } = gateway.server.services
const { db } = store

const exportOf = async (by: Client) => ended(by, (await must(by, 'POST', '/api/account/data')).id)
async function fileOf(by: Client, id: string, name: string): Promise<string> {
  const { token } = await must(by, 'POST', '/api/files/token')
  return (
    await fetch(`${gateway.url}/api/files/person_requests/${id}/${name}?token=${token}`)
  ).text()
}
const rowsWith = async (table: string, word: string) =>
  (
    await gateway.query(`select count(*) from "${table}" t where strpos(t::text, $1) > 0`, [word])
  )[0]
/** An account with `marks` other persons in its fixture, so that its person has a number of its own. */
const shopAfter = async (marks: number): Promise<Shop> =>
  Object.assign(await makeShop(gateway), { marks })
async function erase({ shop }: Shop, number: string) {
  const { id } = await must(shop, 'POST', '/api/person/erase', { number, reason: 'Asked' })
  return ended(shop, id)
}

test('an export has the records of the account in each built-in collection, and no record of another account', async () => {
  const [of, other] = [await shopAfter(0), await shopAfter(50)]
  const [person, stranger] = [await seedPerson(of), await seedPerson(other)]
  const key = await of.record('api_keys', { name: 'App' })
  const done = await exportOf(of.shop)
  expect(done).toMatchObject({
    kind: 'export',
    state: 'done',
    number: '',
    hash: '',
    asked_by: of.shop.id,
  })
  const files: string[] = done.files
  const [json, page] = await Promise.all(files.map((name) => fileOf(of.shop, done.id, name)))
  const { places, account } = JSON.parse(json!)
  expect(account.id).toBe(of.shop.id)
  expect(Object.keys(places)).toEqual(
    expect.arrayContaining([
      ...['users', 'devices', 'lines', 'contacts', 'contact_groups', 'sms_messages', 'sms_events'],
      ...[
        'consents',
        'campaigns',
        'hooks',
        'webhooks',
        'conversations',
        'user_settings',
        'api_keys',
      ],
    ]),
  )
  for (const [name, count] of Object.entries(done.counts))
    expect(places[name]).toHaveLength(Number(count))
  for (const text of [json!, page!]) {
    for (const secret of [...person.secrets, person.number]) expect(text).toContain(secret)
    for (const secret of [...stranger.secrets, stranger.number]) expect(text).not.toContain(secret)
  }
  const hidden = await gateway.query('select hash from api_keys where id = $1', [key.id])
  expect(json).not.toContain(hidden[0]![0])
  expect((await must(of.shop, 'POST', '/api/account/data')).id).toBe(done.id)
})

test('a deletion of the account deletes each row that its export lists', async () => {
  const of = await shopAfter(100)
  await seedPerson(of)
  const { counts } = await exportOf(of.shop)
  const places = listAccountPlaces(store.catalog).filter(({ table }) => table in counts)
  expect(places.length).toBeGreaterThan(15)
  await must(gateway.superuser, 'DELETE', `/api/collections/users/records/${of.shop.id}`)
  for (const { table } of places)
    expect([table, await rowsWith(table, of.shop.id)]).toEqual([table, [0]])
})

test('an erasure of a person deletes the files of an export of the account', async () => {
  const of = await shopAfter(150)
  const person = await seedPerson(of)
  const { id } = await exportOf(of.shop)
  const words = [...person.secrets, ...person.spellings]
  // contents of files are bytes, which a row shows as hexadecimal digits
  const bytes = words.map((word) => Buffer.from(word).toString('hex'))
  expect(await tablesWith(db, bytes)).toEqual(['_file_chunks'])
  expect(await erase(of, person.number)).toMatchObject({ state: 'done' })
  expect(await tablesWith(db, [...words, ...bytes])).toEqual([])
  expect(
    await must(of.shop, 'GET', `/api/collections/person_requests/records/${id}`),
  ).toMatchObject({
    state: 'done',
    files: [],
    expires_at: '',
  })
  expect((await must(of.shop, 'POST', '/api/account/data')).id).not.toBe(id)
})

test('an export of the account that runs while a person is erased fails', async () => {
  const of = await shopAfter(200)
  const { shop } = of
  const { number } = await seedPerson(of)
  const [[request]] = (await gateway.query(
    `insert into person_requests (id, "user", kind, state, created, updated)
    values (pb_new_id(), $1, 'export', 'running', pb_text(now()), pb_text(now())) returning id`,
    [shop.id],
  )) as [[string]]
  // its job waits, so that the test runs it
  await gateway.query(
    `insert into _jobs (kind, holder, key, due_at) values ('person', $1, $2, now() + interval '1 hour')`,
    [shop.id, request],
  )
  const exporting = {
    request,
    person: makeEveryPerson(shop.id),
    owner: { id: shop.id, maxBytes: 0 },
  }
  const places = listAccountPlaces(store.catalog)
  expect(await db.transaction((inside) => exportSlice(inside, { ...exporting, places }, 0))).toBe(
    false,
  )
  expect(await erase(of, number)).toMatchObject({ state: 'done' })
  await gateway.query('update _jobs set due_at = now() where key = $1', [request])
  expect(await ended(shop, request)).toMatchObject({
    state: 'failed',
    error: 'The person was erased meanwhile.',
    files: [],
  })
})

test('a page of an export has at most 4 MiB, and at least one row', async () => {
  const { shop } = await shopAfter(150)
  const [place] = listAccountPlaces(store.catalog).filter(({ table }) => table === 'contacts')
  await gateway.query(
    `insert into contacts (id, "user", name, phone, data)
    select 'largecontact' || lpad(n::text, 3, '0'), $1, 'Large', '+49151000' || n, to_json(repeat('x', 3000000))
    from generate_series(100, 102) n`,
    [shop.id],
  )
  const sizes: number[] = []
  for (let after: string | undefined, isOver = false; !isOver; ) {
    const page = await loadPersonalRows(
      db,
      place!,
      makeEveryPerson(shop.id),
      sql`'{}'::text[]`,
      after,
    )
    sizes.push(page.rows.length)
    after = page.next
    isOver = after === undefined
  }
  expect(sizes).toEqual([1, 1, 1])
})

test("an export leaves out the owner's memberships in other accounts", async () => {
  const [of, other] = [await shopAfter(200), await shopAfter(250)]
  const team = { account: other.shop.id, member: of.shop.id, role: 'viewer' }
  await must(gateway.superuser, 'POST', '/api/collections/members/records', team)
  const { id, files } = await exportOf(of.shop)
  expect(await fileOf(of.shop, id, files[0])).not.toContain(other.shop.id)
})

test('an account is exported at most three times an hour', async () => {
  const { shop } = await shopAfter(300)
  const asks = [1, 2, 3, 4].map(async () => {
    const { status } = await shop.call('POST', '/api/account/data')
    return status
  })
  expect(await Promise.all(asks)).toEqual([200, 200, 200, 200])
  const made = 'select count(*)::int from person_requests where "user" = $1'
  expect(await gateway.query(made, [shop.id])).toEqual([[1]])
  const fail = async () => {
    const done = `update person_requests set state = 'failed', files = '{}' where "user" = $1 and state = 'done' returning 1`
    await expect.poll(() => gateway.query(done, [shop.id])).toHaveLength(1)
  }
  for (const turn of [2, 3]) {
    await fail()
    expect([turn, (await shop.call('POST', '/api/account/data')).status]).toEqual([turn, 200])
  }
  await fail()
  expect((await shop.call('POST', '/api/account/data')).status).toBe(429)
})
