import { formatDate } from '../fields/parse-date.ts'
import { toSnakeCase } from '../files/stored-name.ts'

/** Names that `POST /api/backups` accepts. PocketBase: apis/backup_create.go */
export const BACKUP_NAME = /^[a-z0-9_-]+\.zip$/

export const MAX_BACKUP_NAME = 150

/** Prefix of scheduled backups; only these are deleted when too many. PocketBase: core/base_backup.go */
export const AUTO_PREFIX = '@auto_pb_backup_'

const MANUAL_PREFIX = 'pb_backup_'

const MAX_APP_NAME = 50

/** A name like `pb_backup_my_app_20261121105643.zip`. PocketBase: generateBackupName */
export const makeBackupName = (appName: string, scheduled: boolean, now = new Date()): string =>
  `${scheduled ? AUTO_PREFIX : MANUAL_PREFIX}${toSnakeCase(appName).slice(0, MAX_APP_NAME)}_${formatDate(now).replace(/\D/g, '').slice(0, 14)}.zip`
