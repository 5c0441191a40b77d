import type pg from 'pg'
import { makeSerialQueue } from '../tools/repeat-work.ts'
import type { TransactionSession } from './backend.ts'
import { DatabaseLocked, DatabaseUnavailable } from './database-errors.ts'
import { GRACE_MS, makeDbSession, withDatabaseErrors } from './run-statement.ts'

/** The driver's longest time limit, 24 days. */
const NO_LIMIT_MS = 2 ** 31 - 1

const END_OTHERS = `
select pg_terminate_backend(pid) from pg_stat_activity
where datname = current_database() and usename = current_user and application_name like 'pocketsms%'
  and pid <> pg_backend_pid()`

export async function runTransaction<T>(
  pool: pg.Pool,
  work: (session: TransactionSession) => Promise<T>,
  failed: (client: pg.PoolClient) => void,
): Promise<T> {
  const client = await withDatabaseErrors(() => pool.connect())
  let patienceMs: number | undefined
  const inside = makeDbSession(client, () => patienceMs)
  const queue = makeSerialQueue()
  let isOver = false
  let hasFailed = false
  try {
    await inside.query('begin')
    // statements queued after a failure must not run in the connection's next transaction
    const inTurn = <R>(send: () => Promise<R>) =>
      queue(() => {
        if (hasFailed) throw new Error('The transaction is over')
        return send()
      })
    const ordered: TransactionSession = {
      query: (...statement) => inTurn(() => inside.query(...statement)),
      script: (text) => inTurn(() => inside.script(text)),
      async limit(ms) {
        patienceMs = ms === 0 ? NO_LIMIT_MS : ms + GRACE_MS
        await ordered.query(`select set_config('statement_timeout', $1, true)`, [String(ms)])
        if (ms === 0) await ordered.script('set local lock_timeout = 0')
      },
      async endOthers() {
        // ends this connection too: its cached plans may not fit the new tables
        isOver = true
        await ordered.query(END_OTHERS)
      },
    }
    const result = await work(ordered)
    await inside.query('commit')
    return result
  } catch (error) {
    hasFailed = true
    isOver ||= error instanceof DatabaseUnavailable && !(error instanceof DatabaseLocked)
    if (!isOver) await inside.query('rollback').catch(() => (isOver = true))
    failed(client)
    throw error
  } finally {
    client.release(isOver)
  }
}
