import { setTimeout as sleep } from 'node:timers/promises'
import { isSqlError } from './errors.ts'

const DEADLOCK = '40P01'
const TRIES = 5
/** Those who met there do not come back at the same moment. */
const MAX_PAUSE_MS = 50

/** Repeats work that a deadlock rolled back: nothing of it was done. */
export async function retryDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries === TRIES || !isSqlError(error, DEADLOCK)) throw error
      await sleep(Math.random() * MAX_PAUSE_MS)
    }
  }
}
