import { randomUUID } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { type BackupServices, type Exclusively, makeBackups } from '../backup/backups.ts'
import { followRestores, otherRestoreIsOver, readState } from '../backup/state.ts'
import { openStore } from '../collections/catalog-store.ts'
import type { Config } from '../config.ts'
import { openServingDb } from '../db/connect.ts'
import { DatabaseUnavailable } from '../db/errors.ts'
import type { Database } from '../db/open.ts'
import { migrate } from '../db/schema/migrate.ts'
import { onOutdated } from '../db/schema/oldest-server.ts'
import { roleWarning } from '../db/server.ts'
import { removeUploads } from '../files/upload-space.ts'
import { createApp, createUnavailableApp } from '../http/app.ts'
import { LimitedIncomingMessage } from '../http/body/raw-body.ts'
import type { Services } from '../http/context.ts'
import { CONNECTION_OPTIONS, LISTENER_OPTIONS, limitConnections, listen } from '../http/server/connections.ts'
import { answerClientError, front } from '../http/server/front.ts'
import { RequestTracker } from '../http/server/request-tracker.ts'
import { startRestartable, type Work } from '../http/server/restartable.ts'
import { ClosingResponse } from '../http/server/unread-body.ts'
import { createLogger, type Logger } from '../log.ts'
import { RequestLog } from '../logs/request-log.ts'
import { Traffic } from '../metrics/traffic.ts'
import { webhookMails } from '../notifications/webhook-mails.ts'
import { otherForms, PROTOCOLS } from '../protocols/protocols.ts'
import { openRealtime } from '../realtime/hub.ts'
import { SettingsStore } from '../settings/settings-store.ts'
import { sendingFor } from '../sms/campaigns/campaign.ts'
import { textCode } from '../sms/codes/text-code.ts'
import { startIndexes } from '../sms/large-history.ts'
import { startDelivery } from '../sms/queue/sweep.ts'
import { openAcceptor } from '../sms/send/accept.ts'
import { atMost, countdown } from '../tools/deadline.ts'
import { startWebhooks } from '../webhooks/delivery-worker.ts'
import { makeWorker, startJobs } from '../work/jobs.ts'
import type { WorkerMember } from '../work/processes.ts'
import { extensionsOf } from './extensions.ts'
import { jobsOf, kindsOf } from './jobs.ts'

/** During a stop: how long running requests may take, and how long closing the database may take then. */
const [STOP_MS, DATABASE_CLOSE_MS] = [8_000, 2_000]
const IDLE_MS = 50
/** How long a stop waits for other servers' last announcements: 20 ms plus the network's delay. */
const ANNOUNCED_MS = 100
/** Time for a proxy to notice that the port is closed, and to finish with its open connections. */
const HANG_UP_MS = 1_000
const RESTORING = 'A backup is being restored. Try again in a moment.'

export interface RunningServer {
  readonly url: string
  /** What the routes use, for programs that embed a server. A restore of a backup replaces the object. */
  readonly services: Services
  /** Stops within 10 s after STOP_DELAY_SECONDS: finishes requests and streams, closes the database. */
  stop(): Promise<void>
}

/** Migrates the database and serves. Throws a UserError if it cannot. `workers`: if it is one of several. */
export async function start(config: Config, log: Logger = createLogger(config), workers?: WorkerMember) {
  await removeUploads()
  const database = await openServingDb(config, log)
  try {
    // another server's migration may end this connection; the next connection waits for the migration
    const warning = await roleWarning(database.forEverybody('server')).catch(unlessUnavailable)
    if (warning) log.warn(warning)
    return await serve(config, database, log, workers)
  } catch (error) {
    await database.close()
    throw error
  }
}

function unlessUnavailable(error: unknown): undefined {
  if (!(error instanceof DatabaseUnavailable)) throw error
}

