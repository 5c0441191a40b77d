import type { Db } from '../db/open.ts'
import { formatDate } from '../fields/types/date.ts'
import type { Settings } from '../settings/settings.ts'

/** Maximum rows whatever the settings say: some 600 MB. */
const MAX_ROWS = 1_000_000
/** Rows per statement. */
const BATCH = 10_000
const DAY_MS = 86_400_000
const MAX_DAYS = 36_500

const OLD = `created <= $1`
const TOO_MANY = `_rowid <= (select max(_rowid) from _logs) - $1`
const UNWANTED = `level < $1`

/** Deletes logs over `logs.maxDays` and `maxRows`. PocketBase: core/base.go, registerLogsHooks */
export async function deleteOldLogs(
  db: Db,
  { maxDays }: Settings['logs'],
  nowMs = Date.now(),
  maxRows = MAX_ROWS,
): Promise<void> {
  await remove(db, OLD, formatDate(new Date(nowMs - Math.min(maxDays, MAX_DAYS) * DAY_MS)))
  await remove(db, TOO_MANY, maxRows)
}

/** The same, and those below `logs.minLevel`, after a change of the settings. */
export async function deleteUnwantedLogs(db: Db, logs: Settings['logs']): Promise<void> {
  await deleteOldLogs(db, logs)
  await remove(db, UNWANTED, logs.minLevel)
}

async function remove(db: Db, condition: string, value: string | number): Promise<void> {
  const text = `delete from _logs where _rowid in (select _rowid from _logs where ${condition} order by _rowid limit ${BATCH})`
  while ((await db.query(text, [value])).count > 0);
}
