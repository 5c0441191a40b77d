import { z } from 'zod'
import { sendMail } from '../../auth/mail/mailer.ts'
import { escapeHtml, layout } from '../../auth/mail/mails.ts'
import { listSuperusers } from '../../auth/superusers/superusers.ts'
import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/open.ts'
import { formatDate } from '../../fields/types/date.ts'
import type { Logger } from '../../log.ts'
import { parseCron } from '../../settings/cron.ts'
import type { Settings } from '../../settings/settings.ts'
import type { SettingsStore } from '../../settings/settings-store.ts'
import type { Backups } from './backups.ts'
import { AUTO_PREFIX, beginSchedule, DONE, FAILED, RUNNING, readSchedule, readState } from './state.ts'

/** When the next scheduled backup is due: in the past if one was missed; null without a schedule. */
async function nextScheduled(db: Db, expression: string): Promise<Date | null> {
  if (expression === '') return null
  const { cron, untilMs } = await readSchedule(db)
  return parseCron(expression).nextRun(cron === expression ? new Date(untilMs) : new Date())
}

/** Makes a due or missed backup and removes the oldest. Every node calls it each minute; one does it. */
export async function serveSchedule(
  store: Store,
  settings: Pick<SettingsStore, 'current'>,
  backups: Backups,
  log: Logger,
): Promise<void> {
  const { cron, cronMaxKeep } = settings.current.backups
  const { db } = store
  await beginSchedule(db, cron)
  if (cron === '') return
  const { until, untilMs } = await readSchedule(db)
  const due = parseCron(cron).nextRun(new Date(untilMs))
  if (!due || due.getTime() > Date.now()) return
  const made = await backups.createScheduled(until).catch(async (error) => {
    await alertSuperusers(store, { settings, log }, (error as Error).message)
    throw error
  })
  if (made) await removeOldest(backups, cronMaxKeep, log)
}

/** Mails a failure to all superusers. PocketBase: core/system_alert.go */
async function alertSuperusers(
  store: Store,
  services: { readonly settings: Pick<SettingsStore, 'current'>; readonly log: Logger },
  reason: string,
): Promise<void> {
  const { appName } = services.settings.current.meta
  const subject = `[${appName}] The scheduled backup failed`
  const html = layout(
    `<p>The scheduled backup of ${escapeHtml(appName)} failed:</p>\n<p>${escapeHtml(reason)}</p>\n<p>The console’s page Backups shows what is there.</p>`,
  )
  for (const to of await listSuperusers(store)) {
    await sendMail(services, { to, subject, html }).catch((err) =>
      services.log.warn({ err }, 'could not notify superusers of a failed backup'),
    )
  }
}

async function removeOldest(backups: Backups, keep: number, log: Logger): Promise<void> {
  const storage = await backups.storage()
  const newestFirst = (await storage.list(AUTO_PREFIX)).sort(
    (a, b) => b.modified.getTime() - a.modified.getTime(),
  )
  for (const { key } of newestFirst.slice(keep))
    await storage.delete(key).catch((err) => log.error({ err, key }, 'could not delete an old backup'))
}

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
  { backupWarningDays: days }: Pick<Config, 'backupWarningDays'>,
): Promise<z.output<typeof STATUS>> {
  const { since, restores: _, ...state } = await readState(db)
  const newest = state.lastBackup ? new Date(state.lastBackup.at.replace(' ', 'T')) : since
  const next = await nextScheduled(db, backups.cron)
  return {
    ...state,
    // no backup in `days`, counted from the installation if there is none; 0: never overdue
    overdue: days > 0 && Date.now() - newest.getTime() > days * DAY_MS,
    next: next ? formatDate(next) : '',
  }
}
