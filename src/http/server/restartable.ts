import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { UserError } from '../../errors.ts'
import type { Logger } from '../../log.ts'
import { countdown } from '../../tools/deadline.ts'
import type { Services } from '../context.ts'
import type { RequestTracker } from './request-tracker.ts'

/** How long running requests may take before the work ends. */
const PAUSE_MS = 6_000
const BEGIN_AGAIN_MS = 1_000

/** All that works on the database. It can end and begin again within the process. */
export interface Work {
  readonly services: Services
  readonly reception: RequestTracker
  readonly handle: Handler
  /** How many restores the database has had. */
  readonly restores: number
  /** Not ready from now on. */
  announceStop(): void
  /** Finishes the requests that run, then ends the event streams. `left` answers how many ms there are. */
  finish(left: () => number): Promise<void>
  /** Ends what runs beside the requests. The database stays open. */
  close(left: () => number): Promise<void>
}

export type Handler = (req: IncomingMessage, res: ServerResponse) => unknown

/**
 * The work of a server. A restored backup stops it and starts it again while the port stays open; a newer
 * version on the database stops it until the work can begin again.
 */
export class Restartable {
  readonly #begin: () => Promise<Work>
  readonly #log: Logger
  readonly #unavailable: Handler
  #work: Work
  #handle: Handler
  #restarting: Promise<void> = Promise.resolve()
  #isStopped = false
  #reason = ''

  private constructor(begin: () => Promise<Work>, work: Work, unavailable: Handler, log: Logger) {
    this.#begin = begin
    this.#log = log
    this.#unavailable = unavailable
    this.#work = work
    this.#handle = work.handle
  }

  /** `unavailable` answers requests while nothing works on the database. */
  static async start(begin: () => Promise<Work>, unavailable: Handler, log: Logger): Promise<Restartable> {
    return new Restartable(begin, await begin(), unavailable, log)
  }

  get work(): Work {
    return this.#work
  }

  /** Why nothing works on the database. */
  get reason(): string {
    return this.#reason
  }

  readonly handle: Handler = (req, res) => void this.#handle(req, res)

  /**
   * Runs `alone` while nothing else works on the database, and every request is answered with 503 and
   * `reason`; one after the other. Returns when the work has begun again.
   */
  exclusively(reason: string, alone = async () => {}): Promise<void> {
    const restart = this.#restarting.then(() => this.#restart(reason, alone))
    this.#restarting = restart.catch(() => {})
    return restart
  }

  /** From now on it does not start anew. Waits for a restart that runs. */
  async keepStopped(): Promise<void> {
    this.#isStopped = true
    await this.#restarting
  }

  async #restart(reason: string, alone: () => Promise<void>): Promise<void> {
    if (this.#isStopped) throw new Error('The server is stopping.')
    this.#reason = reason
    this.#handle = this.#unavailable
    await pause(this.#work)
    try {
      await alone()
    } finally {
      await this.#startAnew()
    }
  }

  async #startAnew(): Promise<void> {
    for (let isFailing = false; !this.#isStopped; await sleep(BEGIN_AGAIN_MS)) {
      try {
        this.#work = await this.#begin()
        this.#handle = this.#work.handle
        return
      } catch (err) {
        if (!isFailing) this.#log.error({ err }, 'the server does not start again, it is tried again')
        isFailing = true
        if (err instanceof UserError) this.#reason = err.message
      }
    }
  }
}

/** Ends all work on the database, as a stop does, but keeps the port open. */
async function pause(work: Work): Promise<void> {
  const left = countdown(PAUSE_MS)
  work.announceStop()
  work.reception.close()
  await work.finish(left)
  await work.close(left)
}
