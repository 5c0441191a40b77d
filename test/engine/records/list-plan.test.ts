import type { Extensions } from '../../../src/engine/records/collection-extension.ts'
import { listRecords } from '../../../src/engine/records/list.ts'
import { makeAuthRecord, NO_REQUEST } from '../../../src/engine/request/request.ts'
import { messagesExtension } from '../../../src/gateway/messages/message-extensions.ts'
import { recordPlans } from '../../support/database/plans.ts'
import { assign, makeDevice, makeUser, testStore } from '../../support/database/queue.ts'

const store = await testStore()
const others = await makeDevice(store, await makeUser(store))
const user = await makeUser(store)
await assign(store, others, 4000)
await assign(store, await makeDevice(store, user), 1000)
await store.db.query(
  `insert into sms_messages (id, "user", "from", body, message_type, status, created)
  select pb_new_id(), $1, '+48' || n, 'Hi', 'incoming', 'received', pb_text(now()) from generate_series(1, 2000) n`,
  [user],
)
await store.db.query('vacuum analyze sms_messages')

/** A page of the user's messages, and how Postgres went about the statements for it. */
async function list(query: Record<string, string>, extensions: Extensions = new Map()) {
  const { db, plans } = recordPlans(store.db)
  const collection = store.catalog.find('sms_messages')!
  const users = store.catalog.find('users')!
  const { rows } = await store.db.query('select xmin::text from users where id = $1', [user])
  const request = {
    ...NO_REQUEST,
    query,
    auth: makeAuthRecord(users, { id: user }, String(rows[0]![0])),
  }
  const page = JSON.parse(
    await listRecords({ db, catalog: store.catalog }, extensions, collection, request),
  )
  return { page, plans }
}

test.each(['', '-status', 'updated,-to'])(
  'a user\'s filtered list reads no messages of others, sorted by "%s"',
  async (sort) => {
    const { page, plans } = await list({ filter: 'to ~ "493"', sort })
    expect(page).toMatchObject({ totalItems: 1000, perPage: 30 })
    const plan = plans.find((one) => one.includes('count(*)'))!
    const counted = plan.slice(
      plan.indexOf('WindowAgg'),
      plan.lastIndexOf('sms_messages__rowid_key'),
    )
    expect(counted).toMatch(/sms_messages_(in_order|of_user_by_\w+)|idx_sms_messages_user_created/)
    expect(counted).not.toContain('_rowid_key')
  },
)

test.each([
  {},
  { sort: '-@rowid' },
  { skipTotal: '1' },
  { skipTotal: '1', perPage: '1', filter: 'to ~ "493"' },
] as Record<string, string>[])(
  "a user's list in insertion order skips no messages of others: %o",
  async (query) => {
    const { page, plans } = await list(query)
    expect(page.items[0]).toMatchObject({ user })
    const plan = plans.find((one) => one.includes('LIMIT'))!
    expect(plan).toContain('sms_messages_in_order')
    expect(plan).not.toContain('_rowid_key')
  },
)

test.each([
  ['to = "+4912300"', [/sms_messages_(of_user_)?by_number/]],
  [
    '(message_type = "incoming" && from = "+4912300") || (message_type = "outgoing" && to = "+4912300")',
    [/sms_messages_of_user_by_from/, /sms_messages_(of_user_)?by_number/],
  ],
])('a conversation is found by indexes on its number: %s', async (filter, indexes) => {
  const { plans } = await list({ filter, sort: '-created' })
  const plan = plans.find((one) => one.includes('LIMIT'))!
  for (const index of indexes) expect(plan).toMatch(index)
  expect(plan).not.toMatch(/Seq Scan on sms_messages|idx_sms_messages_user_created|of_user_by_time/)
})

test('a list by status returns the line that a writer set and an empty error_message', async () => {
  await store.db.query(
    `update sms_messages set status = case when n = 1 then 'failed' else 'pending' end, line = 'a line' from (
      select id as one, row_number() over (order by id) as n from sms_messages
      where "user" = $1 and status = 'assigned' order by id limit 3) f where id = one`,
    [user],
  )
  const extensions = new Map([['sms_messages', messagesExtension]])
  const found = async (status: string) =>
    (await list({ filter: `status = "${status}"`, sort: '-created' }, extensions)).page
  expect(await found('failed')).toMatchObject({
    totalItems: 1,
    items: [{ error_message: '', line: 'a line' }],
  })
  expect(await found('pending')).toMatchObject({ totalItems: 2, items: [{ line: 'a line' }, {}] })
})
