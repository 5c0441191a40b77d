import { readState } from '../engine/backup/state.ts'
import type { Store } from '../engine/collections/catalog.ts'
import { countLowBatteries, readDevices } from '../gateway/lines/device-counts.ts'
import { readLineFigures } from '../gateway/lines/lines-near-limit.ts'
import { webhookLag } from '../gateway/webhooks/lease.ts'
import { readDisk } from '../http/metrics/disk.ts'
import { type Family, gaugesOf } from '../http/metrics/family.ts'
import { type Depth, type Queue, readQueue } from '../http/metrics/queue-depth.ts'
import type { Config } from '../platform/config.ts'
import { readJobFigures } from '../platform/jobs/job-queue.ts'

interface Source {
  readonly store: Store
  readonly config: Pick<Config, 'deviceOnlineSeconds' | 'databaseUrl' | 'dataDir'>
}

/** Metrics that are read from the database. */
export function sharedFamilies({ store, config }: Source): Family[] {
  const queue = gaugesOf(() => readQueue(store))
  const depths = (name: keyof Depth) => (states: Queue) =>
    Object.fromEntries(Object.entries(states).map(([state, depth]) => [state, depth[name]]))
  const devices = gaugesOf(() => readDevices(store, config.deviceOnlineSeconds))
  const lowBatteries = gaugesOf(() => countLowBatteries(store))
  const lines = gaugesOf(() => readLineFigures(store))
  const webhooks = gaugesOf(() => webhookLag(store))
  const jobs = gaugesOf(() => readJobFigures(store.db))
  const backups = gaugesOf(() => readState(store.db))
  const disk = gaugesOf(() => readDisk(config))
  const ageOf = (at: string) => (Date.now() - Date.parse(at.replace(' ', 'T'))) / 1000
  return [
    queue('queue_messages', 'Unfinished messages of all nodes, by state.', depths('messages')),
    queue('queue_due_messages', 'Of these, those whose time has come.', depths('due')),
    queue('queue_oldest_seconds', 'How long the oldest due one waits.', depths('oldestSeconds')),
    devices('devices', 'Devices of all accounts, by state.', (states) => states),
    lowBatteries('devices_low_battery', 'Enabled devices below 15 % that are not charging.', (low) => low),
    lines('lines', 'Lines that can send, by what they have used of their limits.', (states) => ({
      ...states,
    })),
    webhooks(
      'webhook_deliveries_pending',
      'Webhook deliveries of all nodes that are not over.',
      (lag) => lag.pending,
    ),
    webhooks(
      'webhook_lag_seconds',
      'How long the delivery that is due first waits.',
      (lag) => lag.oldestSeconds,
    ),
    jobs('jobs', 'Background jobs of all nodes, by kind and state.', (kinds) =>
      kinds.flatMap(({ kind, open, dead }) => [
        { labels: { kind, state: 'open' }, value: open },
        { labels: { kind, state: 'dead' }, value: dead },
      ]),
    ),
    jobs('jobs_oldest_seconds', 'How long the oldest due job has waited, by kind.', (kinds) =>
      kinds.map(({ kind, oldest_seconds: value }) => ({ labels: { kind }, value })),
    ),
    backups(
      'backup_age_seconds',
      'How long ago the last backup was made.',
      ({ lastBackup }) => lastBackup && ageOf(lastBackup.at),
    ),
    backups('backup_failed', '1 if the last backup or restore failed, else 0.', ({ lastFailure }) =>
      lastFailure ? 1 : 0,
    ),
    disk('disk_free_bytes', 'Room on the disk of the embedded database.', (found) => found?.free),
    disk('disk_bytes', 'Size of that disk.', (found) => found?.total),
  ]
}
