import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DatabaseUnavailable } from '../../src/db/errors.ts'
import { type Db, openDb } from '../../src/db/open.ts'
import { createLogger } from '../../src/log.ts'
import { type RunningServer, start } from '../../src/server.ts'
import { testConfig } from '../support/server/start.ts'

// The embedded database runs on a thread of its own: it does not stop others while it works, and is started
// again when it ends.

/** Would take hours. */
const ENDLESS =
  'select count(*) from generate_series(1, 100000) a, generate_series(1, 1000000) b where (a + b) % 7 = 3'

/** Writes into the log and syncs it, in a transaction too. */
const WRITE_LOG = `select pg_logical_emit_message(false, 'test', '', true)`

describe.skipIf(process.env.TEST_BACKEND === 'postgres')('the embedded database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pocketsms-embedded-'))
  const configOf = (name: string) => testConfig({ DATA_DIR: join(folder, name), DATABASE_URL: '' })
  const [log, hidden] = [join(folder, 'db/pglite/pg_wal'), join(folder, 'hidden')]
  let db: Db

  /** Postgres ends when it cannot go on with its log. */
  async function endSession(inside: Db = db): Promise<void> {
    await inside.query('select pg_switch_wal()')
    renameSync(log, hidden)
    const ended = inside.query(WRITE_LOG).finally(() => renameSync(hidden, log))
    await expect(ended).rejects.toBeInstanceOf(DatabaseUnavailable)
  }

  beforeAll(async () => {
    const config = await configOf('db')
    db = await openDb(config, createLogger(config))
    await db.script('create table kept (n int)')
  })
  afterAll(async () => {
    await db.close()
    rmSync(folder, { recursive: true })
  })

  test('a statement over the limit of its transaction ends, and the next one runs', async () => {
    const late = db.transaction(async (inside) => {
      await inside.limitStatements(200)
      await inside.query(ENDLESS)
    })
    await expect(late).rejects.toMatchObject({ code: '57014' })
    expect((await db.query('select 1')).rows).toEqual([[1]])
  })

  test('a statement that cannot be canceled ends with its thread, and another thread goes on', async () => {
    const stuck = db.transaction(async (inside) => {
      await inside.limitStatements(200)
      await inside.query('select pg_sleep(3600)') // looks for a cancellation only when it is over
    })
    await expect(stuck).rejects.toBeInstanceOf(DatabaseUnavailable)
    expect((await db.query('select 1')).rows).toEqual([[1]])
  })

  test('the limit of one transaction is not that of the next', async () => {
    await db.transaction((inside) => inside.limitStatements(1))
    await db.transaction(async (inside) => {
      expect((await inside.query(`select count(*) from generate_series(1, 300000)`)).rows).toEqual([[300000]])
    })
  })

  test('a session that ends fails what ran, keeps what was committed, and runs what waited', async () => {
    await db.query('insert into kept values (1)')
    const [, waited] = await Promise.all([endSession(), db.query('select n from kept')])
    expect(waited.rows).toEqual([[1]])
  })

  test('a transaction does not go on in the next session', async () => {
    const half = db.transaction(async (inside) => {
      await inside.query('insert into kept values (2)')
      await endSession(inside)
      await inside.query('insert into kept values (3)')
    })
    await expect(half).rejects.toBeInstanceOf(DatabaseUnavailable)
    expect((await db.query('select n from kept order by n')).rows).toEqual([[1]])
  })

  test('prepared statements and listeners live through a restart', async () => {
    const heard: string[] = []
    const stop = await db.listen('told', (payload) => heard.push(payload))
    expect((await db.query('select $1::int', [1], 'prepared')).rows).toEqual([[1]])
    await endSession()
    expect((await db.query('select $1::int', [2], 'prepared')).rows).toEqual([[2]])
    await expect.poll(() => heard).toEqual(['']) // something may have been missed
    await db.query(`select pg_notify('told', 'again')`)
    await expect.poll(() => heard).toEqual(['', 'again'])
    await stop()
  })

  test('a server answers while a statement runs, and stops', async () => {
    const server: RunningServer = await start(await configOf('server'))
    const endless = server.services.store.db.query(ENDLESS).then(
      () => 'done',
      (error) => error.code,
    )
    const health = await fetch(`${server.url}/api/health`)
    expect(health.status).toBe(200)
    expect(await Promise.race([endless, 'still running'])).toBe('still running')
    await server.stop()
    expect(await endless).toBe('57014')
  })
})
