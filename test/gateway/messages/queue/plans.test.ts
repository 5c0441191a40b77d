import type { Store } from '../../../../src/engine/collections/catalog.ts'
import { makeServerRequest } from '../../../../src/engine/request/request.ts'
import { findSentTexts } from '../../../../src/gateway/messages/find-sent-texts.ts'
import { applyReports } from '../../../../src/gateway/messages/queue/apply-reports.ts'
import {
  cancelBatch,
  cancelMessage,
} from '../../../../src/gateway/messages/queue/cancel-messages.ts'
import { claimMessages } from '../../../../src/gateway/messages/queue/claim-messages.ts'
import { renewLeases } from '../../../../src/gateway/messages/queue/message-leases.ts'
import { checkQueue } from '../../../../src/gateway/messages/queue/repair-queue.ts'
import { sweepQueue } from '../../../../src/gateway/messages/queue/sweep-queue.ts'
import { analyzeOutgrown } from '../../../../src/gateway/messages/queue/tidy-tables.ts'
import type { Db } from '../../../../src/platform/db/open.ts'
import { permitOf } from '../../../support/database/permits.ts'
import { assign, makeDevice, makeUser, testStore } from '../../../support/database/queue.ts'

/**
 * Runs `work` in a transaction. Returns those of these tables and indexes that it has scanned. A connection
 * counts what its earlier transactions scanned for up to a second more, so the difference is what `work` did.
 */
const scanned = (db: Db, names: readonly string[], work: (store: Store) => Promise<void>) =>
  db.transaction(async (tx) => {
    const count = async () => {
      const { rows } = await tx.query(
        'select relname, pg_stat_get_xact_numscans(oid) from pg_class where relname = any($1)',
        [names],
      )
      return new Map(rows.map(([name, scans]) => [name, scans]))
    }
    const before = await count()
    await work({ ...store, db: tx })
    return [...(await count())].filter(([name, n]) => n !== before.get(name)).map(([name]) => name)
  })

/** Indexes that lead to all that a user has, or a device. */
const BY_OTHERS = ['idx_sms_messages_device', 'idx_sms_messages_user_created']

/**
 * A long history that Postgres has counted, and the queue of a user who came since then: nothing of it is in
 * the statistics.
 */
const store = await testStore()
const past = await assign(store, await makeDevice(store, await makeUser(store)), 4000)
await store.db.query('delete from sms_dispatch')
await store.db.query(`update sms_messages set status = 'delivered' where id = any($1)`, [past])
for (const table of ['sms_messages', 'sms_dispatch']) {
  await store.db.query(`alter table ${table} set (autovacuum_enabled = off)`)
  await store.db.query(`vacuum analyze ${table}`)
}
const user = await makeUser(store)
const devices = [await makeDevice(store, user), await makeDevice(store, user)]
const ids = await assign(store, devices[0]!, 4000)
await store.db.query(`update sms_messages set batch_id = 'batch' where id = any($1)`, [
  ids.slice(1000, 1010),
])
await store.db.query(`update sms_messages set client_ref = 'order 1' where id = $1`, [ids[2000]])

test('queue statements look messages up by id even when statistics are from an almost empty table', async () => {
  const used = await scanned(store.db, BY_OTHERS, async (inside) => {
    await checkQueue(inside)
    const items = await claimMessages(inside, devices[0]!, 10, 120)
    expect(items).toHaveLength(10)
    const reports = items.map(({ id, attempt }) => ({ id, attempt, status: 'sent' as const }))
    await applyReports(inside, devices[0]!, reports, 600)
    await renewLeases(inside, devices[0]!, items, 120)
    await cancelBatch(inside, permitOf(devices[0]!.user), 'batch')
    await cancelMessage(inside, permitOf(devices[0]!.user), ids.at(-1)!)
    await inside.db.query(
      `update sms_dispatch set state = 'pending', due_at = now() where message = any($1)`,
      [ids.slice(100, 200)],
    )
    await inside.db.query(`update sms_dispatch set wakes = 4 where message = any($1)`, [
      ids.slice(200, 300),
    ])
    await sweepQueue(inside, 600)
  })
  expect(used).toEqual([])
})

test('queue statements find ten of a thousand messages by id without a table scan', async () => {
  const few = await testStore()
  const device = await makeDevice(few, await makeUser(few))
  await assign(few, device, 1000)
  for (const table of ['sms_messages', 'sms_dispatch'])
    await few.db.query(`vacuum analyze ${table}`)
  const used = await scanned(few.db, ['sms_messages'], async (inside) => {
    const items = await claimMessages(inside, device, 10, 120)
    const reports = items.map(({ id, attempt }) => ({ id, attempt, status: 'sent' as const }))
    await applyReports(inside, device, reports, 600)
    await sweepQueue(inside, 600)
  })
  expect(used).toEqual([])
})

test.each([
  ['ids', () => ({ ids: ids.slice(0, 3) })],
  ['batch', () => ({ batch: 'batch' })],
  ['client_ref', () => ({ client_ref: 'order 1' })],
])(
  'sent texts that are named by %s are found without the other texts of the user',
  async (_, name) => {
    const request = makeServerRequest(store, {})
    let found = 0
    const used = await scanned(store.db, [...BY_OTHERS, 'sms_messages'], async (inside) => {
      const { items } = await findSentTexts(inside, permitOf(user).sender, request, name())
      found = items.length
    })
    expect([used, found > 0]).toEqual([[], true])
  },
)

test('a table that has outgrown its statistics is analyzed before autovacuum runs', async () => {
  const counted = async () =>
    (await store.db.query(`select reltuples from pg_class where relname = 'sms_messages'`))
      .rows[0]![0]
  expect(await counted()).toBe(4000)
  await assign(store, devices[1]!, 8000)
  await analyzeOutgrown(store)
  expect(await counted()).toBe(16_000)
})
