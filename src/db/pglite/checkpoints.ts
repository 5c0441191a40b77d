import type { Logger } from '../../log.ts'
import type { Result } from '../backend.ts'

/**
 * A setting of the session: while it is `yes`, no checkpoint is made, since it could remove log that a copy
 * still needs. Postgres forgets it at the end of the session.
 */
export const COPYING = 'pocketsms.copying'
const EVERY_MS = 5_000
/**
 * 16 MB of log a second is about what this database can write: recovery then reads some 100 MB, which takes a
 * second.
 */
const MAX_LOG_BYTES = 48 * 1024 * 1024

/** A copy of the folder needs all of the log from its beginning: see folder-copy.ts. */
const LOG_BYTES = `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn) from pg_control_checkpoint()
  where current_setting('${COPYING}', true) is distinct from 'yes'`

/**
 * Makes a checkpoint when much was written since the last one, so that the log takes little room and a start
 * after a crash is quick. The embedded Postgres is in single-user mode and makes none by itself. Call what it
 * returns to stop it.
 */
export function checkpointRegularly(query: (text: string) => Promise<Result>, log: Logger): () => void {
  const look = async () => {
    const { rows } = await query(LOG_BYTES)
    if (Number(rows[0]?.[0]) > MAX_LOG_BYTES) await query('checkpoint')
  }
  const timer = setInterval(
    () => void look().catch((error) => log.warn({ err: error }, 'no checkpoint could be made')),
    EVERY_MS,
  )
  timer.unref()
  return () => clearInterval(timer)
}
