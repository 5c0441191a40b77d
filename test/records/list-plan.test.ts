import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Store } from '../../src/collections/catalog.ts'
import { NO_REQUEST } from '../../src/filter/request.ts'
import { listRecords } from '../../src/records/list.ts'
import { explaining } from '../support/plans.ts'
import { assign, makeDevice, makeUser, openTestStore } from '../support/queue.ts'

let opened: Awaited<ReturnType<typeof openTestStore>>
let store: Store
let user: string
beforeAll(async () => {
  opened = await openTestStore()
  store = opened.store
  const others = await makeDevice(store, await makeUser(store))
  user = await makeUser(store)
  await assign(store, others, 8000)
  await assign(store, await makeDevice(store, user), 1000)
  await store.db.query('vacuum analyze sms_messages')
})
afterAll(() => opened.close())

test.each(['', '-status', 'updated,-to'])(
  'who filters own messages reads none of others, sorted by "%s"',
  async (sort) => {
    const { db, plans } = explaining(store.db)
    const collection = store.catalog.find('sms_messages')!
    const users = store.catalog.find('users')!
    const auth = { collection: users, id: user, values: { id: user }, version: '', isSuperuser: false }
    const query = { filter: 'to ~ "493"', sort }
    const { rows } = await store.db.query('select xmin::text from users where id = $1', [user])
    const request = { ...NO_REQUEST, query, auth: { ...auth, version: String(rows[0]![0]) } }
    const page = JSON.parse(await listRecords({ db, catalog: store.catalog }, new Map(), collection, request))
    expect(page).toMatchObject({ totalItems: 1000, perPage: 30 })
    const plan = plans.find((one) => one.includes('count(*)'))!
    const counted = plan.slice(plan.indexOf('WindowAgg'), plan.lastIndexOf('sms_messages__rowid_key'))
    expect(counted).toMatch(/sms_messages_by_status|idx_sms_messages_user_created/)
    expect(counted).not.toContain('_rowid_key')
  },
)
