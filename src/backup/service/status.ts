import type { Config } from '../../config.ts'
import type { Db } from '../../db/open.ts'
import { formatDate } from '../../fields/types/date.ts'
import type { Settings } from '../../settings/settings.ts'
import { nextScheduled } from './schedule.ts'
import { type BackupState, readState } from './state.ts'

const DAY_MS = 86_400_000

/** What superusers see of backups. */
export interface BackupStatus
  extends Pick<BackupState, 'running' | 'lastBackup' | 'lastRestore' | 'lastFailure'> {
  /**
   * True when there is no backup of the last BACKUP_WARNING_DAYS, although the installation is older than
   * that.
   */
  readonly overdue: boolean
  /** When the schedule makes the next one; empty without a schedule. */
  readonly next: string
}

export async function readStatus(
  db: Db,
  { backups }: Settings,
  { backupWarningDays }: Pick<Config, 'backupWarningDays'>,
): Promise<BackupStatus> {
  const state = await readState(db)
  const next = await nextScheduled(db, backups.cron)
  const { running, lastBackup, lastRestore, lastFailure } = state
  return {
    running,
    lastBackup,
    lastRestore,
    lastFailure,
    overdue: isOverdue(state, backupWarningDays),
    next: next ? formatDate(next) : '',
  }
}

/** `days` 0: never. */
export function isOverdue(
  { since, lastBackup }: Pick<BackupState, 'since' | 'lastBackup'>,
  days: number,
): boolean {
  const newest = lastBackup ? new Date(lastBackup.at.replace(' ', 'T')) : since
  return days > 0 && Date.now() - newest.getTime() > days * DAY_MS
}
