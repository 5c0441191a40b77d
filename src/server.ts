import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { openStore } from './collections/catalog-store.ts'
import { SettingsStore } from './collections/settings-store.ts'
import type { Config } from './config.ts'
import { migrate } from './db/migrate.ts'
import { type Db, openDb } from './db/open.ts'
import { UserError } from './errors.ts'
import { extensions } from './extensions.ts'
import { createApp } from './http/app.ts'
import type { Services } from './http/context.ts'
import { front } from './http/front.ts'
import { jobsOf, startJobs } from './jobs.ts'
import { createLogger, type Logger } from './log.ts'
import { Realtime } from './realtime/hub.ts'
import { startDelivery } from './sms/delivery.ts'

/** How long an idle connection stays open, as in PocketBase: Node's 5 s cut off clients that were about to ask again. */
const KEEP_ALIVE_MS = 300_000
/** How long running requests may take after the server was told to stop. */
const STOP_MS = 10_000
const IDLE_MS = 50

export interface RunningServer {
  /** Where it listens: `http://host:port`. */
  readonly url: string
  /** What its routes work with, for a program that embeds it. */
  readonly services: Services
  /** Takes no more requests, finishes those that run (at most 10 s), closes the database. */
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
  const closing = new AbortController()
  const services: Services = {
    store,
    settings,
    config,
    log,
    extensions,
    jobs: jobsOf(store),
    realtime: new Realtime(store, log),
    closing: closing.signal,
  }
  const app = createApp(services)
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, front(getRequestListener(app.fetch), log))
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(portError(error, config)))
    server.listen(config.port, config.host, resolve)
  })
  const stopDelivery = await startDelivery(store, config, log)
  const stopJobs = startJobs(services.jobs, log)
  const { address, port, family } = server.address() as AddressInfo
  return {
    services,
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    async stop() {
      closing.abort()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      const silent = services.realtime.close()
      // connections fall idle one by one, as their requests and streams end
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_MS)
      const late = setTimeout(() => server.closeAllConnections(), STOP_MS)
      await closed
      await silent
      clearTimeout(late)
      clearInterval(idle)
      stopJobs()
      await stopDelivery()
      await settings.close()
      await store.close()
      await db.close()
    },
  }
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
