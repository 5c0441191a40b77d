import { sql } from 'kysely'
import { formatDate } from '../../engine/fields/parse-date.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries, writeUnindexed } from '../../platform/db/queries.ts'
import { makeRandomId } from '../../platform/tools/random.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import type { Media } from '../base/message-files.ts'
import { REFUSED, updateRecords } from '../base/message-status.ts'
import type { Permit } from '../base/permissions.ts'
import { auditAct } from '../messages/queue/audit-message-change.ts'
import { makeExpiryError } from '../messages/send/message-expiry.ts'
import { inAuditedTransaction } from './audited-change.ts'
import {
  type Campaign,
  type CampaignServices,
  type CampaignText,
  changeAsRead,
  findCampaign,
  isAudienceStored,
  readAudience,
} from './campaign.ts'
import type { CampaignChange } from './campaign-body.ts'
import { readFileChange, storeCampaignFiles } from './campaign-files.ts'
import { reviseReminder } from './change-reminder.ts'
import { loadWaitingRows, recordReasons } from './list-rows.ts'
import type { Audience } from './load-audience.ts'
import { type CampaignState, isOver, loadCampaignState } from './load-campaign-state.ts'
import { checkQuota, loadCampaignText, planAudience } from './plan-campaign.ts'
import { planRows } from './plan-list.ts'
import { computeExpiryAt, findEarliestRun } from './plan-next-run.ts'
import { type PlannedWay, sumSegments } from './planned-text.ts'
import { completeRepeatRule, listTimesFrom } from './repetition.ts'
import { settleAndRun, settleCampaign } from './settle-campaign.ts'

/** A campaign that begins within this time cannot be changed: devices may already get its messages. */
const MARGIN_MS = 2_000

/**
 * Changes a campaign: its name at any time, its text for those who have not got it, the rest before it
 * begins. `load` reads the files of the change. Throws 409 `campaign_begun`.
 */
export async function changeCampaign(
  services: CampaignServices,
  permit: Permit,
  id: string,
  change: CampaignChange,
  load?: () => Promise<Media>,
): Promise<CampaignState> {
  const { db } = services.store
  const { user, sentBy: by } = permit.sender
  if (Object.entries(change).every(([part, value]) => part === 'name' || value === null)) {
    await findCampaign(db, user, id)
    await db.transaction(async (tx) => {
      await updateRecords(tx, 'campaigns', (update) =>
        update.set({ name: change.name!, changed_by: by }).where('id', '=', id),
      )
      await auditAct(tx, permit, 'campaigns', 'change', id)
    })
  } else {
    await settleAndRun(services, user, id, (campaign) => {
      if (campaign.reminder) return reviseReminder(services, permit, campaign, change, load)
      if (change.reminder) throw invalidRequest('only a reminder has a reminder')
      return reviseCampaign(services, permit, campaign, change, load)
    })
    await settleCampaign(services, id)
  }
  return loadCampaignState(db, user, id)
}

/** Plans the recipients of a campaign again; if texts have left, only those who have not got one. */
async function planPeople(
  services: CampaignServices,
  permit: Permit,
  campaign: Campaign,
  text: CampaignText,
  people: Audience,
  way: PlannedWay,
  hasBegun: boolean,
) {
  const found = hasBegun ? await loadWaitingPeople(services.store.db, campaign) : undefined
  if (found?.phones.length === 0) throw gatewayRefusal('campaign_begun')
  const stored = isAudienceStored(campaign) ? campaign.recipientsCount : 0
  const planned = await planAudience(services, permit, text, people, way, found?.phones)
  return { ...planned, reasons: [], waiting: found ? found.waiting : stored }
}

