import { setTimeout as sleep } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { type BackupServices, openBackups } from '../engine/backup/backups.ts'
import { awaitOtherRestore } from '../engine/backup/follow-restores.ts'
import { loadBackupState } from '../engine/backup/state.ts'
import { openCatalogStore } from '../engine/collections/catalog-store.ts'
import { RequestLog } from '../engine/logs/request-log.ts'
import { openRealtime } from '../engine/realtime/open-realtime.ts'
import { SettingsStore } from '../engine/settings/settings-store.ts'
import { makeCarrierService } from '../gateway/carriers/carrier-service.ts'
import { startCarriers } from '../gateway/carriers/run-carriers.ts'
import { sendCodeText } from '../gateway/codes/limits/send-code-text.ts'
import { warnAboutZones } from '../gateway/lines/check-zones-and-hours.ts'
import { startIndexes } from '../gateway/messages/history-indexes.ts'
import { startQueue } from '../gateway/messages/queue/start-queue.ts'
import { makeUserSending } from '../gateway/messages/send/make-user-sending.ts'
import { openAcceptor } from '../gateway/messages/send/store-offers.ts'
import { makeWebhookMailer } from '../gateway/notifications/webhook-mails.ts'
import { startWebhooks } from '../gateway/webhooks/delivery-worker.ts'
import { Traffic } from '../http/metrics/group-requests.ts'
import { wrapBeforeRoutes } from '../http/server/before-routes.ts'
import { LISTENER_OPTIONS } from '../http/server/limit-connections.ts'
import { OpenStreams } from '../http/server/open-streams.ts'
import { RequestTracker } from '../http/server/request-tracker.ts'
import type { Config } from '../platform/config.ts'
import type { Database } from '../platform/db/open.ts'
import { migrateDatabase } from '../platform/db/schema/migrate.ts'
import { makeWorker } from '../platform/jobs/job-worker.ts'
import { startJobs } from '../platform/jobs/timed-jobs.ts'
import type { WorkerMember } from '../platform/jobs/worker-member.ts'
import type { Logger } from '../platform/log.ts'
import { waitAtMost } from '../platform/tools/deadline.ts'
import type { GatewayServices } from '../protocols/gateway-services.ts'
import { makeOtherForms } from '../protocols/protocols.ts'
import { afterRestore } from './after-restore.ts'
import { createApp } from './app.ts'
import { BUILT_IN } from './collection-definitions.ts'
import {
  APIS,
  collectExtensions,
  collectJobKinds,
  collectTimedJobs,
  PERSONAL_DATA,
} from './features.ts'
import type { Work } from './restart-work.ts'

/** How long a stop waits for other servers' last announcements: 20 ms plus the network's delay. */
const ANNOUNCED_MS = 100

/**
 * Migrates the database and starts the work on it: services, queues, background jobs. A restore of a backup
 * ends this work and starts it again.
 */
export async function startWork(
  config: Config,
  database: Database,
  log: Logger,
  backup: Omit<BackupServices, 'settings' | 'stopping' | 'afterRestore'>,
  workers: WorkerMember | undefined,
): Promise<Work> {
  const { db } = backup
  await migrateDatabase(db)
  await awaitOtherRestore(db, backup.node)
  const { restores } = await loadBackupState(db)
  const store = await openCatalogStore(database, BUILT_IN)
  const settings = await SettingsStore.open(db)
  const [stopping, closing] = [new AbortController(), new AbortController()]
  const streams = new OpenStreams()
  const extensions = collectExtensions(config)
  const acceptor = openAcceptor(store.forEverybody('sends'), config)
  const sending = { config, extensions, acceptor }
  const servicesOf = makeUserSending(store, sending)
  const backups = openBackups({ ...backup, settings, stopping: stopping.signal, afterRestore })
  const every = { store: store.forEverybody('sweep'), extensions, settings, config, log, backups }
  const services: GatewayServices = {
    store,
    settings,
    config,
    log,
    logs: new RequestLog(db, log),
    extensions,
    personalData: PERSONAL_DATA,
    sending,
    textCode: (user, text) => sendCodeText(servicesOf(user).store, config, user, text),
    jobs: collectTimedJobs({ ...every, stopping: stopping.signal }),
    apis: APIS,
    otherForms: {
      ...makeOtherForms(config, servicesOf),
      mail: makeWebhookMailer(db, { settings, log, config }),
    },
    backups,
    carriers: makeCarrierService({ store, config, extensions, log }),
    realtime: openRealtime(store, log),
    traffic: new Traffic(APIS),
    workers,
    stopping: stopping.signal,
    closing: closing.signal,
    streams,
  }
  const tracker = new RequestTracker(services)
  const stopQueue = await startQueue(store.forEverybody('sweep'), config, log)
  const stopWebhooks = await startWebhooks(
    store.forEverybody('webhooks'),
    config,
    log,
    services.otherForms,
  )
  const stopWork = await makeWorker(
    store.forEverybody('jobs').db,
    collectJobKinds(services),
    log,
  ).start()
  const stopJobs = startJobs(services.jobs, log)
  const stopIndexes = startIndexes(db, log)
  if ((workers?.worker ?? 1) === 1) void warnAboutZones(db, log).catch(() => {}) // a stop closes the database
  const stopCarriers = startCarriers(store, store.forEverybody('carriers'), config, log, workers)
  const stops = [stopCarriers, stopQueue, stopWebhooks, stopWork, stopJobs, stopIndexes]
  return {
    services,
    tracker,
    handle: wrapBeforeRoutes(
      getRequestListener(createApp(services).fetch, LISTENER_OPTIONS),
      tracker,
      services,
    ),
    restores,
    announceStop: () => stopping.abort(),
    async finish(left, streamsMs = 0) {
      closing.abort()
      await waitAtMost(tracker.idle(), left() / 2)
      await sleep(ANNOUNCED_MS)
      await streams.endInTurn(Math.min(streamsMs, left() / 4))
      await services.realtime.close()
      streams.endAll()
    },
    async close(left) {
      await waitAtMost(Promise.all(stops.map((stop) => stop())), left())
      await waitAtMost(services.logs.flush(), left())
      await waitAtMost(Promise.all([settings.close(), store.close()]), left())
    },
  }
}
