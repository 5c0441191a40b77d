import { setTimeout as sleep } from 'node:timers/promises'
import { followChanges } from '../../../src/engine/realtime/follow-changes.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { openCatalogStore, openDb } from '../../support/database/open.ts'
import { startServer, testConfig } from '../../support/server/start.ts'
import { makeBreakableProxy } from '../../support/services/breakable-proxy.ts'

/** Within this time a promise that nobody handles is reported. */
const REJECTED_MS = 30

/** A store behind a cable that is cut at the answer number `cutAt` of the database. */
async function openCutStore() {
  const config = await testConfig({}, 'prepared')
  let left = Infinity
  const cable = await makeBreakableProxy(config.databaseUrl!, () => --left === 0)
  await cable.connect()
  onTestFinished(() => cable.disconnect())
  const db = await openDb({ ...config, databaseUrl: cable.url }, createLogger(config))
  const direct = await openDb(config, createLogger(config))
  onTestFinished(async () => void (await Promise.allSettled([db.close(), direct.close()])))
  const cutAt = (answer: number) => {
    left = answer
  }
  return { store: await openCatalogStore(db), direct, cutAt }
}

test('losing the database while a feed starts causes no unhandled rejection', async () => {
  const rejections: unknown[] = []
  const keepRejection = (reason: unknown) => void rejections.push(reason)
  process.on('unhandledRejection', keepRejection)
  onTestFinished(() => void process.off('unhandledRejection', keepRejection))
  const { store, direct, cutAt } = await openCutStore()
  const listener = {
    heard: async () => {},
    asked: () => {},
    lost: () => {},
    accountMessage: () => {},
  }
  const log = createLogger({ logLevel: 'silent' })
  const outcomes = new Set<string>()
  // the feed waits for a transaction that is older than it
  await direct.transaction(async (old) => {
    await old.query('select pg_current_xact_id()')
    for (let answer = 1; answer <= 12; answer++) {
      cutAt(answer)
      const feed = await followChanges(store, `node${answer}`, log, listener).catch(() => undefined)
      await feed?.hear([]).catch(() => {})
      await sleep(REJECTED_MS)
      await feed?.end().catch(() => {})
      outcomes.add(feed ? 'started' : 'failed')
      cutAt(Infinity)
    }
  })
  expect([...outcomes].sort()).toEqual(['failed', 'started'])
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
