import { SUPERUSERS_ID } from '../../../src/engine/auth/superusers.ts'
import { compileFilter } from '../../../src/engine/filter/compile-filter.ts'
import { listRecords } from '../../../src/engine/records/list.ts'
import { makeAuthRecord, NO_REQUEST } from '../../../src/engine/request/request.ts'
import { messagesExtension } from '../../../src/gateway/messages/message-extensions.ts'
import { recordPlans } from '../../support/database/plans.ts'
import { makeDevice, makeUser, testStore } from '../../support/database/queue.ts'

// Lists, searches and deep pages find what a plain statement finds, whatever way they take.

const MESSAGES = 12_000
const WORDS = 'Straße STRASSE ΣΑΣ σας İstanbul istanbul Ünter ünter 100% a_b c\\d'.split(' ')

const store = await testStore()
const user = await makeUser(store)
const others = await makeDevice(store, await makeUser(store), { platform: `'a'` })
const own = [await makeDevice(store, user), await makeDevice(store, user)]
const devices = own.map(({ id }) => id)
await store.db.query(`update devices set name = 'first' where id = $1`, [devices[0]])
// 40 messages of each instant, as a send to 40 recipients has
await store.db.query(
  `insert into sms_messages (id, "user", device, status, body, "to", created, updated)
  select 'message' || lpad(n::text, 8, '0'), case when n % 3 = 0 then $2 else $1 end,
    case when n % 3 = 0 then $3 else ($4::text[])[1 + n % 2] end, case when n % 7 = 0 then 'failed' else 'sent' end,
    'Text ' || n || ' ' || ($5::text[])[1 + n % cardinality($5::text[])], '+49' || (n * 7919 % 100000)::text, at, at
  from generate_series(1, ${MESSAGES}) n,
    lateral (select pb_text(timestamptz '2026-01-01' + n / 40 * interval '1 hour') as at) t`,
  [user, others.user, others.id, devices, WORDS],
)
await store.db.query('vacuum analyze sms_messages')

/** Whoever asks: the user, or a superuser. */
async function requestOf(isSuperuser: boolean, query: Record<string, string>) {
  const collection = store.catalog.find(isSuperuser ? SUPERUSERS_ID : 'users')!
  const id = isSuperuser ? 'superuser000001' : user
  const table = isSuperuser ? '"_superusers"' : 'users'
  if (isSuperuser) {
    await store.db.query(
      `insert into "_superusers" (id, email, password, "tokenKey") values ($1, 'r@x.test', 'none', 'key')
        on conflict do nothing`,
      [id],
    )
  }
  const { rows } = await store.db.query(`select xmin::text from ${table} where id = $1`, [id])
  return { ...NO_REQUEST, query, auth: makeAuthRecord(collection, { id }, String(rows[0]![0])) }
}

const extensions = new Map([['sms_messages', messagesExtension]])

async function list(isSuperuser: boolean, query: Record<string, string>) {
  const { db, plans } = recordPlans(store.db)
  const request = await requestOf(isSuperuser, query)
  const collection = store.catalog.find('sms_messages')!
  const text = await listRecords({ db, catalog: store.catalog }, extensions, collection, request)
  const { items, totalItems } = JSON.parse(text) as { items: { id: string }[]; totalItems: number }
  const plan = plans.findLast((one) => one.includes('"sms_messages" b'))!
  return { ids: items.map(({ id }) => id), totalItems, plan }
}

/** All ids in order, by a plain statement without any index. */
async function all(isSuperuser: boolean, { filter = '', sort = '' }: Record<string, string>) {
  const collection = store.catalog.find('sms_messages')!
  const rule = isSuperuser ? '' : `user = "${user}"`
  const request = await requestOf(isSuperuser, {})
  const { from, where, orderBy, params } = compileFilter(store.catalog, {
    collection,
    rule,
    filter,
    sort,
    request,
  })
  return store.db.transaction(async (db) => {
    await db.script('set local enable_indexscan = off; set local enable_bitmapscan = off')
    const condition = where && ` WHERE ${where}`
    const { rows } = await db.query(
      `SELECT b.id FROM ${from}${condition} ORDER BY ${orderBy}`,
      params,
    )
    return rows.map(([id]) => String(id))
  })
}

const WHO = [
  ['a user', false],
  ['a superuser', true],
] as const

