import { sql } from 'kysely'
import { toDate } from '../../engine/fields/parse-date.ts'
import { FilterError } from '../../engine/filter/parse-filter.ts'
import { GatewayError } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries, writeUnindexed } from '../../platform/db/queries.ts'
import { isRefusal } from '../base/gateway-errors.ts'
import { updateRecords } from '../base/message-status.ts'
import { cancelOnce } from '../messages/queue/cancel-messages.ts'
import { type Campaign, type CampaignServices, makeCampaignPermit } from './campaign.ts'
import { type DatedRecord, findReminderRecords } from './find-reminder-records.ts'
import {
  type DueRecord,
  listDueRecords,
  makeReminderKey,
  type OpenReminder,
  openReminder,
  readReminderNumbers,
  writeOccurrence,
} from './plan-reminders.ts'
import { findFirstDate, REMINDER_REASONS } from './reminder-times.ts'

const PAGE = 500

/** The rows of a reminder whose texts no device has claimed. */
const selectWaiting = (db: Db, { id, user }: Pick<Campaign, 'id' | 'user'>) =>
  queries(db, 'planned')
    .selectFrom('sms_dispatch as d')
    .innerJoin('campaign_recipients as r', 'r.message', 'd.message')
    .where('d.user', '=', user)
    .where('r.campaign', '=', id)
    .where('r.message', '<>', sql.lit(''))
    .where(sql<boolean>`d.state || '' in ('pending', 'assigned')`)
    .where(writeUnindexed('r.user'), '=', user)

export async function countWaitingReminders(db: Db, campaign: Campaign): Promise<number> {
  const { rows } = await selectWaiting(db, campaign)
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow()
  return rows
}

/**
 * Cancels waiting texts of a reminder whose record was deleted, has another date or number, or is not shown
 * to the owner any more. The same date is then a new occurrence.
 */
export async function cancelOutdatedReminders(
  services: CampaignServices,
  campaign: Campaign,
): Promise<void> {
  const { store } = services
  const { db } = store
  const open = await openIfPossible(services, campaign)
  let last = ''
  for (;;) {
    const waiting = await selectWaiting(db, campaign)
      .select(['r.id', 'r.to', 'r.occurrence', 'r.message'])
      .where('r.id', '>', last)
      .orderBy('r.id')
      .limit(sql.lit(PAGE))
      .execute()
    if (waiting.length === 0) return
    last = waiting.at(-1)!.id
    const present = open ? await findPresent(services, campaign, open, waiting) : NOBODY
    for (const row of waiting) {
      const found = present.get(findRecordId(row.occurrence))
      const reason = findFault(row, found)
      if (reason !== '') await cancelReminder(services, campaign, row, reason)
    }
    if (waiting.length < PAGE) return
  }
}

type Present = ReadonlyMap<string, { readonly occurrence: string; readonly to: string | undefined }>
const NOBODY: Present = new Map()

const findRecordId = (occurrence: string): string => occurrence.split(' ', 1)[0]!

function findFault(
  row: { readonly occurrence: string; readonly to: string },
  found: { readonly occurrence: string; readonly to: string | undefined } | undefined,
): string {
  if (!found) return REMINDER_REASONS.gone
  const isSame = found.occurrence === row.occurrence && found.to === row.to
  return isSame ? '' : REMINDER_REASONS.changed
}

/** Undefined if the collection, a field or the rule of a reminder is gone. */
const openIfPossible = ({ store }: CampaignServices, campaign: Campaign) =>
  openReminder(store, campaign.user, campaign.reminder!, campaign).catch((error: unknown) => {
    if (error instanceof GatewayError) return undefined
    throw error
  })

async function findPresent(
  { store }: CampaignServices,
  { nowMs, scheduledAt, user }: Campaign,
  open: OpenReminder,
  rows: readonly { readonly occurrence: string }[],
): Promise<Present> {
  const ids = rows.map(({ occurrence }) => findRecordId(occurrence))
  const records = await findReminderRecords(store, open.source, { ids, limit: PAGE }).catch(
    (error: unknown): readonly DatedRecord[] => {
      if (error instanceof FilterError || error instanceof GatewayError) return []
      throw error
    },
  )
  const since = findFirstDate(nowMs, toDate(scheduledAt)!.getTime())
  const due: readonly DueRecord[] = listDueRecords(open, records, since)
  const numbers = await readReminderNumbers(store, user, due)
  return new Map(
    due.map((one, i) => [one.record.id, { occurrence: writeOccurrence(one), to: numbers[i] }]),
  )
}

async function cancelReminder(
  { store }: CampaignServices,
  campaign: Campaign,
  { id, message, occurrence }: Readonly<Record<'id' | 'message' | 'occurrence', string>>,
  reason: string,
) {
  try {
    await cancelOnce(store, makeCampaignPermit(campaign), message)
  } catch (error) {
    // a device has it
    if (isRefusal(error, 'not_cancelable')) return
    throw error
  }
  await store.db.transaction(async (db) => {
    await updateRecords(db, 'campaign_recipients', (update) =>
      update.set({ reason, occurrence: '' }).where('id', '=', id),
    )
    await queries(db)
      .deleteFrom('sms_idempotency')
      .where('user', '=', campaign.user)
      .where('key', '=', makeReminderKey(campaign.id, occurrence))
      .execute()
  })
}
