import { compileFilter } from '../../../src/engine/filter/compile-filter.ts'
import type { Extensions } from '../../../src/engine/records/collection-extension.ts'
import { listRecords } from '../../../src/engine/records/list.ts'
import { writeListStatement } from '../../../src/engine/records/list-statement.ts'
import { SHAPES } from '../../../src/engine/records/list-statement-shapes.ts'
import { makeAuthRecord, NO_REQUEST } from '../../../src/engine/request/request.ts'
import { messagesExtension } from '../../../src/gateway/messages/message-extensions.ts'
import { recordPlans } from '../../support/database/plans.ts'
import { assign, makeDevice, makeUser, testStore } from '../../support/database/queue.ts'

const store = await testStore()
const others = await makeDevice(store, await makeUser(store))
const user = await makeUser(store)
await assign(store, others, 4000)
await assign(store, await makeDevice(store, user), 1500)
await store.db.query(
  `update sms_messages set status = case when _rowid % 50 = 0 then 'failed' else 'delivered' end`,
)
for (const table of ['sms_messages', 'sms_messages_brief'])
  await store.db.query(`vacuum analyze ${table}`)

const collection = store.catalog.find('sms_messages')!
const users = store.catalog.find('users')!
const { rows } = await store.db.query('select xmin::text from users where id = $1', [user])
const auth = makeAuthRecord(users, { id: user }, String(rows[0]![0]))

const NEWEST = { sort: '-created' }
const BY_TIME = /idx_sms_messages_user_created|sms_messages_of_user_by_time/
const BRIEF = /Index (Only )?Scan (Backward )?using sms_messages_brief_\w+ on sms_messages_brief b/

interface Row {
  readonly shape: string
  readonly query: Readonly<Record<string, string>>
  /** What the plan contains, and what it does not. */
  readonly reads: readonly RegExp[]
  readonly avoids?: RegExp
  readonly total: number
}

/** A row at least for each shape; the plan shows which table and index Postgres reads. */
const LISTS: readonly Row[] = [
  {
    shape: 'search the newest rows first',
    query: { ...NEWEST, skipTotal: '1', filter: 'to ~ "493"' },
    reads: [/CTE newest/],
    total: -1,
  },
  {
    shape: 'count and find in the covering table',
    query: { ...NEWEST, filter: 'status = "failed"' },
    reads: [BRIEF, /sms_messages__rowid_key/],
    avoids: /Seq Scan|_by_time/,
    total: 30,
  },
  {
    shape: 'count and find in the covering table',
    query: { ...NEWEST, filter: 'status = "failed"', skipTotal: '1' },
    reads: [BRIEF, /sms_messages__rowid_key/],
    avoids: /Seq Scan|_by_time/,
    total: -1,
  },
  {
    shape: 'count and find in the covering table',
    query: { ...NEWEST, filter: 'message_type = "outgoing" && status != "sent"', page: '20' },
    reads: [BRIEF, /sms_messages__rowid_key/],
    avoids: /Seq Scan/,
    total: 1500,
  },
  {
    shape: 'find without a total',
    query: { ...NEWEST, skipTotal: '1' },
    reads: [BY_TIME],
    avoids: /brief/,
    total: -1,
  },
  {
    shape: 'find, with the stored total',
    query: NEWEST,
    reads: [BY_TIME, /sms_totals/],
    avoids: /brief/,
    total: 1500,
  },
  {
    shape: 'count in the covering table, then find',
    query: { ...NEWEST, filter: 'created > "2020-01-01"' },
    reads: [BRIEF, BY_TIME],
    total: 1500,
  },
  {
    shape: 'count while finding',
    query: { ...NEWEST, filter: 'to ~ "493"' },
    reads: [/WindowAgg/],
    avoids: /_rowid_key on sms_messages b_1|brief/,
    total: 1500,
  },
  {
    shape: 'count while finding',
    query: { ...NEWEST, filter: 'status = "failed" && to ~ "493"' },
    reads: [/WindowAgg/, /sms_messages_brief/],
    total: 30,
  },
  {
    shape: 'count, then find',
    query: { ...NEWEST, filter: 'to ~ "493"', page: '20' },
    reads: [/sms_messages_(in_order|of_user_by_\w+)|idx_sms_messages_user_created/],
    avoids: /brief/,
    total: 1500,
  },
]

test.each(LISTS)(
  'the query $query gets the shape "$shape"',
  async ({ shape, query, reads, total, ...row }) => {
    const request = { ...NO_REQUEST, query, auth }
    const { filter = '', sort = '' } = query
    const compiled = compileFilter(store.catalog, {
      collection,
      rule: collection.listRule!,
      filter,
      sort,
      request,
    })
    const page = {
      page: 1n,
      perPage: 30,
      offset: BigInt(query.page ? 570 : 0),
      skipTotal: 'skipTotal' in query,
    }
    const statement = writeListStatement(
      collection,
      compiled,
      page,
      auth,
      messagesExtension,
      filter !== '',
    )
    expect(statement.shape).toBe(shape)

    const { db, plans } = recordPlans(store.db)
    const extensions: Extensions = new Map([['sms_messages', messagesExtension]])
    const answer = await listRecords(
      { db, catalog: store.catalog },
      extensions,
      collection,
      request,
    )
    expect(JSON.parse(answer)).toMatchObject({ totalItems: total, items: { length: 30 } })
    const plan = plans.find((one) => one.includes('LIMIT'))!
    for (const part of reads) expect(plan).toMatch(part)
    if (row.avoids) expect(plan.slice(plan.indexOf('\n'))).not.toMatch(row.avoids)
  },
)

test('every list shape has a row in this test', () => {
  expect(new Set(LISTS.map(({ shape }) => shape))).toEqual(new Set(SHAPES.map(({ name }) => name)))
})
