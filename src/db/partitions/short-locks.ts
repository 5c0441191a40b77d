import { setTimeout as sleep } from 'node:timers/promises'
import { isDeadlock } from '../deadlocks.ts'
import { DatabaseLocked } from '../errors.ts'
import type { Db } from '../open.ts'

/** Whoever comes after a waiting lock waits, too: no longer than this. */
const LOCK_MS = 200
const PAUSE_MS = 500
const TRIES = 240

/**
 * A transaction that takes locks which stop all work on a table, and gives up soon where it would have to
 * wait for them, since all others then wait as well. It is done again after a pause, for some minutes.
 */
export async function withShortLocks<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction(async (tx) => {
        await tx.limitStatements(0)
        await tx.script(`set local lock_timeout = ${LOCK_MS}`)
        return work(tx)
      })
    } catch (error) {
      if (tries === TRIES || !(error instanceof DatabaseLocked || isDeadlock(error))) throw error
      await sleep(PAUSE_MS * (0.5 + Math.random()))
    }
  }
}
