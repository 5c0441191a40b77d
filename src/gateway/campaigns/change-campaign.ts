import { sql } from 'kysely'
import { formatDate } from '../../engine/fields/parse-date.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { makeRandomId } from '../../platform/tools/random.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import type { Media } from '../base/message-files.ts'
import { updateRecords } from '../base/message-status.ts'
import type { Permit } from '../base/permissions.ts'
import { auditAct } from '../messages/queue/audit-message-change.ts'
import { makeExpiryError } from '../messages/send/message-expiry.ts'
import { makeSubjectError } from '../messages/send/read-send-body.ts'
import { inAuditedTransaction } from './audited-change.ts'
import {
  type Campaign,
  type CampaignServices,
  changeAsRead,
  findCampaign,
  isAudienceStored,
} from './campaign.ts'
import type { CampaignChange } from './campaign-body.ts'
import { storeCampaignFiles } from './campaign-files.ts'
import { reviseReminder } from './change-reminder.ts'
import { type CampaignState, loadCampaignState } from './load-campaign-state.ts'
import { checkQuota, loadCampaignText, planAudience } from './plan-campaign.ts'
import { computeExpiryAt, findEarliestRun } from './plan-next-run.ts'
import { completeRepeatRule, listTimesFrom } from './repetition.ts'
import { settleAndRun, settleCampaign } from './settle-campaign.ts'

/** A campaign that begins within this time cannot be changed: devices may already get its messages. */
const MARGIN_MS = 2_000

/**
 * Changes a campaign: its name at any time, the rest before it begins. `load` reads the files of the change.
 * Throws 409 `campaign_begun`.
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

async function reviseCampaign(
  services: CampaignServices,
  permit: Permit,
  campaign: Campaign,
  change: CampaignChange,
  load?: () => Promise<Media>,
) {
  const { store, config } = services
  const { user } = campaign
  await checkNotBegun(services, campaign)
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
  const text = change.text ? await loadCampaignText(store, user, change.text) : campaign
  const media = change.files ? await load?.() : undefined
  const attachments =
    change.files === null ? campaign.attachments : (media?.files.map(({ name }) => name) ?? [])
  const subject = attachments.length > 0 ? (change.subject ?? campaign.subject) : ''
  if (text.body === '' && attachments.length === 0) throw invalidRequest('body must be given')
  if (change.subject && attachments.length === 0) throw makeSubjectError()
  const orLink = change.orLink ?? campaign.orLink
  const people = change.audience ?? { recipients: campaign.recipients, groupIds: campaign.groups }
  const { audience, segments, ...consent } = await planAudience(services, permit, text, people, {
    ...campaign,
    files: attachments.length,
    orLink,
  })
  // check the quota for additional messages only: those stored so far will be deleted and refunded.
  // A repeating campaign has no messages of its own
  if (!repeat)
    await checkQuota(
      services,
      user,
      audience.length - (isAudienceStored(campaign) ? campaign.recipientsCount : 0),
    )
  const batch = makeRandomId()
  const set = {
    name: change.name ?? campaign.name,
    attachments: [...attachments],
    subject,
    mms: orLink ? ('or_link' as const) : ('' as const),
    body: text.body,
    template: text.template,
    variables: JSON.stringify(text.variables),
    repeat: JSON.stringify(repeat),
    groups: [...people.groupIds],
    recipients: JSON.stringify(people.recipients),
    audience: JSON.stringify(repeat ? [] : audience),
    recipients_count: audience.length,
    segments,
    former_batch: campaign.batches[0]!,
    batch_id: batch,
    batches: JSON.stringify([batch]),
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

async function checkNotBegun({ store }: CampaignServices, campaign: Campaign) {
  const { status, scheduledAt, batches } = campaign
  const isEarly = scheduledAt > formatDate(new Date(Date.now() + MARGIN_MS))
  const isOpen = status === 'repeating' || status === 'paused'
  if (!isOpen && !(status === 'scheduled' && isEarly)) throw gatewayRefusal('campaign_begun')
  if (await findBegunCampaign(store.db, batches[0]!)) throw gatewayRefusal('campaign_begun')
}
