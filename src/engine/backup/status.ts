import { z } from 'zod'
import type { Config } from '../../platform/config.ts'
import type { Db } from '../../platform/db/open.ts'
import { formatDate } from '../fields/parse-date.ts'
import { parseCron } from '../settings/cron.ts'
import type { Settings } from '../settings/settings-shape.ts'
import { type BackupState, DONE, FAILED, loadBackupState, RUNNING } from './state.ts'

const DAY_MS = 86_400_000

export const STATUS = z
  .object({
    running: RUNNING.nullable(),
    lastBackup: DONE.nullable(),
    lastRestore: DONE.nullable(),
    lastFailure: FAILED.nullable().describe(
      'Null once a backup or restore has succeeded after it.',
    ),
    overdue: z.boolean().describe('True when the last backup is older than `BACKUP_WARNING_DAYS`.'),
    next: z.string().describe('When the schedule makes the next one; empty without a schedule.'),
  })
  .meta({ id: 'BackupStatus' })

export async function loadBackupStatus(
  db: Db,
  { backups }: Settings,
  { backupWarningDays: days }: Pick<Config, 'backupWarningDays'>,
): Promise<z.output<typeof STATUS>> {
  const { since, restores: _, schedule, ...state } = await loadBackupState(db)
  const newest = state.lastBackup ? new Date(state.lastBackup.at.replace(' ', 'T')) : since
  const next = computeNextBackup(schedule, backups.cron)
  return {
    ...state,
    // if there is no backup yet, the days count from the installation; 0 days turn the warning off
    overdue: days > 0 && Date.now() - newest.getTime() > days * DAY_MS,
    next: next ? formatDate(next) : '',
  }
}

/** When the next scheduled backup is due: a past time if it was missed, null without a schedule. */
function computeNextBackup(
  { cron, untilMs }: BackupState['schedule'],
  expression: string,
): Date | null {
  if (expression === '') return null
  return parseCron(expression).nextRun(cron === expression ? new Date(untilMs) : new Date())
}
