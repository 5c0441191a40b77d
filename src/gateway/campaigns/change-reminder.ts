import { sql } from 'kysely'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import type { Media } from '../base/message-files.ts'
import type { Permit } from '../base/permissions.ts'
import { requiresConsent } from '../messages/send/consent-scope.ts'
import { inAuditedTransaction } from './audited-change.ts'
import { type Campaign, type CampaignServices, changeAsRead } from './campaign.ts'
import type { CampaignChange } from './campaign-body.ts'
import { readFileChange, storeCampaignFiles } from './campaign-files.ts'
import { loadCampaignText } from './plan-campaign.ts'
import { completeReminder } from './plan-reminder-campaign.ts'

/**
 * Changes the later texts of a reminder. Those that are stored stay, and each occurrence has one. Returns
 * false if the campaign has changed since it was read.
 */
export async function reviseReminder(
  services: CampaignServices,
  permit: Permit,
  campaign: Campaign,
  change: CampaignChange,
  load?: () => Promise<Media>,
): Promise<boolean> {
  const { store, config } = services
  const { id, user, status } = campaign
  if (status !== 'repeating' && status !== 'paused') throw gatewayRefusal('campaign_over')
  if (change.audience || change.repeat || change.expiresAt)
    throw invalidRequest('a reminder has no recipients, group_ids, repeat and expires_at')
  const reminder = change.reminder
    ? await completeReminder(store, user, change.reminder)
    : campaign.reminder!
  const isSame =
    reminder.collection === campaign.reminder!.collection &&
    reminder.field === campaign.reminder!.field
  if (!isSame) throw invalidRequest('reminder.collection and reminder.field cannot be changed')
  const text = change.text ? await loadCampaignText(store, user, change.text) : campaign
  const { media, files } = await readFileChange(campaign, text, change, load)
  const isRequired = campaign.requiresConsent
  const scope = { template: text.template, groups: [], isRequired }
  const set = {
    name: change.name ?? campaign.name,
    ...files,
    body: text.body,
    template: text.template,
    variables: JSON.stringify(text.variables ?? {}),
    reminder: JSON.stringify(reminder),
    requires_consent: await requiresConsent(store.db, user, scope),
    scheduled_at: change.scheduledAt ?? campaign.scheduledAt,
    settled: false,
    changed_by: permit.sender.sentBy,
    revision: sql<number>`revision + 1`,
  }
  return inAuditedTransaction(services, permit, 'change', id, async (db) => {
    if (!(await changeAsRead(db, campaign, set))) return false
    if (media) await storeCampaignFiles(db, config, user, id, media)
    return true
  })
}
