import { alarmMailJobs, checkSilentDevices } from '../alarms/alarms.ts'
import { deleteOldAuditEntries } from '../auth/audit.ts'
import { cleanUpSignIns } from '../auth/clean-up.ts'
import type { MailServices } from '../auth/send-mail.ts'
import type { Backups } from '../backup/backups.ts'
import { serveSchedule } from '../backup/schedule.ts'
import type { Store } from '../collections/catalog.ts'
import type { CatalogStore } from '../collections/catalog-store.ts'
import type { Config } from '../config.ts'
import { cleanUpHooks } from '../hooks/hook-hour.ts'
import type { Logger } from '../log.ts'
import { deleteOldLogs } from '../logs/request-log.ts'
import { cleanUpPushes, pushJobs } from '../notifications/push-jobs.ts'
import { addReplyMails, replyMailJobs } from '../notifications/reply-mails.ts'
import { cleanUpRequests } from '../person/clean-up.ts'
import { personJobs } from '../person/jobs.ts'
import { deleteOldTokens } from '../protocols/smsgate-api/token-pairs.ts'
import { changesCleanUp } from '../realtime/change-log.ts'
import type { Extensions } from '../records/collection-extension.ts'
import type { SettingsStore } from '../settings/settings-store.ts'
import { sendingFor } from '../sms/send/sending.ts'
import { type Sending } from '../sms/send/sending.ts'
import { campaignJobs } from '../sms/campaigns/campaign-jobs.ts'
import { answerJobs } from '../sms/conversations/auto-answer.ts'
import { bringBackDue } from '../sms/conversations/inbox.ts'
import { deleteOldBatteries } from '../sms/devices/health.ts'
import { keepTotals } from '../sms/message-totals.ts'
import { endOldMessages } from '../sms/retention/old-messages.ts'
import { endOldByPerson } from '../sms/retention/old-people.ts'
import { deleteOldAnswers } from '../sms/send/idempotency.ts'
import { deleteOldVerifications, expireVerifications } from '../verify/end-old.ts'
import { cleanUpDeliveries } from '../webhooks/clean-up.ts'
import { deleteDeadJobs, type JobKind } from '../work/job-queue.ts'
import type { TimedJob } from '../work/timed-jobs.ts'
import { cleanUpCarriers } from './carriers/stored-carrier.ts'

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
