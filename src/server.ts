import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { offerCopies } from './backup/live-copy.ts'
import { type BackupServices, Backups, type Exclusively } from './backup/service/backups.ts'
import { followRestores, otherRestoreIsOver } from './backup/service/follow.ts'
import { readState } from './backup/service/state.ts'
import { openStore } from './collections/catalog/catalog-store.ts'
import type { Config } from './config.ts'
import { type Db, openDb } from './db/open.ts'
import { roleWarning } from './db/role.ts'
import { migrate } from './db/schema/migrate.ts'
import { extensionsOf } from './extensions.ts'
import { removeLeftovers } from './files/spool.ts'
import { createApp } from './http/app.ts'
import { LimitedIncomingMessage } from './http/body/limited-incoming-message.ts'
import type { Services } from './http/context.ts'
import { BriefBans } from './http/server/brief-bans.ts'
import { answerClientError } from './http/server/client-error.ts'
import { CONNECTION_OPTIONS, limitConnections, stopAccepting } from './http/server/connections.ts'
import { front, strictTransport } from './http/server/front.ts'
import { listen } from './http/server/listen.ts'
import { oneAtATime } from './http/server/pipelined.ts'
import { RequestTracker } from './http/server/request-tracker.ts'
import { createRestoringApp } from './http/server/restoring.ts'
import { jobsOf, startJobs } from './jobs.ts'
import { createLogger, type Logger } from './log.ts'
import { RequestLog } from './logs/request-log.ts'
import { Traffic } from './metrics/traffic.ts'
import { startPushes } from './notifications/push-worker.ts'
import { LIMITS } from './realtime/clients/client.ts'
import { Realtime } from './realtime/hub.ts'
import { SettingsStore } from './settings/settings-store.ts'
import { CampaignRunner } from './sms/campaigns/runner.ts'
import { Acceptor } from './sms/send/accept.ts'
import { startDelivery } from './sms/sweep/delivery.ts'
import { startWebhooks } from './webhooks/start.ts'

/** How long running requests may take after the server was told to stop, and the database to close. */
const [STOP_MS, DATABASE_CLOSE_MS] = [8_000, 2_000]
/** The same before a backup is restored. */
const PAUSE_MS = 6_000
const BEGIN_AGAIN_MS = 1_000
const IDLE_MS = 50
/** Time for a proxy to find the door closed, and to use up the connections that it has kept. */
const HANG_UP_MS = 1_000

export interface RunningServer {
  /** Where it listens: `http://host:port`. */
  readonly url: string
  /** What its routes work with, for a program that embeds it. A restored backup makes them anew. */
  readonly services: Services
  /**
   * Not ready from now on. After STOP_DELAY_SECONDS it takes no more connections, finishes the requests that
   * run, sends what is on its way to event streams, closes the database: all that within 10 s.
   */
  stop(): Promise<void>
}

/**
 * Opens and migrates the database, then serves. Throws a UserError for what the person who starts it can
 * mend.
 */
export async function start(config: Config, log: Logger = createLogger(config)): Promise<RunningServer> {
  await removeLeftovers()
  const db = await openDb(config, log)
  try {
    const warning = await roleWarning(db)
    if (warning) log.warn(warning)
    return await serve(config, db, log)
  } catch (error) {
    await db.close()
    throw error
  }
}

/** All that works on the database. A restored backup ends it and begins it anew. */
interface Work {
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

type Handler = (req: IncomingMessage, res: ServerResponse) => unknown

async function begin(
  config: Config,
  db: Db,
  log: Logger,
  backup: Omit<BackupServices, 'settings' | 'stopping'>,
): Promise<Work> {
  await migrate(db)
  await otherRestoreIsOver(db, backup.node)
  const { restores } = await readState(db)
  const store = await openStore(db)
  const settings = await SettingsStore.open(db)
  const [stopping, closing, ending] = [new AbortController(), new AbortController(), new AbortController()]
  const extensions = extensionsOf(config)
  const campaigns = new CampaignRunner({ store, config, acceptor: new Acceptor(store, config) }, log)
  const backups = new Backups({ ...backup, settings, stopping: stopping.signal })
  const services: Services = {
    store,
    settings,
    config,
    log,
    logs: new RequestLog(db, settings, log),
    extensions,
    campaigns,
    jobs: jobsOf(store, extensions, settings, config, log, backups, stopping.signal),
    backups,
    realtime: new Realtime(store, log, { ...LIMITS, ofAccount: config.maxStreams }),
    traffic: new Traffic(),
    stopping: stopping.signal,
    closing: closing.signal,
    ending: ending.signal,
  }
  const tracker = new RequestTracker(services)
  const delivery = await startDelivery(store, config, log, campaigns)
  const stopWebhooks = await startWebhooks(store, config, log)
  const stopPushes = startPushes(store, config, log)
  const stopCopies = await offerCopies(db, log)
  const stopJobs = startJobs(services.jobs, log)
  return {
    services,
    reception: tracker,
    handle: front(getRequestListener(createApp(services).fetch), tracker, strictTransport(config)),
    restores,
    announceStop: () => stopping.abort(),
    async finish(left) {
      closing.abort()
      await atMost(tracker.idle(), left() / 2)
      // what these requests have changed is sent to the streams before they end
      await delivery.heardAll()
      ending.abort()
      await services.realtime.close()
    },
    async close(left) {
      await atMost(
        Promise.all([delivery.stop(), stopWebhooks(), stopPushes(), stopJobs(), stopCopies()]),
        left(),
      )
      await atMost(services.logs.flush(), left())
      await atMost(Promise.all([settings.close(), store.close()]), left())
    },
  }
}

/** The work of a server: a restored backup stops it and starts it anew while the port stays open. */
class Restartable {
  readonly #begin: () => Promise<Work>
  readonly #log: Logger
  readonly #unavailable: Handler
  #work: Work
  #handle: Handler
  #restarting: Promise<void> = Promise.resolve()
  #isStopped = false

