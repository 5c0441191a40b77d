import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../../src/engine/collections/catalog.ts'
import { followChanges } from '../../../src/engine/realtime/follow-changes.ts'
import { DatabaseUnavailable } from '../../../src/platform/db/database-errors.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { startServer } from '../../support/server/start.ts'

test('losing the database while a feed starts causes no unhandled rejection', async () => {
  const rejections: unknown[] = []
  const keepRejection = (reason: unknown) => void rejections.push(reason)
  process.on('unhandledRejection', keepRejection)
  const db = {
    async query(text: string) {
      if (text.includes('pg_snapshot_xmin')) throw new DatabaseUnavailable(new Error('gone'))
      const isInsert = text.includes('insert')
      const fields = [{ name: isInsert ? 'xid' : 'value' }]
      return { fields, rows: [[isInsert ? '5' : '7:7:', null]], count: 1 }
    },
    listen: () => sleep(20, async () => {}),
  }
  const listener = {
    heard: async () => {},
    asked: () => {},
    lost: () => {},
    accountMessage: () => {},
  }
  const log = createLogger({ logLevel: 'silent' })
  const feed = await followChanges({ db } as unknown as Store, 'node', log, listener)
  await feed.hear([])
  await feed.end()
  process.off('unhandledRejection', keepRejection)
  expect(rejections).toEqual([])
})

test('a subscription is late until a transaction older than it ends', async () => {
  const { services } = await startServer()
  const { store, log } = services
  const listener = {
    heard: async () => {},
    asked: () => {},
    lost: () => {},
    accountMessage: () => {},
  }
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const old = store.db.transaction(async (db) => {
    await db.query('select pg_current_xact_id()')
    begun.resolve()
    await ended.promise
  })
  await begun.promise
  const feed = await followChanges(store, 'late', log, listener)
  const { late } = await feed.hear(['sms_events'])
  expect(late).toBeInstanceOf(Promise)
  ended.resolve()
  await Promise.all([old, late])
  expect(await feed.hear(['sms_events'])).toEqual({})
  await feed.end()
})

test('a feed tells its clients to read again after a crash of Postgres has emptied its tables', async () => {
  const { services } = await startServer()
  const { store, log } = services
  let losses = 0
  const feed = await followChanges(store, 'crashed', log, {
    heard: async () => {},
    asked: () => {},
    lost: () => void losses++,
    accountMessage: () => {},
  })
  await store.db.query('truncate _listeners, _changes restart identity')
  // a client that comes before the next read does not hide that the registration was gone
  await feed.hear(['sms_events'])
  await expect.poll(() => losses, { timeout: 5_000 }).toBe(1)
  const { rows } = await store.db.query(
    `select node, ignored from _listeners where node = 'crashed'`,
  )
  expect(rows).toEqual([['crashed', ['sms_usage', 'webhook_deliveries']]])
  await feed.end()
})

test('the tables of the change log are unlogged, but no sequence', async () => {
  const { services } = await startServer()
  const { rows } = await services.store.db.query(
    `select relname from pg_class where relpersistence = 'u' and relkind in ('r', 'S') order by 1`,
  )
  expect(rows.flat()).toEqual(['_changes', '_listeners'])
})
