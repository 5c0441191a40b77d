import type { Db } from '../../../src/platform/db/open.ts'
import { until } from '../until.ts'

const WAITING = `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

/** How many statements in this database wait for a lock. */
export const waitingIn = async (db: Db) => Number((await db.query(WAITING)).rows[0]![0])

export const untilWaiting = (db: Db, count: number) =>
  until(`at least ${count} that wait for a lock`, async () => (await waitingIn(db)) >= count)
