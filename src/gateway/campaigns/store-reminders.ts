import { sql } from 'kysely'
import { formatDate } from '../../engine/fields/parse-date.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import { counts } from '../../platform/tools/process-counters.ts'
import { makeRandomId } from '../../platform/tools/random.ts'
import { lockUserSends } from '../base/lock-user-sends.ts'
import type { Media } from '../base/message-files.ts'
import { updateRecords } from '../base/message-status.ts'
import { wakeDevices } from '../lines/wake-devices.ts'
import { linkOfferedFiles } from '../messages/send/file-links.ts'
import { toGatewayError } from '../messages/send/sending-permission.ts'
import { storeOffers } from '../messages/send/store-offers.ts'
import { type Campaign, type CampaignServices, makeCampaignPermit } from './campaign.ts'
import { withCampaignMedia } from './campaign-files.ts'
import { makeCampaignOffer } from './campaign-offer.ts'
import { insertRecipients, linkTexts, recordReasons } from './list-rows.ts'
import { makeReminderKey, type PlannedReminder, writeOccurrence } from './plan-reminders.ts'
import { computeReminderExpiry } from './reminder-times.ts'

/**
 * Stores rows of a reminder and their texts, each occurrence once: in one transaction. False if the campaign
 * has changed since it was read.
 */
export async function storeReminders(
  services: CampaignServices,
  campaign: Campaign,
  planned: readonly PlannedReminder[],
): Promise<boolean> {
  if (planned.length === 0) return true
  const store = (media?: Media) => storeInTransaction(services, campaign, planned, media)
  const hasFiles = campaign.attachments.length > 0
  const stored = hasFiles ? withCampaignMedia(services, campaign, store) : store()
  const wake = await stored.catch((error: unknown) => {
    if (error instanceof AccountClosed) return undefined
    throw error
  })
  if (!wake) return false
  wakeDevices(services.store.db, wake)
  return true
}

/** The account was disabled: the texts wait until it is enabled again. */
class AccountClosed extends Error {}

interface Row {
  readonly id: string
  readonly one: PlannedReminder
}

/** Undefined if the campaign has changed; else the devices to wake. */
const storeInTransaction = (
  services: CampaignServices,
  campaign: Campaign,
  planned: readonly PlannedReminder[],
  media: Media | undefined,
): Promise<readonly string[] | undefined> =>
  services.store.db.transaction(async (db) => {
    // in the order of all that end campaigns
    await lockUserSends(db, campaign.user)
    if (!(await lockOpenReminder(db, campaign))) return undefined
    const rows = await insertReminderRows(db, campaign, await leaveOutSent(db, campaign, planned))
    const leaving = rows.filter(({ one }) => one.text)
    const wake = await storeTexts(services, db, campaign, leaving, media)
    await countRows(db, campaign, rows)
    return wake
  })

/** Locks a reminder. False if it was paused, ended or changed since it was read. */
async function lockOpenReminder(db: Db, { id, revision }: Campaign): Promise<boolean> {
  const found = await queries(db)
    .selectFrom('campaigns')
    .where('id', '=', id)
    .where('status', '=', 'repeating')
    .where('settled', '=', true)
    .where('revision', '=', revision)
    .forUpdate()
    .execute()
  return found.length > 0
}

async function leaveOutSent(
  db: Db,
  { id, user }: Campaign,
  planned: readonly PlannedReminder[],
): Promise<PlannedReminder[]> {
  const keyOf = (one: PlannedReminder) => makeReminderKey(id, writeOccurrence(one))
  const sent = await queries(db)
    .selectFrom('sms_idempotency')
    .select('key')
    .where('user', '=', user)
    .where('key', '=', matchAny(planned.map(keyOf)))
    .execute()
  const keys = new Set(sent.map(({ key }) => key))
  return planned.filter((one) => !keys.has(keyOf(one)))
}

/** Stores those of the rows whose occurrence has none yet. */
async function insertReminderRows(
  db: Db,
  { id: campaign, user }: Campaign,
  planned: readonly PlannedReminder[],
): Promise<Row[]> {
  const rows = new Map(planned.map((one) => [makeRandomId(), one]))
  const written = [...rows].map(([id, one]) => {
    const { to, values, reason } = one
    return { id, line: 0, to, values, reason, occurrence: writeOccurrence(one) }
  })
  const inserted = await insertRecipients(db, user, campaign, written)
  return inserted.map((id) => ({ id, one: rows.get(id)! }))
}

async function storeTexts(
  { store, config }: CampaignServices,
  db: Db,
  campaign: Campaign,
  rows: readonly Row[],
  media: Media | undefined,
): Promise<readonly string[]> {
  if (rows.length === 0) return []
  const inside = { db, catalog: store.catalog }
  const permit = makeCampaignPermit(campaign)
  let open = rows.map((row) => ({ row, offer: makeReminderOffer(campaign, row.one, media) }))
  const wake: string[] = []
  const refused: { id: string; reason: string }[] = []
  // those without a line for MMS are offered again, as texts with links
  while (open.length > 0) {
    const stored = await storeOffers(
      inside,
      config,
      open.map(({ offer }) => offer),
    )
    wake.push(...stored.wake)
    const accepted: typeof open = []
    const again: typeof open = []
    for (const [i, { row, offer }] of open.entries()) {
      const { outcome } = stored.verdicts[i]!
      if (outcome === 'stale') throw new AccountClosed()
      if (outcome === 'accepted') accepted.push({ row, offer })
      else if (outcome === 'mms_not_supported' && offer.media?.orLink)
        again.push({ row, offer: await linkOfferedFiles(db, config, offer) })
      else refused.push({ id: row.id, reason: toGatewayError(permit.sender, outcome).message })
    }
    counts.accepted.messages += accepted.length
    await linkTexts(
      db,
      accepted.map(({ row: { id, one } }) => ({ id, to: one.to, values: one.values })),
      accepted.flatMap(({ offer }) => offer.messages),
    )
    open = again
  }
  await recordReasons(db, refused)
  return wake
}

const makeReminderOffer = (campaign: Campaign, one: PlannedReminder, media: Media | undefined) =>
  makeCampaignOffer(campaign, [one.text!], media, {
    scheduledAt: formatDate(new Date(one.due!)),
    expiresAt: formatDate(new Date(computeReminderExpiry(one))),
    key: makeReminderKey(campaign.id, writeOccurrence(one)),
  })

async function countRows(db: Db, { id }: Campaign, rows: readonly Row[]) {
  if (rows.length === 0) return
  const texts = rows.flatMap(({ one }) => one.text ?? [])
  const segments = texts.reduce((sum, text) => sum + text.segments, 0)
  await updateRecords(db, 'campaigns', (update) =>
    update
      .set({ recipients_count: sql<number>`recipients_count + ${texts.length}::int` })
      .set({ segments: sql<number>`segments + ${segments}::int` })
      .where('id', '=', id),
  )
}
