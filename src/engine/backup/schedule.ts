import type { Logger } from '../../platform/log.ts'
import { makeSay } from '../../platform/words/say.ts'
import { escapeHtml, renderMailLayout } from '../auth/mail-html.ts'
import { sendMail } from '../auth/send-mail.ts'
import { listSuperuserMails } from '../auth/superusers.ts'
import type { Store } from '../collections/catalog.ts'
import { parseCron } from '../settings/cron.ts'
import type { SettingsStore } from '../settings/settings-store.ts'
import { ENGINE_WORDS } from '../words/engine-words.ts'
import { AUTO_PREFIX } from './backup-names.ts'
import type { Backups } from './backups.ts'
import { beginSchedule, loadBackupState } from './state.ts'

/** Makes a due or missed backup, then deletes the oldest above the limit. Each node calls it each minute. */
export async function runBackupSchedule(
  store: Store,
  settings: Pick<SettingsStore, 'current'>,
  backups: Backups,
  log: Logger,
): Promise<void> {
  const { cron, cronMaxKeep } = settings.current.backups
  const { db } = store
  await beginSchedule(db, cron)
  if (cron === '') return
  const { until, untilMs } = (await loadBackupState(db)).schedule
  const due = parseCron(cron).nextRun(new Date(untilMs))
  if (!due || due.getTime() > Date.now()) return
  const made = await backups.createScheduled(until).catch(async (error) => {
    await alertSuperusers(store, settings, log, (error as Error).message)
    throw error
  })
  if (made) await removeOldestBackups(backups, cronMaxKeep, log)
}

/** Mails a failure to all superusers. PocketBase: core/system_alert.go */
async function alertSuperusers(
  store: Store,
  settings: Pick<SettingsStore, 'current'>,
  log: Logger,
  reason: string,
): Promise<void> {
  const { appName: app } = settings.current.meta
  for (const { email: to, language } of await listSuperuserMails(store)) {
    const say = makeSay(ENGINE_WORDS, language)
    const subject = say('backupSubject', { app })
    const body = [say('backupText', { app }), reason, say('backupPage')]
      .map((text) => `<p>${escapeHtml(text)}</p>`)
      .join('\n')
    const html = renderMailLayout(body, { language })
    await sendMail({ settings, log }, { to, subject, html }).catch((err) =>
      log.warn({ err }, 'could not notify superusers of a failed backup'),
    )
  }
}

async function removeOldestBackups(backups: Backups, keep: number, log: Logger): Promise<void> {
  const storage = await backups.storage()
  const newestFirst = (await storage.list(AUTO_PREFIX)).sort(
    (a, b) => b.modified.getTime() - a.modified.getTime(),
  )
  for (const { key } of newestFirst.slice(keep))
    await storage
      .delete(key)
      .catch((err) => log.error({ err, key }, 'could not delete an old backup'))
}
