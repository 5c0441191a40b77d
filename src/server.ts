import { createServer, type Server } from 'node:http'
import { type AddressInfo, Server as TcpServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { offerCopies } from './backup/live-copy.ts'
import { openStore } from './collections/catalog-store.ts'
import { SettingsStore } from './collections/settings-store.ts'
import type { Config } from './config.ts'
import { migrate } from './db/migrate.ts'
import { type Db, openDb } from './db/open.ts'
import { UserError } from './errors.ts'
import { extensionsOf } from './extensions.ts'
import { createApp } from './http/app.ts'
import { answerClientError } from './http/client-error.ts'
import { CONNECTION_OPTIONS, limitConnections } from './http/connections.ts'
import type { Services } from './http/context.ts'
import { front, strictTransport } from './http/front.ts'
import { Reception } from './http/reception.ts'
import { jobsOf, startJobs } from './jobs.ts'
import { createLogger, type Logger } from './log.ts'
import { RequestLog } from './logs/request-log.ts'
import { Traffic } from './metrics/traffic.ts'
import { LIMITS } from './realtime/client.ts'
import { Realtime } from './realtime/hub.ts'
import { startDelivery } from './sms/delivery.ts'
import { startWebhooks } from './webhooks/start.ts'

/** How long running requests may take after the server was told to stop, and the database to close. */
const [STOP_MS, DATABASE_CLOSE_MS] = [8_000, 2_000]
const IDLE_MS = 50
/** Time for a proxy to find the door closed, and to use up the connections that it has kept. */
const HANG_UP_MS = 1_000

export interface RunningServer {
  /** Where it listens: `http://host:port`. */
  readonly url: string
  /** What its routes work with, for a program that embeds it. */
  readonly services: Services
  /**
   * Not ready from now on. After STOP_DELAY_SECONDS it takes no more connections, finishes the requests that run, sends
   * what is on its way to event streams, closes the database: all that within 10 s.
   */
  stop(): Promise<void>
}

/** Opens and migrates the database, then serves. Throws a UserError for what the person who starts it can mend. */
export async function start(config: Config, log: Logger = createLogger(config)): Promise<RunningServer> {
  const db = await openDb(config, log)
  try {
    return await serve(config, db, log)
  } catch (error) {
    await db.close()
    throw error
  }
}

async function serve(config: Config, db: Db, log: Logger): Promise<RunningServer> {
  await migrate(db)
  const store = await openStore(db)
  const settings = await SettingsStore.open(db)
  const [stopping, closing, ending] = [new AbortController(), new AbortController(), new AbortController()]
  const extensions = extensionsOf(config)
  const services: Services = {
    store,
    settings,
    config,
    log,
    logs: new RequestLog(db, settings, log),
    extensions,
    jobs: jobsOf(store, extensions, settings, config, log, stopping.signal),
    realtime: new Realtime(store, log, { ...LIMITS, ofAccount: config.maxStreams }),
    traffic: new Traffic(),
    stopping: stopping.signal,
    closing: closing.signal,
    ending: ending.signal,
  }
  const app = createApp(services)
  const reception = new Reception(services)
  const server = createServer(
    CONNECTION_OPTIONS,
    front(getRequestListener(app.fetch), reception, strictTransport(config)),
  )
  server.on('connection', (socket) => reception.connected(socket))
  server.on('clientError', answerClientError)
  limitConnections(server, services)
  const delivery = await startDelivery(store, config, log)
  const stopWebhooks = await startWebhooks(store, config, log)
  const stopCopies = await offerCopies(db, log)
  // the port is opened last: whoever gets an answer may count on a stop in good order
  await listen(server, config).catch(async (error) => {
    await Promise.all([delivery.stop(), stopWebhooks(), stopCopies()])
    await Promise.all([settings.close(), store.close()])
    throw error
  })
  const stopJobs = startJobs(services.jobs, log)
  const { address, port, family } = server.address() as AddressInfo
  return {
    services,
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    async stop() {
      stopping.abort()
      await sleep(config.stopDelaySeconds * 1000)
      const endMs = performance.now() + STOP_MS
      const left = () => Math.max(0, endMs - performance.now())
      const closed = closeDoor(server, reception)
      if (config.stopDelaySeconds > 0) await sleep(HANG_UP_MS)
      server.closeIdleConnections()
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_MS)
      closing.abort()
      await atMost(reception.idle(), left() / 2)
      // what these requests have changed is sent to the streams before they end
      await delivery.heardAll()
      ending.abort()
      await services.realtime.close()
      await atMost(closed, left())
      clearInterval(idle)
      server.closeAllConnections()
      await atMost(Promise.all([delivery.stop(), stopWebhooks(), stopJobs(), stopCopies()]), left())
      await atMost(services.logs.flush(), left())
      await atMost(Promise.all([settings.close(), store.close()]), left())
      await atMost(db.close(), left() + DATABASE_CLOSE_MS)
    },
  }
}

function listen(server: Server, config: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(portError(error, config)))
    server.listen(config.port, config.host, resolve)
  })
}

/**
 * Takes no new connections, and asks clients on open ones to hang up after their answer. Done when the last has ended. Node's own
 * `close` ends idle connections at once: a proxy may be sending a request on one at that moment, and may not repeat at another
 * server what it has sent (5 of 15 stops under load failed a POST that way).
 */
function closeDoor(server: Server, reception: Reception): Promise<void> {
  reception.close()
  return new Promise((resolve) => void TcpServer.prototype.close.call(server, () => resolve()))
}

/** Waits for something, but not for ever. What fails is as over as what is done. */
async function atMost(work: Promise<unknown>, ms: number): Promise<void> {
  const late = new AbortController()
  await Promise.race([work.catch(() => {}), sleep(ms, undefined, { signal: late.signal }).catch(() => {})])
  late.abort()
}

function portError(error: Error, config: Config): Error {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'EADDRINUSE')
    return new UserError(`Port ${config.port} on ${config.host} is taken. Set PORT to another one.`)
  if (code === 'EACCES')
    return new UserError(`Port ${config.port} needs more rights. Set PORT to one above 1023.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new UserError(`HOST ${config.host} is no address of this machine.`)
  return error
}