test.each(
  WHO.flatMap(([who, is]) =>
    ['-created', 'created', '', '-to', '-@rowid'].map((sort) => [who, sort, is] as const),
  ),
)('deep pages of %s are exact, also after inserts, sorted by "%s"', async (_, sort, is) => {
  for (const page of [20, 60, 110, 300]) {
    const wanted = await all(is, { sort })
    const query = { sort, page: String(page), perPage: '50' }
    const counted = await list(is, query)
    expect(counted.ids).toEqual(wanted.slice((page - 1) * 50, page * 50))
    expect(counted.totalItems).toBe(wanted.length)
    expect((await list(is, { ...query, skipTotal: '1' })).ids).toEqual(counted.ids)
    await store.db.query(
      `insert into sms_messages (id, "user", body, created, updated)
      select 'new' || md5(random()::text), $1, 'new', pb_text(timestamptz '2026-01-05' + n * interval '1 hour'), ''
      from generate_series(1, 7) n`,
      [user],
    )
  }
  await store.db.query('vacuum analyze sms_messages')
})

test.each(WHO)('a deep page of %s reads only its own rows', async (_, is) => {
  const { plan } = await list(is, { sort: '-created', page: '100', perPage: '50', skipTotal: '1' })
  expect(plan).toContain(`Index Only Scan using sms_messages_${is ? '' : 'of_user_'}by_time`)
})

const FILTERS = [
  'body ~ "text 11"',
  'body ~ "STRASSE"',
  'body ~ "straße"',
  'body ~ "ΣΑ"',
  'body ~ "ΣΑΣ"',
  'body ~ "σας"',
  'body ~ "istanbul"',
  'body ~ "İst"',
  'body ~ "Ünt"',
  'body ~ "ünt"',
  'body ~ "100%"',
  'body ~ "a_b"',
  'body ~ "c\\\\d"',
  'body ~ "%xt 5%b"',
  'body:fold ~ "strasse"',
  'body:fold ~ "STRAßE"',
  'body:fold ~ "unter"',
  'body:fold ~ "Istanbul"',
  'body:fold ~ "İst"',
  'body:fold ~ "σας"',
  'body:fold ~ "100%"',
  'body:fold ~ "c\\\\d"',
  'body:fold ~ "eau"',
  'body:fold !~ "text"',
  'body:fold ~ "ünter" && body:fold ~ "77" || to ~ "1234" || from ~ "1234"',
  'body ~ "nothing of this"',
  'body !~ "text"',
  'body ~ "9" && to ~ "777"',
  'body ~ "text 1" || to ~ "1234"',
  'to = "+4979190" || body ~ "text 77"',
  'status = "failed" && body ~ "straße"',
  'created >= "2026-01-05" && body ~ "straße"',
  'device.name = "first"',
  'device.name = "first" && body ~ "text 9"',
  'device.name != "first" && body ~ "text 9"',
  'device.name ~ "nobody"',
  'device.name = "first" || body ~ "text 99"',
  'device.enabled = true && device.platform = ""',
]

test.each(WHO)('filters find the same with and without indexes for %s', async (_, is) => {
  for (const filter of FILTERS) {
    for (const sort of ['-created', 'to']) {
      const wanted = await all(is, { filter, sort })
      const query = { filter, sort, perPage: '50' }
      expect((await list(is, { ...query, skipTotal: '1' })).ids, filter).toEqual(
        wanted.slice(0, 50),
      )
      expect((await list(is, query)).totalItems, filter).toBe(wanted.length)
    }
  }
})

test.each(WHO)('a rare word is found by its trigrams for %s', async (_, is) => {
  const { plan } = await list(is, {
    filter: 'body ~ "Text 1111 "',
    sort: '-created',
    skipTotal: '1',
  })
  expect(plan).toContain('sms_messages_body_trigrams')
})

test.each(WHO)(
  'a rare word of any case and accents is found by its trigrams for %s',
  async (_, is) => {
    const filter = 'body:fold ~ "TÉXT" && (body:fold ~ "1111" || to ~ "1111" || from ~ "1111")'
    const { plan } = await list(is, { filter, sort: '-created', skipTotal: '1' })
    for (const column of ['body', 'to', 'from'])
      expect(plan).toContain(`sms_messages_${column}_trigrams`)
  },
)

test('part of a number is found by its trigrams', async () => {
  const { plan } = await list(true, { filter: 'to ~ "+4979190"' })
  expect(plan).toMatch(/sms_messages_(to_trigrams|by_number)/)
})

test.each(WHO)('messages of a device are searched among the newest first for %s', async (_, is) => {
  const { plan, ids } = await list(is, {
    filter: 'device.name = "first"',
    sort: '-created',
    skipTotal: '1',
  })
  expect(plan).toMatch(/CTE newest/)
  expect(ids).toHaveLength(30)
})