/** The numbers whose text waits, or is not stored yet. `waiting`: how many texts wait. */
async function loadWaitingPeople(db: Db, { batches, user, audience }: Campaign) {
  const texts = await queries(db)
    .selectFrom('sms_messages as m')
    .leftJoin('sms_dispatch as d', 'd.message', 'm.id')
    .select(['m.to', sql<boolean>`coalesce(d.state in ('pending', 'assigned'), false)`.as('waits')])
    .where('m.batch_id', '=', matchAny(batches))
    .where('m.batch_id', '<>', sql.lit(''))
    .where(writeUnindexed('m.user'), '=', user)
    .execute()
  const known = new Set(texts.map(({ to }) => to))
  const waiting = texts.flatMap(({ to, waits }) => (waits ? [to] : []))
  const unstored = audience.filter((phone) => phone !== '' && !known.has(phone))
  return { phones: [...new Set([...waiting, ...unstored])], waiting: waiting.length }
}

/** Plans the rows of a list that have not got its text. Throws 400 if one would now be left out. */
async function planRest(
  services: CampaignServices,
  permit: Permit,
  campaign: Campaign,
  text: CampaignText,
  way: PlannedWay,
) {
  const { db } = services.store
  const given = await loadWaitingRows(db, campaign.id)
  if (!given.some(({ isOpen }) => isOpen)) throw gatewayRefusal('campaign_begun')
  const { rows, sizes, requiresConsent } = await planRows(services, permit, text, given, way)
  const lost = rows.find(({ isOpen, size }) => isOpen && !size)
  if (lost && !REFUSED.includes(lost.reason))
    throw invalidRequest(`Line ${lost.line} of the list would get no text: ${lost.reason}`)
  const reasons = rows.filter(({ isOpen, size }) => isOpen !== (size !== undefined))
  const { waiting } = await loadWaitingPeople(db, { ...campaign, audience: [] })
  return {
    audience: rows.flatMap(({ id, size }) => (size ? [id] : [])),
    segments: sumSegments(sizes),
    requiresConsent,
    withoutConsent: [],
    reasons: reasons.map(({ id, reason, size }) => ({ id, reason: size ? '' : reason })),
    waiting,
  }
}

async function reviseCampaign(
  services: CampaignServices,
  permit: Permit,
  campaign: Campaign,
  change: CampaignChange,
  load?: () => Promise<Media>,
) {
  const { store, config } = services
  const { user } = campaign
  const hasBegun = await checkChangeable(services, campaign, change)
  if (campaign.rows > 0 && change.audience) throw invalidRequest('A list keeps its rows')
  if (change.repeat && !campaign.repeat)
    throw invalidRequest('repeat can be changed only if the campaign repeats')
  const repeat = change.repeat
    ? await completeRepeatRule(store, user, change.repeat)
    : campaign.repeat
  const begins =
    change.scheduledAt ??
    (change.repeat ? formatDate(findEarliestRun(campaign, new Date())) : campaign.scheduledAt)
  const [scheduledAt] = repeat ? await listTimesFrom(user, repeat, begins) : [begins]
  const expiresAt =
    change.expiresAt ?? (repeat ? computeExpiryAt(campaign, scheduledAt) : campaign.expiresAt)
  if (expiresAt && expiresAt <= scheduledAt) throw makeExpiryError()
  const given = change.text ? await loadCampaignText(store, user, change.text) : campaign
  // the text of a list always has variables
  const text = campaign.rows > 0 ? { ...given, variables: given.variables ?? {} } : given
  const { media, orLink, files } = await readFileChange(campaign, text, change, load)
  const people = change.audience ?? readAudience(campaign)
  const way = { ...campaign, files: files.attachments.length, orLink }
  const { reasons, waiting, ...planned } =
    campaign.rows > 0
      ? await planRest(services, permit, campaign, text, way)
      : await planPeople(services, permit, campaign, text, people, way, hasBegun)
  const { audience, segments, ...consent } = planned
  // check the quota for additional messages only: those stored so far will be deleted and refunded.
  // A repeating campaign has no messages of its own
  if (!repeat) await checkQuota(services, user, audience.length - waiting)
  const batch = makeRandomId()
  const left = hasBegun ? await countLeft(store.db, campaign) : { people: 0, segments: 0 }
  const set = {
    name: change.name ?? campaign.name,
    ...files,
    body: text.body,
    template: text.template,
    variables: JSON.stringify(text.variables),
    repeat: JSON.stringify(repeat),
    groups: [...people.groupIds],
    recipients: JSON.stringify(people.recipients),
    filter: people.filter,
    of_campaign: people.ofCampaign,
    of_state: people.ofState,
    audience: JSON.stringify(repeat ? [] : audience),
    recipients_count: left.people + audience.length,
    ...(campaign.rows > 0 && { left_out: campaign.rows - left.people - audience.length }),
    segments: left.segments + segments,
    former_batch: campaign.batches[0]!,
    batch_id: batch,
    batches: JSON.stringify(hasBegun ? [batch, ...campaign.batches] : [batch]),
    requires_consent: consent.requiresConsent,
    without_consent: JSON.stringify(consent.withoutConsent),
    scheduled_at: scheduledAt,
    begins_at: repeat ? (change.scheduledAt ?? campaign.beginsAt) : '',
    expires_at: expiresAt,
    settled: false,
    changed_by: permit.sender.sentBy,
    revision: sql<number>`revision + 1`,
  }
  return inAuditedTransaction(services, permit, 'change', campaign.id, async (db) => {
    if (!(await changeAsRead(db, campaign, set))) return false
    await recordReasons(db, reasons)
    if (media) await storeCampaignFiles(db, config, user, campaign.id, media)
    return true
  })
}

