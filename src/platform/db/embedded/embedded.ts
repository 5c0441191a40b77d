import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { UserError } from '../../api-errors.ts'
import type { Logger } from '../../log.ts'
import { LOCKS } from '../advisory-locks.ts'
import { isConnectionError } from '../database-errors.ts'
import { ensureCluster } from './cluster.ts'
import { readClusterUrl } from './cluster-access.ts'
import type { Site } from './cluster-location.ts'
import { findSite } from './find-site.ts'
import { limitLog, readLogTail } from './postgres-log.ts'
import type { PostgresSettings } from './postgres-settings.ts'
import { endOrphans, endPostmaster, findPostmaster } from './postmaster.ts'
import { explainRefusedLogin, makeGoneError } from './start-faults.ts'
import { type StartedPostgres, startPostgres } from './start-postgres.ts'

/** Interval of shortening the log and testing a connection to Postgres. `answerMs`: the test's time limit. */
const PULSE = { everyMs: 30_000, answerMs: 10_000 }
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [100, 30_000]
/** If Postgres has run this long, the next restart waits only FIRST_PAUSE_MS again. */
const STEADY_MS = 60_000

export type Embedded = Awaited<ReturnType<typeof openEmbedded>>

/**
 * Starts the Postgres of a data folder, or joins a running one. From then on, this process has no variables
 * of libpq. Throws a UserError if Postgres does not start.
 */
export async function openEmbedded(
  dataDir: string,
  log: Logger,
  settings: PostgresSettings = {},
  pulse = PULSE,
) {
  clearLibpqVariables()
  const site = await prepareSite(dataDir, log)
  const { folder, logs } = site
  const closing = new AbortController()
  const { signal } = closing
  /** The connection that holds the shared lock of this process, so that no other process stops Postgres. */
  let presence: pg.Client | undefined
  let restart: Promise<void> = Promise.resolve()
  let pauseMs = FIRST_PAUSE_MS

  async function enterSite(): Promise<void> {
    const entered = await enterCluster(site, settings)
    presence = entered
    const enteredMs = Date.now()
    entered.once('end', () => {
      if (presence !== entered || signal.aborted) return
      presence = undefined
      if (Date.now() - enteredMs > STEADY_MS) pauseMs = FIRST_PAUSE_MS
      const postgres = readLogTail(logs).trim().split('\n').slice(-3)
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

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      await sleep(pulse.everyMs, undefined, { signal, ref: false }).catch(() => {})
      if (!presence || signal.aborted) continue
      limitLog(logs)
      if (await endIfHanging(site, pulse.answerMs).catch(() => false))
        log.error('the embedded database accepted no connections, stopped it')
    }
  }

  await enterSite()
  void watch()
  return {
    url: readClusterUrl(folder),
    superuserUrl: readClusterUrl(folder, 'postgres'),
    async close(): Promise<void> {
      closing.abort()
      await restart
      if (presence) await leaveCluster(site, presence)
    },
  }
}

async function prepareSite(dataDir: string, log: Logger): Promise<Site> {
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

const LOOK_MS = 25
const CONNECT_MS = 10_000
/** After this many connection attempts that time out, Postgres is stopped. */
const MAX_HANGS = 3
const LOCKED_MS = 5_000
const STOP_MS = 60_000

/** Connects to the cluster's Postgres; starts it if none runs. Throws a UserError if it does not start. */
async function enterCluster(site: Site, settings: PostgresSettings): Promise<pg.Client> {
  const began = Date.now()
  let started: StartedPostgres | undefined
  for (let hangs = 0; ; await sleep(LOOK_MS)) {
    if (!existsSync(join(site.folder, 'PG_VERSION'))) throw makeGoneError(site.folder)
    const pid = findPostmaster(site.folder)
    if (!pid && started?.hasEnded()) {
      if (!started.isLocked() || Date.now() - began > LOCKED_MS) throw started.failure()
      endOrphans(site.folder)
      started = undefined
      continue
    }
    if (!pid) started ??= startPostgres(site, settings)
    const tried = Date.now()
    try {
      return await connectToCluster(readClusterUrl(site.folder))
    } catch (error) {
      const refusal = explainRefusedLogin(error, site.folder)
      if (refusal && started) await endPostmaster(site.folder)
      if (refusal || !isConnectionError(error)) throw refusal ?? error
      if (pid && Date.now() - tried >= CONNECT_MS && ++hangs === MAX_HANGS)
        await endPostmaster(site.folder)
    }
  }
}

/** Stops Postgres if MAX_HANGS connection attempts in a row take `answerMs`; then returns true. */
async function endIfHanging({ folder }: Site, answerMs: number): Promise<boolean> {
  const pid = findPostmaster(folder)
  for (let hangs = 0; hangs < MAX_HANGS; hangs++) {
    if (!pid || findPostmaster(folder) !== pid) return false
    const tried = Date.now()
    const client = makeClusterClient(readClusterUrl(folder), answerMs)
    await client.connect().catch(() => {})
    void client.end().catch(() => {})
    if (Date.now() - tried < answerMs) return false
  }
  await endPostmaster(folder)
  endOrphans(folder)
  return true
}

function makeClusterClient(
  connectionString: string,
  connectionTimeoutMillis = CONNECT_MS,
): pg.Client {
  // not `pocketsms…`: the restore of a backup ends connections whose name begins like that
  const application_name = 'user of pocketsms'
  const client = new pg.Client({ connectionString, application_name, connectionTimeoutMillis })
  return client.on('error', () => {}) // `end` follows
}

async function connectToCluster(connectionString: string): Promise<pg.Client> {
  const client = makeClusterClient(connectionString)
  try {
    await client.connect()
    await client.query(`select pg_advisory_lock_shared(${LOCKS.embedded})`)
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

/** Releases the shared lock. The last process stops Postgres; its exclusive lock keeps others out. */
async function leaveCluster(site: Site, presence: pg.Client): Promise<void> {
  try {
    await presence.query(`select pg_advisory_unlock_shared(${LOCKS.embedded})`)
    const { rows } = await presence.query(
      `select pg_try_advisory_lock(${LOCKS.embedded}) as "isLast"`,
    )
    if (rows[0].isLast) await endPostmaster(site.folder, STOP_MS)
  } catch (error) {
    if (!isConnectionError(error)) throw error
  } finally {
    await presence.end().catch(() => {})
  }
}

/**
 * Removes the variables of libpq, such as PGSSLMODE, PGOPTIONS and PGSERVICE, from the environment of this
 * process: they describe another Postgres than the embedded one. node-pg reads some of them whenever it makes
 * a client, and options of its own cannot replace an empty value. All names begin with PG and a letter, so
 * PG_BIN stays. https://www.postgresql.org/docs/current/libpq-envars.html
 */
function clearLibpqVariables(environment: NodeJS.ProcessEnv = process.env): void {
  for (const name of Object.keys(environment)) if (/^PG[A-Z]/i.test(name)) delete environment[name]
}
