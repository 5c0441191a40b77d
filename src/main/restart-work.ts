import { setTimeout as sleep } from 'node:timers/promises'
import type { Handler } from '../http/server/before-routes.ts'
import type { RequestTracker } from '../http/server/request-tracker.ts'
import { UserError } from '../platform/api-errors.ts'
import type { Logger } from '../platform/log.ts'
import { startCountdown } from '../platform/tools/deadline.ts'
import type { GatewayServices } from '../protocols/gateway-services.ts'

const PAUSE_MS = 6_000
const BEGIN_AGAIN_MS = 1_000

/** All that uses the database. It can stop and start again within the process. */
export interface Work {
  readonly services: GatewayServices
  readonly tracker: RequestTracker
  readonly handle: Handler
  readonly restores: number
  announceStop(): void
  /**
   * Finishes running requests, then ends event streams, one after the other within `streamsMs`. `left`:
   * remaining milliseconds.
   */
  finish(left: () => number, streamsMs?: number): Promise<void>
  close(left: () => number): Promise<void>
}

/** Starts the server's work. While a restore or a newer version stops it, `unavailable` answers requests. */
export async function startRestartable(
  begin: () => Promise<Work>,
  unavailable: Handler,
  log: Logger,
) {
  let work = await begin()
  let isStopped = false
  let reason = ''
  let restarting: Promise<void> = Promise.resolve()
  const beginAgain = async () => {
    for (let isFailing = false; !isStopped; await sleep(BEGIN_AGAIN_MS)) {
      try {
        work = await begin()
        running.handle = work.handle
        return
      } catch (err) {
        if (!isFailing) log.error({ err }, 'could not restart the server, retrying')
        isFailing = true
        if (err instanceof UserError) reason = err.message
      }
    }
  }
  const restart = async (why: string, alone: () => Promise<void>) => {
    if (isStopped) throw new Error('The server is stopping.')
    reason = why
    running.handle = unavailable
    await stopServing(work)
    await alone().finally(beginAgain)
  }
  const running = {
    handle: work.handle,
    get work() {
      return work
    },
    get reason() {
      return reason
    },
    /** Stops the work, runs `alone`, restarts the work. Requests get 503 with `why`. Calls run one by one. */
    exclusively(why: string, alone = async () => {}): Promise<void> {
      const done = restarting.then(() => restart(why, alone))
      restarting = done.catch(() => {})
      return done
    },
    async keepStopped(): Promise<void> {
      isStopped = true
      await restarting
    },
  }
  return running
}

/** Ends all work on the database, as when the server stops, but keeps the port open. */
async function stopServing(work: Work): Promise<void> {
  const left = startCountdown(PAUSE_MS)
  work.announceStop()
  work.tracker.close()
  await work.finish(left)
  await work.close(left)
}
