import type { Logger } from '../../log.ts'
import { repeatWork } from '../../tools/repeat-work.ts'
import type { DbSession } from '../backend.ts'
import { isSqlError, OutdatedServer, UNDEFINED_TABLE } from '../database-errors.ts'
import { readSqlFiles } from './sql-files.ts'

/** How often a server checks whether its version is too old. Each new connection is checked as well. */
const CHECK_MS = 1_000

/** A server may use the database only if it has the migration with the returned number. */
export async function loadOldestServer(db: Pick<DbSession, 'query'>): Promise<number> {
  const { rows } = await db.query('select max(oldest) from _schema')
  return Number(rows[0]![0])
}

/** Throws OutdatedServer if this version is too old for the database. An empty database fits any version. */
export async function checkServerVersion(db: Pick<DbSession, 'query'>): Promise<void> {
  const oldest = await loadOldestServer(db).catch((error) => {
    if (isSqlError(error, UNDEFINED_TABLE)) return 0
    throw error
  })
  if (oldest > Number.parseInt(readSqlFiles('migrations').at(-1)!.name, 10))
    throw new OutdatedServer()
}

/** Calls `stop` when this version is too old. Ignores other errors. Returns a function to end the checks. */
export function watchOutdated(
  db: Pick<DbSession, 'query'>,
  log: Logger,
  stop: (error: OutdatedServer) => Promise<void>,
): () => Promise<void> {
  const check = () =>
    checkServerVersion(db).catch((error) =>
      error instanceof OutdatedServer ? stop(error) : undefined,
    )
  return repeatWork(check, CHECK_MS, log)
}