  private constructor(begin: () => Promise<Work>, work: Work, config: Config, log: Logger) {
    this.#begin = begin
    this.#log = log
    const restoring = getRequestListener(createRestoringApp(config, log).fetch)
    this.#unavailable = front(restoring, { admit: () => {} }, strictTransport(config))
    this.#work = work
    this.#handle = work.handle
  }

  static async start(config: Config, db: Db, log: Logger, node: string): Promise<Restartable> {
    const exclusively: Exclusively = (alone) => restartable.exclusively(alone)
    const backup = { db, node, log, folder: config.backupDir, exclusively }
    const beginWork = () => begin(config, db, log, backup)
    const restartable = new Restartable(beginWork, await beginWork(), config, log)
    return restartable
  }

  get work(): Work {
    return this.#work
  }

  readonly handle: Handler = (req, res) => void this.#handle(req, res)

  /**
   * Runs `alone` while nothing else works on the database, and every request is answered with 503; one after
   * the other.
   */
  exclusively(alone: () => Promise<void>): Promise<void> {
    const restart = this.#restarting.then(() => this.#restart(alone))
    this.#restarting = restart.catch(() => {})
    return restart
  }

  /** From now on it does not start anew. Waits for a restart that runs. */
  async keepStopped(): Promise<void> {
    this.#isStopped = true
    await this.#restarting
  }

  async #restart(alone: () => Promise<void>): Promise<void> {
    if (this.#isStopped) throw new Error('The server is stopping.')
    this.#handle = this.#unavailable
    await pause(this.#work)
    try {
      await alone()
    } finally {
      await this.#startAnew()
    }
  }

  async #startAnew(): Promise<void> {
    while (!this.#isStopped) {
      try {
        this.#work = await this.#begin()
        this.#handle = this.#work.handle
        return
      } catch (err) {
        this.#log.error({ err }, 'the server does not start again, it is tried again')
        await sleep(BEGIN_AGAIN_MS)
      }
    }
  }
}

async function serve(config: Config, db: Db, log: Logger): Promise<RunningServer> {
  const node = randomUUID()
  const running = await Restartable.start(config, db, log, node)
  const options = { ...CONNECTION_OPTIONS, IncomingMessage: LimitedIncomingMessage }
  const bans = new BriefBans()
  const server = createServer(options, oneAtATime(running.handle, bans))
  server.on('connection', bans.check)
  server.on('connection', (socket) => running.work.reception.connected(socket))
  server.on('clientError', answerClientError)
  limitConnections(server, config, () => running.work.services.settings)
  const exclusively: Exclusively = (alone) => running.exclusively(alone)
  const stopFollowing = await followRestores(db, node, log, () => running.work.restores, exclusively)
  // the port is opened last: whoever gets an answer may count on a stop in good order
  await listen(server, config).catch(async (error) => {
    await stopFollowing()
    await running.work.close(() => STOP_MS)
    throw error
  })
  const { address, port, family } = server.address() as AddressInfo
  return {
    get services() {
      return running.work.services
    },
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    async stop() {
      running.work.announceStop()
      await sleep(config.stopDelaySeconds * 1000)
      const left = countdown(STOP_MS)
      await atMost(running.keepStopped(), left() / 2)
      const { work } = running
      work.announceStop()
      const closed = stopAccepting(server, work.reception)
      if (config.stopDelaySeconds > 0) await sleep(HANG_UP_MS)
      server.closeIdleConnections()
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_MS)
      await work.finish(left)
      await atMost(closed, left())
      clearInterval(idle)
      server.closeAllConnections()
      await atMost(work.services.backups.idle(), left())
      await atMost(stopFollowing(), left())
      await work.close(left)
      await atMost(db.close(), left() + DATABASE_CLOSE_MS)
    },
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

/** Answers how much is left of `ms` from now on. */
function countdown(ms: number): () => number {
  const endMs = performance.now() + ms
  return () => Math.max(0, endMs - performance.now())
}

/** Waits for something, but not for ever. What fails is as over as what is done. */
async function atMost(work: Promise<unknown>, ms: number): Promise<void> {
  const late = new AbortController()
  await Promise.race([work.catch(() => {}), sleep(ms, undefined, { signal: late.signal }).catch(() => {})])
  late.abort()
}
