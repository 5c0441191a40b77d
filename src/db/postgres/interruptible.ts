import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Backend } from '../backend.ts'
import { isConnectionError } from '../errors.ts'
import { runStatement } from '../run-statement.ts'

const LOOK_MS = 50
/** A cancellation that is not answered by then may still come: its connection is not used again. */
const CANCEL_MS = 5_000

/** A connection as the driver has it: the types leave out the id of its server process. */
type Connection = pg.PoolClient & { readonly processID: number }

/**
 * See Backend.interruptible. `cancel` cancels what a server process runs; if that fails it is tried again.
 * The connection goes back to the pool when no cancellation is on its way any more, so that none can hit the
 * next statement.
 */
export const interruptible =
  (pool: pg.Pool, cancel: (processId: number) => Promise<unknown>): Backend['interruptible'] =>
  async (isOver, text, params, name) => {
    const client = (await pool.connect()) as Connection
    const startMs = performance.now()
    let canceling: Promise<unknown> | undefined
    const look = () => {
      if (canceling || !isOver(performance.now() - startMs)) return
      canceling = cancel(client.processID)
        .catch(() => {})
        .finally(() => {
          canceling = undefined
        })
    }
    const watch = setInterval(look, LOOK_MS)
    let isLost = false
    try {
      return await runStatement(client, text, params, name)
    } catch (error) {
      isLost = isConnectionError(error)
      throw error
    } finally {
      clearInterval(watch)
      if (canceling) isLost ||= !(await isDone(canceling))
      client.release(isLost)
    }
  }

async function isDone(canceling: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController()
  const late = sleep(CANCEL_MS, false, { signal: timer.signal }).catch(() => false)
  const done = await Promise.race([canceling.then(() => true), late])
  timer.abort()
  return done
}
