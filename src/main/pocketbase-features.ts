import { deleteOldAuditEntries } from '../engine/auth/audit.ts'
import { cleanUpSignIns } from '../engine/auth/clean-up.ts'
import { SUPERUSERS_ID, superusersExtension } from '../engine/auth/superusers.ts'
import { serveSchedule } from '../engine/backup/schedule.ts'
import { readState } from '../engine/backup/state.ts'
import { deleteOldLogs } from '../engine/logs/request-log.ts'
import { changesCleanUp } from '../engine/realtime/change-log.ts'
import { EVERY_MINUTE, EVERY_TEN_MINUTES, type Feature, HOURLY } from '../gateway/base/feature.ts'
import { readDisk } from '../http/metrics/disk.ts'
import { gaugesOf } from '../http/metrics/family.ts'
import type { DescribedRecords } from '../http/openapi/document.ts'
import { SERVER as SERVER_TAG } from '../http/openapi/operations.ts'
import { authPaths } from '../http/routes/auth.openapi.ts'
import { authRoutes } from '../http/routes/auth.ts'
import { backupPaths } from '../http/routes/backups.openapi.ts'
import { backupRoutes } from '../http/routes/backups.ts'
import { batchPaths } from '../http/routes/batch.openapi.ts'
import { batchRoutes } from '../http/routes/batch.ts'
import { collectionRoutes } from '../http/routes/collections.ts'
import { filePaths, fileRoutes } from '../http/routes/files.ts'
import { oauth2Routes } from '../http/routes/oauth2.ts'
import { realtimePaths, realtimeRoutes } from '../http/routes/realtime.ts'
import { recordPaths } from '../http/routes/records.openapi.ts'
import { recordRoutes } from '../http/routes/records.ts'
import { settingsRoutes } from '../http/routes/settings.ts'
import { deleteDeadJobs, readJobFigures } from '../platform/jobs/job-queue.ts'
import { adminPaths } from './operations.openapi.ts'
import { adminRoutes } from './operations.ts'

function collectionPaths({ collections, schemaOf, extensions }: DescribedRecords) {
  const paths = collections.map((collection) => {
    const record = schemaOf(collection.id)!
    const signIn = collection.type === 'auth' ? authPaths(collection, record) : {}
    return { ...recordPaths(collection, record, extensions), ...signIn }
  })
  return Object.assign({}, ...paths)
}

/** PocketBase's collections, their records and sign-ins. */
export const RECORDS: Feature = {
  routes: [
    ['/api/collections', collectionRoutes],
    ['/api/collections', recordRoutes],
    ['/api/collections/:collection', authRoutes],
  ],
  rights: {
    'GET /api/collections/:collection/records': 'viewer',
    'GET /api/collections/:collection/records/:id': 'viewer',
    'GET /api/collections/:collection/export': 'viewer',
    // allowed, because a sign-in ignores the token that is sent with it
    'POST /api/collections/:collection/auth-with-password': 'viewer',
    'POST /api/collections/:collection/auth-with-otp': 'viewer',
    'POST /api/collections/:collection/auth-refresh': 'viewer',
    'POST /api/collections/:collection/records': 'agent',
    'PATCH /api/collections/:collection/records/:id': 'agent',
    'DELETE /api/collections/:collection/records/:id': 'agent',
  },
  paths: collectionPaths,
  extensions: () => ({ [SUPERUSERS_ID]: superusersExtension }),
  timed: ({ store }) => [
    { id: 'signInCleanUp', ...HOURLY, run: () => cleanUpSignIns(store) },
    { id: 'changesCleanUp', ...EVERY_MINUTE, run: changesCleanUp(store) },
  ],
}

const ageOf = (at: string) => (Date.now() - Date.parse(at.replace(' ', 'T'))) / 1000

/** PocketBase's other routes, and what superusers watch. */
export const SERVER: Feature = {
  routes: [
    ['/api/batch', batchRoutes],
    ['/api/realtime', realtimeRoutes],
    ['/api', adminRoutes],
    ['/api', backupRoutes],
    ['/api/files', fileRoutes],
    ['/api/oauth2-redirect', oauth2Routes],
    ['/api/settings', settingsRoutes],
  ],
  api: {
    roots: ['/api/audit', '/api/jobs', '/api/warnings'],
    group: 'admin',
    isOwn: true,
    tags: [{ name: SERVER_TAG, description: 'Endpoints that belong to no collection.' }],
  },
  changingGets: ['/api/oauth2-redirect'],
  rights: {
    'GET /api/health': 'viewer',
    'POST /api/files/token': 'viewer',
    'POST /api/realtime': 'viewer',
    'POST /api/batch': 'agent',
  },
  paths: () => ({ ...batchPaths(), ...realtimePaths(), ...adminPaths(), ...backupPaths(), ...filePaths() }),
  timed: ({ store, settings, config, backups, log }) => [
    { id: 'auditCleanUp', ...HOURLY, run: () => deleteOldAuditEntries(store.db, config.auditDays) },
    { id: 'logsCleanUp', ...EVERY_TEN_MINUTES, run: () => deleteOldLogs(store.db, settings.current.logs) },
    { id: 'backupSchedule', ...EVERY_MINUTE, run: () => serveSchedule(store, settings, backups, log) },
    { id: 'deadJobs', ...HOURLY, run: () => deleteDeadJobs(store.db) },
  ],
  metrics({ store, config }) {
    const jobs = gaugesOf(() => readJobFigures(store.db))
    const backups = gaugesOf(() => readState(store.db))
    const disk = gaugesOf(() => readDisk(config))
    return [
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
  },
}
