import { setTimeout as sleep } from 'node:timers/promises'
import { UserError } from '../../errors.ts'
import type { Logger } from '../../log.ts'
import { ensureCluster, urlOf } from './cluster.ts'
import { LogFile } from './log-file.ts'
import { endIfHanging, enter, leave, type Presence } from './presence.ts'
import { findSite, type Site } from './site.ts'
import type { Settings } from './start.ts'

const LOG_MS = 600_000
const PULSE: Pulse = { everyMs: 30_000, answerMs: 10_000 }
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [100, 30_000]
/** After running this long Postgres counts as healthy: the next restart waits the shortest time again. */
const STEADY_MS = 60_000

/** How often to check that Postgres accepts connections, and its time to answer. */
interface Pulse {
  readonly everyMs: number
  readonly answerMs: number
}

/** A Postgres that this process uses, and restarts when it ends. */
export interface Embedded {
  /** A URL in the form of DATABASE_URL. */
  readonly url: string
  readonly superuserUrl: string
  /** Stops Postgres unless another process uses it. */
  close(): Promise<void>
}

/**
 * Makes and starts the Postgres of a data folder, and restarts it. Any number of processes of this host
 * may use it. Throws a UserError when it does not start.
 */
export async function openEmbedded(
  dataDir: string,
  log: Logger,
  settings: Settings = {},
  pulse = PULSE,
): Promise<Embedded> {
  const site = await prepare(dataDir, log)
  const keeper = new Keeper(site, log, settings, pulse)
  await keeper.open()
  const { folder } = site
  return { url: urlOf(folder), superuserUrl: urlOf(folder, 'postgres'), close: () => keeper.close() }
}

async function prepare(dataDir: string, log: Logger): Promise<Site> {
  try {
    const site = findSite(dataDir, log)
    await ensureCluster(site)
    return site
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new UserError(
      `The data folder ${dataDir} cannot be used: ${error.message}. DATA_DIR names another.`,
    )
  }
}

class Keeper {
  readonly #site: Site
  readonly #log: Logger
  readonly #settings: Settings
  readonly #pulse: Pulse
  readonly #closing = new AbortController()
  #presence: Presence | undefined
  #timer: NodeJS.Timeout | undefined
  #restart: Promise<void> = Promise.resolve()
  #pauseMs = FIRST_PAUSE_MS
  #enteredMs = 0

  constructor(site: Site, log: Logger, settings: Settings, pulse: Pulse) {
    this.#site = site
    this.#log = log
    this.#settings = settings
    this.#pulse = pulse
  }

  async open(): Promise<void> {
    await this.#enter()
    const file = new LogFile(this.#site.logs)
    this.#timer = setInterval(() => file.limit(), LOG_MS).unref()
    void this.#watch()
  }

  /** Checks by a new connection, since a hanging Postgres keeps the old ones open. */
  async #watch(): Promise<void> {
    const { everyMs, answerMs } = this.#pulse
    const { signal } = this.#closing
    while (!signal.aborted) {
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => {})
      if (!this.#presence || signal.aborted) continue
      if (await endIfHanging(this.#site, answerMs).catch(() => false))
        this.#log.error('the embedded database accepted no connections, stopped it')
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    clearInterval(this.#timer)
    await this.#restart
    if (this.#presence) await leave(this.#site, this.#presence)
  }

  async #enter(): Promise<void> {
    const presence = await enter(this.#site, this.#settings)
    this.#presence = presence
    this.#enteredMs = Date.now()
    presence.once('end', () => {
      if (this.#presence !== presence || this.#closing.signal.aborted) return
      this.#presence = undefined
      if (Date.now() - this.#enteredMs > STEADY_MS) this.#pauseMs = FIRST_PAUSE_MS
      const said = new LogFile(this.#site.logs).tail().trim().split('\n').slice(-3)
      this.#log.error({ postgres: said }, 'the embedded database has exited, restarting it')
      this.#restart = this.#enterAgain()
    })
  }

  async #enterAgain(): Promise<void> {
    const { signal } = this.#closing
    while (!this.#presence && !signal.aborted) {
      await sleep(this.#pauseMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS)
      await this.#enter().then(
        () => this.#log.warn('the embedded database is running again'),
        (err) => this.#log.error({ err, pauseMs: this.#pauseMs }, 'the embedded database does not start'),
      )
    }
  }
}
