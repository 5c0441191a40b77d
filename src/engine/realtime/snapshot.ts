import { sql } from 'kysely'
import { evaluateSql } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import {
  checkAuthVersion,
  listVersionValues,
  writeAuthVersionSql,
} from '../records/check-auth-version.ts'
import type { AuthRecord } from '../request/request.ts'

/** Which transactions a statement sees, as in Postgres' `pg_snapshot`. */
export interface Snapshot {
  /** All transactions before this one had ended. */
  readonly xmin: number
  /** This transaction and all after it had not ended. */
  readonly xmax: number
  /** Transactions between the two that were still running. */
  readonly running: ReadonlySet<number>
}

/** Parses Postgres' text form `xmin:xmax:running,running,…`. */
export function readSnapshot(text: string): Snapshot {
  const [xmin, xmax, running] = text.split(':')
  return {
    xmin: Number(xmin),
    xmax: Number(xmax),
    running: new Set(running ? running.split(',').map(Number) : []),
  }
}

export const isTransactionIncluded = ({ xmin, xmax, running }: Snapshot, xid: number): boolean =>
  xid < xmin || (xid < xmax && !running.has(xid))

/** The present snapshot, from which a new reader of `_changes` starts. */
export async function loadCurrentSnapshot(db: Db): Promise<Snapshot> {
  return readSnapshot(await evaluateSql(db, sql<string>`pg_current_snapshot()::text`))
}

/** The present snapshot. Throws StaleAuth if the caller's record has changed since it was read. */
export async function loadSnapshotForCaller(db: Db, auth: AuthRecord | null): Promise<Snapshot> {
  const text = `select pg_current_snapshot()::text, ${writeAuthVersionSql(auth, 1)}`
  const { rows } = await db.query(text, listVersionValues(auth))
  const [snapshot, version] = rows[0]!
  checkAuthVersion(auth, version)
  return readSnapshot(String(snapshot))
}