async function begin(
  config: Config,
  database: Database,
  log: Logger,
  backup: Omit<BackupServices, 'settings' | 'stopping'>,
  workers: WorkerMember | undefined,
): Promise<Work> {
  const { db } = backup
  await migrate(db)
  await otherRestoreIsOver(db, backup.node)
  const { restores } = await readState(db)
  const store = await openStore(database)
  const settings = await SettingsStore.open(db)
  const [stopping, closing, ending] = [new AbortController(), new AbortController(), new AbortController()]
  const extensions = extensionsOf(config)
  const acceptor = openAcceptor(store.forEverybody('sends'), config)
  const sending = { config, extensions, acceptor }
  const servicesOf = sendingFor(store, sending)
  const backups = makeBackups({ ...backup, settings, stopping: stopping.signal })
  const services: Services = {
    store,
    settings,
    config,
    log,
    logs: new RequestLog(db, log),
    extensions,
    sending,
    textCode: (user, text) => textCode(servicesOf(user).store, config, user, text),
    jobs: jobsOf(store.forEverybody('sweep'), extensions, settings, config, log, backups, stopping.signal),
    protocols: PROTOCOLS,
    otherForms: { ...otherForms(config, servicesOf), mail: webhookMails(db, { settings, log, config }) },
    backups,
    realtime: openRealtime(store, log),
    traffic: new Traffic(PROTOCOLS),
    workers,
    stopping: stopping.signal,
    closing: closing.signal,
    ending: ending.signal,
  }
  const tracker = new RequestTracker(services)
  const stopDelivery = await startDelivery(store.forEverybody('sweep'), config, log)
  const stopWebhooks = await startWebhooks(store.forEverybody('webhooks'), config, log, services.otherForms)
  const stopWork = await makeWorker(store.forEverybody('jobs').db, kindsOf(services), log).start()
  const stopJobs = startJobs(services.jobs, log)
  const stopIndexes = startIndexes(db, log)
  const stops = [stopDelivery, stopWebhooks, stopWork, stopJobs, stopIndexes]
  return {
    services,
    reception: tracker,
    handle: front(getRequestListener(createApp(services).fetch, LISTENER_OPTIONS), tracker, services),
    restores,
    announceStop: () => stopping.abort(),
    async finish(left) {
      closing.abort()
      await atMost(tracker.idle(), left() / 2)
      await sleep(ANNOUNCED_MS)
      ending.abort()
      await services.realtime.close()
    },
    async close(left) {
      await atMost(Promise.all(stops.map((stop) => stop())), left())
      await atMost(services.logs.flush(), left())
      await atMost(Promise.all([settings.close(), store.close()]), left())
    },
  }
}

/** Receives mails if SMTP_PORT is set, else loads no mail libraries (24 MB). Returns a function to stop. */
async function openMails(config: Config, log: Logger, services: () => Services | undefined) {
  if (config.smtpPort === 0) return async () => {}
  const { listenForMails } = await import('../protocols/smtp/listen.ts')
  return listenForMails(config, log, services)
}

async function serve(config: Config, database: Database, log: Logger, workers: WorkerMember | undefined) {
  const db = database.forEverybody('server')
  const node = randomUUID()
  const exclusively: Exclusively = (alone) => running.exclusively(RESTORING, alone)
  const backup = { db, node, log, folder: config.backupDir, exclusively }
  const always = { config, log, protocols: PROTOCOLS }
  const refusing = createUnavailableApp(always, () => running.reason)
  // closes each connection: a client that reconnects may reach a different server
  const hangUp = { admit: (_: unknown, res: ServerResponse) => void res.setHeader('connection', 'close') }
  const unavailable = front(getRequestListener(refusing.fetch, LISTENER_OPTIONS), hangUp, always)
  const beginAgain = () => begin(config, database, log, backup, workers)
  const running = await startRestartable(beginAgain, unavailable, log)
  const options = {
    ...CONNECTION_OPTIONS,
    IncomingMessage: LimitedIncomingMessage,
    ServerResponse: ClosingResponse,
  }
  const server = createServer(options)
  server.on('clientError', answerClientError)
  limitConnections(server, running, config, () => running.work.services.settings)
  const stopFollowing = await followRestores(db, node, log, () => running.work.restores, exclusively)
  const stopChecking = onOutdated(db, log, async (error) => {
    log.error(error.message)
    await running.exclusively(error.message)
  })
  // runs if a port cannot be opened. Ports are opened last: a server that answers can stop cleanly
  const giveUp = async (error: unknown) => {
    await Promise.all([stopFollowing(), stopChecking()])
    await running.work.close(() => STOP_MS)
    throw error
  }
  const servicesNow = () => (running.handle === running.work.handle ? running.work.services : undefined)
  const stopMails = await openMails(config, log, servicesNow).catch(giveUp)
  const listening = await listen(server, config).catch(async (error) => {
    await stopMails()
    return giveUp(error)
  })
  return {
    get services() {
      return running.work.services
    },
    url: listening.url,
    async stop() {
      running.work.announceStop()
      await sleep(config.stopDelaySeconds * 1000)
      const left = countdown(STOP_MS)
      await atMost(running.keepStopped(), left() / 2)
      const { work } = running
      work.announceStop()
      work.reception.close()
      const closed = Promise.all([listening.stopAccepting(), stopMails()])
      if (config.stopDelaySeconds > 0) await sleep(HANG_UP_MS)
      server.closeIdleConnections()
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_MS)
      await work.finish(left)
      await atMost(closed, left())
      clearInterval(idle)
      server.closeAllConnections()
      await atMost(work.services.backups.idle(), left())
      await atMost(Promise.all([stopFollowing(), stopChecking()]), left())
      await work.close(left)
      await atMost(database.close(), left() + DATABASE_CLOSE_MS)
    },
  }
}
