import { sql } from 'kysely'
import { formatDate, toDate } from '../../engine/fields/parse-date.ts'
import { FilterError } from '../../engine/filter/parse-filter.ts'
import { GatewayError } from '../../platform/api-errors.ts'
import { isSqlError } from '../../platform/db/database-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'
import { updateRecords } from '../base/message-status.ts'
import type { Campaign, CampaignServices } from './campaign.ts'
import { cancelOutdatedReminders, countWaitingReminders } from './cancel-outdated-reminders.ts'
import { findReminderRecords } from './find-reminder-records.ts'
import { listDueRecords, type OpenReminder, openReminder, planReminders } from './plan-reminders.ts'
import { findDateWindow, findFirstDate, findNextLook } from './reminder-times.ts'
import { storeReminders } from './store-reminders.ts'

/** Records that are read, and texts that are stored, at once. */
const PAGE = 200

/** How long a reminder waits at most until it looks for changed records, in seconds. */
const LOOK_SECONDS = 600
/** The same if the time of a text depends on the record. */
const TIMED_LOOK_SECONDS = 60
/** The same for contacts, which are all read. */
const CONTACTS_LOOK_SECONDS = 3_600
/** How many times as long as a look took a reminder then rests. */
const REST = 50

/**
 * Sends the texts of a reminder that are due, and cancels those whose record has changed. Returns in how many
 * seconds it must look again; 0 if it has not finished.
 */
export async function sendDueReminders(
  services: CampaignServices,
  campaign: Campaign,
  signal: AbortSignal,
): Promise<number> {
  const begun = performance.now()
  const { db } = services.store
  const looked = await lookOnce(services, campaign, signal).catch(readFault)
  if (looked === undefined) return 0
  const isFault = typeof looked === 'string'
  await recordLook(db, campaign, isFault ? looked : '')
  const tookSeconds = (performance.now() - begun) / 1000
  const pause = isFault ? TIMED_LOOK_SECONDS : await computePause(db, campaign, looked)
  return Math.max(tookSeconds * REST, pause)
}

/** Why a reminder cannot look, in words for people. Throws other errors: the job runs again. */
function readFault(error: unknown): string {
  if (error instanceof GatewayError) return error.message
  if (error instanceof FilterError) return `reminder.filter: ${error.message}`
  if (isSqlError(error)) return 'The records could not be read'
  throw error
}

/** The reminder once its due texts are stored; undefined if the campaign has changed, or `signal` aborted. */
async function lookOnce(
  services: CampaignServices,
  campaign: Campaign,
  signal: AbortSignal,
): Promise<OpenReminder | undefined> {
  const { store } = services
  const { id, user, nowMs: now } = campaign
  const rule = campaign.reminder!
  await cancelOutdatedReminders(services, campaign)
  const open = await openReminder(store, user, rule, campaign)
  const since = findSince(campaign)
  const unknownUntil = toDate(campaign.unknownUntil)?.getTime() ?? 0
  const within = findDateWindow(rule, open.calendar, since, now)
  const find = { within, fields: open.fields, limit: PAGE, withoutRowOf: id }
  for (let after: Parameters<typeof findReminderRecords>[2]['after']; ; ) {
    if (signal.aborted) return undefined
    const records = await findReminderRecords(store, open.source, { ...find, after })
    const due = listDueRecords(open, records, since).filter(
      ({ due = now, ends }) => ends > since && (due <= now || ends <= now),
    )
    const planned = await planReminders(services, open, due, now, unknownUntil)
    if (!(await storeReminders(services, campaign, planned))) return undefined
    if (records.length < PAGE) return open
    after = records.at(-1)
  }
}

/**
 * From which date on records are looked at: no date is forgotten while no server runs, but for those that
 * come each year.
 */
function findSince({ nowMs, lookedAt, scheduledAt, reminder }: Campaign): number {
  const begins = toDate(scheduledAt)!.getTime()
  if (reminder!.yearly) return findFirstDate(nowMs, begins)
  const last = toDate(lookedAt)?.getTime() ?? nowMs
  return Math.min(findFirstDate(nowMs, begins), Math.max(last, begins))
}

async function computePause(db: Db, campaign: Campaign, { calendar, source }: OpenReminder) {
  const rule = campaign.reminder!
  const waiting = await countWaitingReminders(db, campaign)
  const isTimed = 'hours' in rule.offset || rule.offset.at === '' || waiting > 0
  const seconds = isTimed
    ? TIMED_LOOK_SECONDS
    : source.isOfContacts
      ? CONTACTS_LOOK_SECONDS
      : LOOK_SECONDS
  return (findNextLook(rule, calendar, campaign.nowMs, seconds * 1000) - campaign.nowMs) / 1000
}

/** Notes why a reminder cannot look; else, once an hour, that it has looked. */
async function recordLook(db: Db, { id, error, lookedAt, nowMs }: Campaign, fault: string) {
  if (fault !== error)
    await updateRecords(db, 'campaigns', (update) =>
      update.set({ error: fault }).where('id', '=', id).where('status', '=', 'repeating'),
    )
  const isNoted = lookedAt > formatDate(new Date(nowMs - CONTACTS_LOOK_SECONDS * 1000))
  if (fault === '' && !isNoted)
    await queries(db)
      .updateTable('campaigns')
      .set({ looked_at: NOW })
      .where('id', '=', id)
      .where('status', '=', sql.lit('repeating'))
      .execute()
}
