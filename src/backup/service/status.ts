import { z } from 'zod'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/open.ts'
import { formatDate } from '../../fields/types/date.ts'
import type { Settings } from '../../settings/settings.ts'
import { nextScheduled } from './schedule.ts'
import { type BackupState, DONE, FAILED, RUNNING, readState } from './state.ts'

const DAY_MS = 86_400_000

export const STATUS = z
  .object({
    running: RUNNING.nullable(),
    lastBackup: DONE.nullable(),
    lastRestore: DONE.nullable(),
    lastFailure: FAILED.nullable().describe('Null once a backup or restore has succeeded after it.'),
    overdue: z.boolean().describe('True when the last backup is older than `BACKUP_WARNING_DAYS`.'),
    next: z.string().describe('When the schedule makes the next one; empty without a schedule.'),
  })
  .meta({ id: 'BackupStatus' })

export async function readStatus(
  db: Db,
  { backups }: Settings,
  { backupWarningDays }: Pick<Config, 'backupWarningDays'>,
): Promise<z.output<typeof STATUS>> {
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

/** Whether an installation older than `days` has no backup of the last `days`; 0: never. */
function isOverdue({ since, lastBackup }: Pick<BackupState, 'since' | 'lastBackup'>, days: number): boolean {
  const newest = lastBackup ? new Date(lastBackup.at.replace(' ', 'T')) : since
  return days > 0 && Date.now() - newest.getTime() > days * DAY_MS
}