/** A message of the campaign that is assigned to a device or was sent. */
const findBegunCampaign = (db: Db, batch: string) =>
  queries(db)
    .selectFrom('sms_messages')
    .where('batch_id', '=', batch)
    .where(
      sql<boolean>`(status in ('assigned', 'sending', 'sent', 'delivered') or status = 'failed' and sent_at <> '')`,
    )
    .limit(sql.lit(1))
    .executeTakeFirst()

/**
 * Whether texts of a campaign may have left: only its text and its files can change then. Throws 409
 * `campaign_begun` for other changes, and for a campaign of which no text waits.
 */
async function checkChangeable(
  { store }: CampaignServices,
  campaign: Campaign,
  change: CampaignChange,
): Promise<boolean> {
  const { status, scheduledAt, batches } = campaign
  if (isOver(status)) throw gatewayRefusal('campaign_begun')
  const isEarly = scheduledAt > formatDate(new Date(Date.now() + MARGIN_MS))
  const isOpen =
    status === 'repeating' || status === 'paused' || (status === 'scheduled' && isEarly)
  if (isOpen && batches.length === 1 && !(await findBegunCampaign(store.db, batches[0]!)))
    return false
  const { audience, scheduledAt: at, expiresAt, repeat } = change
  if (audience || at !== null || expiresAt !== null || repeat)
    throw gatewayRefusal('campaign_begun')
  return true
}

/** The texts of a campaign that no longer wait: of how many people, and their segments. */
const countLeft = (db: Db, { batches, user }: Campaign) =>
  queries(db)
    .selectFrom('sms_messages as m')
    .leftJoin('sms_dispatch as d', 'd.message', 'm.id')
    .select([
      sql<number>`count(*)::float8`.as('people'),
      sql<number>`coalesce(sum(m.segments), 0)::float8`.as('segments'),
    ])
    .where('m.batch_id', '=', matchAny(batches))
    .where('m.batch_id', '<>', sql.lit(''))
    .where(writeUnindexed('m.user'), '=', user)
    .where(sql<boolean>`coalesce(d.state not in ('pending', 'assigned'), true)`)
    .where(sql<boolean>`not (m.status = 'failed' and exists (select from sms_messages r
      where r."user" = m."user" and r.client_ref = 'retry:' || m.id and r.client_ref <> ''))`)
    .executeTakeFirstOrThrow()
