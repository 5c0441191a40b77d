import { setTimeout as sleep } from 'node:timers/promises'
import { UserError } from '../../errors.ts'
import type { Logger } from '../../log.ts'
import { ensureCluster, urlOf } from './cluster.ts'
import { limitLog, tailOf } from './log-file.ts'
import { endIfHanging, enter, leave, type Presence } from './presence.ts'
import { findSite, type Site } from './site.ts'
import type { Settings } from './start.ts'

const LOG_MS = 600_000
/** How often to check that Postgres accepts connections, and its time to answer. */
const PULSE = { everyMs: 30_000, answerMs: 10_000 }
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [100, 30_000]
/** After running this long Postgres counts as healthy: the next restart waits the shortest time again. */
const STEADY_MS = 60_000

/** A Postgres that this process uses, and restarts when it ends. */
export type Embedded = Awaited<ReturnType<typeof openEmbedded>>

/**
 * Makes and starts the Postgres of a data folder, and restarts it. Any number of processes of this host
 * may use it. Throws a UserError when it does not start.
 */
export async function openEmbedded(dataDir: string, log: Logger, settings: Settings = {}, pulse = PULSE) {
  const site = await prepare(dataDir, log)
  const { folder, logs } = site
  const closing = new AbortController()
  const { signal } = closing
  let presence: Presence | undefined
  let restart: Promise<void> = Promise.resolve()
  let pauseMs = FIRST_PAUSE_MS

  async function enterSite(): Promise<void> {
    const entered = await enter(site, settings)
    presence = entered
    const enteredMs = Date.now()
    entered.once('end', () => {
      if (presence !== entered || signal.aborted) return
      presence = undefined
      if (Date.now() - enteredMs > STEADY_MS) pauseMs = FIRST_PAUSE_MS
      const postgres = tailOf(logs).trim().split('\n').slice(-3)
      log.error({ postgres }, 'the embedded database has exited, restarting it')
      restart = enterAgain()
    })
  }

  async function enterAgain(): Promise<void> {
    while (!presence && !signal.aborted) {
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
      await enterSite().then(
        () => log.warn('the embedded database is running again'),
        (err) => log.error({ err, pauseMs }, 'the embedded database does not start'),
      )
    }
  }

  /** Checks by a new connection, since a hanging Postgres keeps the old ones open. */
  async function watch(): Promise<void> {
    while (!signal.aborted) {
      await sleep(pulse.everyMs, undefined, { signal, ref: false }).catch(() => {})
      if (!presence || signal.aborted) continue
      if (await endIfHanging(site, pulse.answerMs).catch(() => false))
        log.error('the embedded database accepted no connections, stopped it')
    }
  }

  await enterSite()
  const timer = setInterval(() => limitLog(logs), LOG_MS).unref()
  void watch()
  return {
    /** A URL in the form of DATABASE_URL. */
    url: urlOf(folder),
    superuserUrl: urlOf(folder, 'postgres'),
    /** Stops Postgres unless another process uses it. */
    async close(): Promise<void> {
      closing.abort()
      clearInterval(timer)
      await restart
      if (presence) await leave(site, presence)
    },
  }
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
