import { deleteOldAuditEntries } from '../engine/auth/audit.ts'
import { cleanUpSignIns } from '../engine/auth/clean-up.ts'
import type { MailServices } from '../engine/auth/send-mail.ts'
import type { Backups } from '../engine/backup/backups.ts'
import { serveSchedule } from '../engine/backup/schedule.ts'
import type { Store } from '../engine/collections/catalog.ts'
import type { CatalogStore } from '../engine/collections/catalog-store.ts'
import { deleteOldLogs } from '../engine/logs/request-log.ts'
import { changesCleanUp } from '../engine/realtime/change-log.ts'
import type { Extensions } from '../engine/records/collection-extension.ts'
import type { SettingsStore } from '../engine/settings/settings-store.ts'
import { alarmMailJobs, checkSilentDevices } from '../gateway/alarms/alarms.ts'
import { campaignJobs } from '../gateway/campaigns/campaign-jobs.ts'
import { cleanUpCarriers } from '../gateway/carriers/stored-carrier.ts'
import { deleteOldVerifications, expireVerifications } from '../gateway/codes/end-old.ts'
import { answerJobs } from '../gateway/conversations/auto-answer.ts'
import { bringBackDue } from '../gateway/conversations/inbox.ts'
import { cleanUpHooks } from '../gateway/hooks/hook-hour.ts'
import { deleteOldBatteries } from '../gateway/lines/health.ts'
import { keepTotals } from '../gateway/messages/message-totals.ts'
import { deleteOldAnswers } from '../gateway/messages/send/idempotency.ts'
import { type Sending, sendingFor } from '../gateway/messages/send/sending.ts'
import { cleanUpPushes, pushJobs } from '../gateway/notifications/push-jobs.ts'
import { addReplyMails, replyMailJobs } from '../gateway/notifications/reply-mails.ts'
import { cleanUpRequests } from '../gateway/people/clean-up.ts'
import { personJobs } from '../gateway/people/jobs.ts'
import { endOldMessages } from '../gateway/retention/old-messages.ts'
import { endOldByPerson } from '../gateway/retention/old-people.ts'
import { cleanUpDeliveries } from '../gateway/webhooks/clean-up.ts'
import type { Config } from '../platform/config.ts'
import { deleteDeadJobs, type JobKind } from '../platform/jobs/job-queue.ts'
import type { TimedJob } from '../platform/jobs/timed-jobs.ts'
import type { Logger } from '../platform/log.ts'
import { deleteOldTokens } from '../protocols/smsgate-api/token-pairs.ts'

const every = (minutes: number, expression: string) => ({ expression, everyMs: minutes * 60_000 })
const EVERY_MINUTE = every(1, '* * * * *')
const EVERY_TEN_MINUTES = every(10, '*/10 * * * *')
const HOURLY = every(60, '0 * * * *')

/** The timed jobs of a server. `stopping` ends long jobs. */
export function jobsOf(
  store: Store,
  extensions: Extensions,
  settings: Pick<SettingsStore, 'current'>,
  config: Config,
  log: Logger,
  backups: Backups,
  stopping: AbortSignal,
): TimedJob[] {
  const { auditDays, retention, webhookLogDays, deviceAlarmMinutes } = config
  // hook calls and verification codes contain texts: they are kept no longer than messages
  const textDays = Math.min(webhookLogDays, retention.days || webhookLogDays)
  const endOld = () => endOldMessages(store, extensions, retention, stopping)
  const endByPerson = () => endOldByPerson(store, extensions, retention, stopping)
  const jobs: TimedJob[] = [
    { id: 'signInCleanUp', ...HOURLY, run: () => cleanUpSignIns(store) },
    { id: 'idempotencyCleanUp', ...HOURLY, run: () => deleteOldAnswers(store) },
    { id: 'smsgateTokens', ...HOURLY, run: () => deleteOldTokens(store) },
    { id: 'auditCleanUp', ...HOURLY, run: () => deleteOldAuditEntries(store.db, auditDays) },
    { id: 'logsCleanUp', ...EVERY_TEN_MINUTES, run: () => deleteOldLogs(store.db, settings.current.logs) },
    { id: 'retention', ...EVERY_TEN_MINUTES, run: endOld },
    { id: 'retentionByPerson', ...HOURLY, run: endByPerson },
    { id: 'carrierCleanUp', ...HOURLY, run: () => cleanUpCarriers(store) },
    { id: 'batteryCleanUp', ...HOURLY, run: () => deleteOldBatteries(store) },
    { id: 'messageTotals', ...HOURLY, run: () => keepTotals(store.db) },
    { id: 'webhookCleanUp', ...HOURLY, run: () => cleanUpDeliveries(store, webhookLogDays) },
    { id: 'hookCleanUp', ...HOURLY, run: () => cleanUpHooks(store.db, textDays) },
    { id: 'verificationCleanUp', ...HOURLY, run: () => deleteOldVerifications(store.db, textDays) },
    { id: 'verificationExpiry', ...EVERY_MINUTE, run: () => expireVerifications(store.db) },
    { id: 'backupSchedule', ...EVERY_MINUTE, run: () => serveSchedule(store, settings, backups, log) },
    { id: 'deadJobs', ...HOURLY, run: () => deleteDeadJobs(store.db) },
    { id: 'pushCleanUp', ...EVERY_TEN_MINUTES, run: () => cleanUpPushes(store.db) },
    { id: 'personCleanUp', ...EVERY_TEN_MINUTES, run: () => cleanUpRequests(store.db) },
    { id: 'changesCleanUp', ...EVERY_MINUTE, run: changesCleanUp(store) },
    { id: 'followUps', ...EVERY_MINUTE, run: () => bringBackDue(store.db) },
    { id: 'replyMails', ...EVERY_MINUTE, run: () => addReplyMails(store.db, { settings, log, config }) },
  ]
  const run = () => checkSilentDevices(store.db, deviceAlarmMinutes)
  if (deviceAlarmMinutes > 0) jobs.push({ id: 'deviceAlarms', ...EVERY_MINUTE, run })
  return jobs
}

interface KindServices extends MailServices {
  readonly store: CatalogStore
  readonly sending: Sending
  readonly config: Config
}

/** The kinds of queued jobs. A job's database work is charged to its user. */
export const kindsOf = (services: KindServices): JobKind[] => {
  const { store, sending, config, log } = services
  const storeOf = (user: string) => store.forUser(user)
  const sendingOf = sendingFor(store, sending)
  return [
    answerJobs(sendingOf),
    campaignJobs(sendingOf),
    alarmMailJobs(storeOf, services),
    replyMailJobs(storeOf, services),
    pushJobs(storeOf, config, log),
    personJobs(sendingOf),
  ]
}
