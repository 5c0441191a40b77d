import { randomUUID } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import type { Exclusively } from '../engine/backup/backups.ts'
import { followRestores } from '../engine/backup/follow-restores.ts'
import { ServedRequest } from '../http/served-request.ts'
import { wrapBeforeRoutes } from '../http/server/before-routes.ts'
import { ClosingResponse } from '../http/server/incoming-body.ts'
import { listInheritedSockets } from '../http/server/inherited-sockets.ts'
import {
  CONNECTION_OPTIONS,
  LISTENER_OPTIONS,
  limitConnections,
} from '../http/server/limit-connections.ts'
import { listenOn } from '../http/server/listen-on-port.ts'
import { answerClientError } from '../http/server/raw-http-errors.ts'
import type { Config } from '../platform/config.ts'
import type { Database } from '../platform/db/open.ts'
import { watchOutdated } from '../platform/db/schema/oldest-server.ts'
import type { WorkerMember } from '../platform/jobs/worker-member.ts'
import type { Logger } from '../platform/log.ts'
import { startCountdown, waitAtMost } from '../platform/tools/deadline.ts'
import type { GatewayServices } from '../protocols/gateway-services.ts'
import { createUnavailableApp } from './app.ts'
import { APIS } from './features.ts'
import { startRestartable } from './restart-work.ts'
import { startWork } from './start-work.ts'

/** During a stop: how long running requests may take, and how long closing the database may take then. */
const [STOP_MS, DATABASE_CLOSE_MS] = [8_000, 2_000]
/** How long running requests may take after another process has taken over: no client waits for the stop. */
const REPLACED_MS = 30_000
const IDLE_MS = 50
/** Time for a proxy to notice that the port is closed, and to finish with its open connections. */
const HANG_UP_MS = 1_000
/** Clients of event streams reconnect within this time, one after the other. */
const STREAMS_MS = 3_000
const RESTORING = 'A backup is being restored. Try again in a moment.'

export interface RunningServer {
  readonly url: string
  /** Services of the routes, for programs that embed a server. A restore of a backup replaces the object. */
  readonly services: GatewayServices
  /** Stops within 10 s after STOP_DELAY_SECONDS: finishes requests and streams, closes the database. */
  stop(): Promise<void>
  /** Stops, with more time for requests: another process of the same parent accepts the connections. */
  retire(): Promise<void>
}

/** Receives mails if SMTP_PORT is set, else loads no mail libraries (24 MB). Returns a function to stop. */
async function openMailServer(
  config: Config,
  log: Logger,
  services: () => GatewayServices | undefined,
) {
  if (config.smtpPort === 0) return async () => {}
  const { listenForMails } = await import('../protocols/smtp/listen-for-mails.ts')
  return listenForMails(config, log, services)
}

/** Migrates the database and serves. Throws a UserError if it cannot. `workers`: if it is one of several. */
export async function serveDatabase(
  config: Config,
  database: Database,
  log: Logger,
  workers: WorkerMember | undefined,
) {
  const db = database.forEverybody('server')
  const node = randomUUID()
  const exclusively: Exclusively = (alone) => running.exclusively(RESTORING, alone)
  const { backupDir: folder, backupRecipients: recipients } = config
  const backup = { db, node, log, folder, recipients, exclusively }
  const always = { config, log, apis: APIS }
  const refusing = createUnavailableApp(always, () => running.reason)
  // closes each connection: a client that reconnects may reach a different server
  const refusal = {
    admit: (_: unknown, res: ServerResponse) => void res.setHeader('connection', 'close'),
  }
  const unavailable = wrapBeforeRoutes(
    getRequestListener(refusing.fetch, LISTENER_OPTIONS),
    refusal,
    always,
  )
  const beginAgain = () => startWork(config, database, log, backup, workers)
  const running = await startRestartable(beginAgain, unavailable, log)
  const options = {
    ...CONNECTION_OPTIONS,
    IncomingMessage: ServedRequest,
    ServerResponse: ClosingResponse,
  }
  const server = createServer(options)
  server.on('clientError', answerClientError)
  limitConnections(server, running, config, () => running.work.services.settings)
  const stopFollowing = await followRestores(
    db,
    node,
    log,
    () => running.work.restores,
    exclusively,
  )
  const stopChecking = watchOutdated(db, log, async (error) => {
    log.error(error.message)
    await running.exclusively(error.message)
  })
  // runs if a port cannot be opened. Ports are opened last: a server that answers can stop cleanly
  const giveUp = async (error: unknown) => {
    await Promise.all([stopFollowing(), stopChecking()])
    await running.work.close(() => STOP_MS)
    throw error
  }
  const servicesNow = () =>
    running.handle === running.work.handle ? running.work.services : undefined
  const stopMails = await openMailServer(config, log, servicesNow).catch(giveUp)
  const inherited = listInheritedSockets()
  const listening = await listenOn(server, config, inherited).catch(async (error) => {
    await stopMails()
    return giveUp(error)
  })
  const finish = async (ms: number, hangUpMs: number, streamsMs: number) => {
    const left = startCountdown(ms)
    await waitAtMost(running.keepStopped(), left() / 2)
    const { work } = running
    work.announceStop()
    work.tracker.close()
    const closed = Promise.all([listening.stopAccepting(), stopMails()])
    await sleep(hangUpMs)
    server.closeIdleConnections()
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_MS)
    await work.finish(left, streamsMs)
    await waitAtMost(closed, left())
    clearInterval(idle)
    server.closeAllConnections()
    await waitAtMost(work.services.backups.idle(), left())
    await waitAtMost(Promise.all([stopFollowing(), stopChecking()]), left())
    await work.close(left)
    await waitAtMost(database.close(), left() + DATABASE_CLOSE_MS)
  }
  /** While the port stays open: answers ask their clients for new connections. */
  const hangUp = async () => {
    running.work.tracker.close()
    await sleep(HANG_UP_MS)
  }
  return {
    get services() {
      return running.work.services
    },
    url: listening.url,
    async stop() {
      if (inherited.length > 0) {
        // the socket outlives this process: until then, it accepts, and later requests wait for the next one
        await hangUp()
        return finish(STOP_MS, 0, 0)
      }
      running.work.announceStop()
      const delayMs = config.stopDelaySeconds * 1000
      await sleep(delayMs)
      await (delayMs > 0 ? finish(STOP_MS, HANG_UP_MS, STREAMS_MS) : finish(STOP_MS, 0, 0))
    },
    async retire() {
      void listening.stopAccepting()
      await hangUp()
      await finish(REPLACED_MS, 0, STREAMS_MS)
    },
  }
}
