import { deleteOldAuditEntries } from '../engine/auth/audit/delete-old-audit-entries.ts'
import { publishAuditEntries } from '../engine/auth/audit/publish-audit-entries.ts'
import { cleanUpSignIns } from '../engine/auth/delete-old-sign-ins.ts'
import { SUPERUSERS_ID, superusersExtension } from '../engine/auth/superusers.ts'
import { runBackupSchedule } from '../engine/backup/schedule.ts'
import { loadBackupState } from '../engine/backup/state.ts'
import { sweepContents } from '../engine/files/file-contents.ts'
import { deleteOldLogs } from '../engine/logs/request-log.ts'
import { makeChangesCleanUp } from '../engine/realtime/change-log.ts'
import { EVERY_MINUTE, EVERY_TEN_MINUTES, type Feature, HOURLY } from '../gateway/base/feature.ts'
import { readDisk } from '../http/metrics/disk.ts'
import { makeGaugeFactory } from '../http/metrics/family.ts'
import { SERVER_TAG } from '../http/openapi/describe-operations.ts'
import type { DescribedRecords } from '../http/openapi/document.ts'
import { describeAuthPaths } from '../http/routes/auth.openapi.ts'
import { AUTH_ROUTES } from '../http/routes/auth.ts'
import { BACKUP_ROUTES } from '../http/routes/backups.ts'
import { BATCH_ROUTES } from '../http/routes/batch.ts'
import { COLLECTION_ROUTES } from '../http/routes/collections.ts'
import { FILE_ROUTES } from '../http/routes/files.ts'
import { OAUTH2_ROUTES } from '../http/routes/oauth2.ts'
import { REALTIME_ROUTES } from '../http/routes/realtime.ts'
import { describeRecordPaths } from '../http/routes/records.openapi.ts'
import { RECORD_ROUTES } from '../http/routes/records.ts'
import { SETTINGS_ROUTES } from '../http/routes/settings-routes.ts'
import { deleteDeadJobs, loadJobFigures } from '../platform/jobs/job-queue.ts'
import { LOG_ROUTES } from './log-routes.ts'
import { makeAuditPublisher } from './publish-audit-entries.ts'
import { OPERATION_ROUTES, READY_ROUTES } from './status-routes.ts'

function describeCollectionPaths({ collections, schemaOf, extensions }: DescribedRecords) {
  const paths = collections.map((collection) => {
    const record = schemaOf(collection.id)!
    const signIn = collection.type === 'auth' ? describeAuthPaths(collection, record) : {}
    return { ...describeRecordPaths(collection, record, extensions), ...signIn }
  })
  return Object.assign({}, ...paths)
}

/** PocketBase's collections, their records and sign-ins. */
export const RECORDS: Feature = {
  rows: [...COLLECTION_ROUTES, ...RECORD_ROUTES, ...AUTH_ROUTES],
  paths: describeCollectionPaths,
  extensions: () => ({ [SUPERUSERS_ID]: superusersExtension }),
  timed: ({ store }) => [
    { id: 'signInCleanUp', ...HOURLY, run: () => cleanUpSignIns(store) },
    { id: 'changesCleanUp', ...EVERY_MINUTE, run: makeChangesCleanUp(store) },
    { id: 'fileContents', ...HOURLY, run: () => sweepContents(store.db) },
  ],
}

const computeAgeSeconds = (at: string) => (Date.now() - Date.parse(at.replace(' ', 'T'))) / 1000

/** PocketBase's other routes, and what superusers watch. */
export const SERVER: Feature = {
  rows: [
    ...BATCH_ROUTES,
    ...REALTIME_ROUTES,
    ...READY_ROUTES,
    ...OPERATION_ROUTES,
    ...LOG_ROUTES,
    ...BACKUP_ROUTES,
    ...FILE_ROUTES,
    ...OAUTH2_ROUTES,
    ...SETTINGS_ROUTES,
  ],
  api: {
    roots: ['/api/audit', '/api/jobs', '/api/warnings'],
    group: 'admin',
    isOwn: true,
    tags: [{ name: SERVER_TAG, description: 'Endpoints that belong to no collection.' }],
  },
  timed: ({ store, settings, config, backups, log }) => [
    {
      id: 'auditEntries',
      ...EVERY_MINUTE,
      run: () => publishAuditEntries(store.db, makeAuditPublisher(log)),
    },
    {
      id: 'auditCleanUp',
      ...HOURLY,
      run: () => deleteOldAuditEntries(store.db, config.auditDays),
    },
    {
      id: 'logsCleanUp',
      ...EVERY_TEN_MINUTES,
      run: () => deleteOldLogs(store.db, settings.current.logs),
    },
    {
      id: 'backupSchedule',
      ...EVERY_MINUTE,
      run: () => runBackupSchedule(store, settings, backups, log),
    },
    { id: 'deadJobs', ...HOURLY, run: () => deleteDeadJobs(store.db) },
  ],
  metrics({ store, config }) {
    const jobs = makeGaugeFactory(() => loadJobFigures(store.db))
    const backups = makeGaugeFactory(() => loadBackupState(store.db))
    const disk = makeGaugeFactory(() => readDisk(config))
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
        ({ lastBackup }) => lastBackup && computeAgeSeconds(lastBackup.at),
      ),
      backups(
        'backup_failed',
        '1 if the last backup or restore failed, else 0.',
        ({ lastFailure }) => (lastFailure ? 1 : 0),
      ),
      disk('disk_free_bytes', 'Room on the disk of the embedded database.', (found) => found?.free),
      disk('disk_bytes', 'Size of that disk.', (found) => found?.total),
    ]
  },
}
