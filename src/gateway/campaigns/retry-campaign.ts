import { sql } from 'kysely'
import { z } from 'zod'
import { matchAny, queries, writeUnindexed } from '../../platform/db/queries.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import { makeAccountSender } from '../base/make-sender.ts'
import { updateRecords } from '../base/message-status.ts'
import type { Permit } from '../base/permissions.ts'
import { findBatchAfter, retryBatch } from '../messages/queue/retry-messages.ts'
import {
  makeNoneLeftOut,
  RETRIED_BATCH,
  type RETRY_BATCH,
} from '../messages/queue/retry-schemas.ts'
import { inAuditedTransaction } from './audited-change.ts'
import { type Campaign, type CampaignServices, changeAsRead, findCampaign } from './campaign.ts'
import { linkRetries } from './list-rows.ts'
import { CAMPAIGN_STATE, loadCampaignState } from './load-campaign-state.ts'
import { settleAndRun } from './settle-campaign.ts'

export const RETRIED_CAMPAIGN = z
  .object({
    campaign: CAMPAIGN_STATE,
    retried: z.int().min(0).describe('Messages that this request has sent again.'),
    left_out: RETRIED_BATCH.shape.left_out,
  })
  .meta({ id: 'RetriedCampaign' })
type RetriedCampaign = Readonly<z.output<typeof RETRIED_CAMPAIGN>>

/**
 * Sends a campaign's failed messages again, each at most once, in new batches. Throws 404; 409 if the
 * campaign is busy, or is neither sending nor done; and as `retryBatch`.
 */
export async function retryCampaign(
  services: CampaignServices,
  permit: Permit,
  id: string,
  body: z.output<typeof RETRY_BATCH>,
): Promise<RetriedCampaign> {
  const { db } = services.store
  const { user } = permit.sender
  // store the new batch's id before its messages, so that they belong to the campaign even after a crash
  await settleAndRun(services, user, id, (campaign) => recordRetryBatch(services, permit, campaign))
  const { batches, keepsQuiet } = await findCampaign(db, user, id)
  const before = await countMessages(services, user, batches)
  const left = makeNoneLeftOut()
  for (const batch of batches)
    if ((await countMessages(services, user, [batch])) > 0)
      await retryBatch(services, makeAccountSender(user, id), batch, body, keepsQuiet, left)
  const retried = (await countMessages(services, user, batches)) - before
  await linkRetries(db, user, id)
  if (retried > 0)
    await updateRecords(db, 'campaigns', (update) =>
      update
        .set({ status: 'sending', settled: false })
        .where('id', '=', id)
        .where('status', '=', 'done'),
    )
  return { campaign: await loadCampaignState(db, user, id), retried, left_out: left }
}

/** Adds the ids of batches that resend the failures of those before. False if the campaign was changed. */
async function recordRetryBatch(services: CampaignServices, permit: Permit, campaign: Campaign) {
  if (campaign.status !== 'sending' && campaign.status !== 'done')
    throw gatewayRefusal('campaign_not_retriable')
  const known = campaign.batches
  const added: string[] = []
  for (const batch of known) {
    const next = findBatchAfter(batch)
    if (!known.includes(next) && (await countMessages(services, campaign.user, [batch])) > 0)
      added.push(next)
  }
  const batches = JSON.stringify([...known, ...added])
  const set = { batches, changed_by: permit.sender.sentBy }
  return inAuditedTransaction(services, permit, 'retry', campaign.id, (db) =>
    changeAsRead(db, campaign, set),
  )
}

async function countMessages(
  { store }: CampaignServices,
  user: string,
  batches: readonly string[],
) {
  const { messages } = await queries(store.db)
    .selectFrom('sms_messages')
    .select(({ fn }) => fn.countAll<number>().as('messages'))
    .where('batch_id', '=', matchAny(batches))
    .where('batch_id', '<>', sql.lit(''))
    .where(writeUnindexed('user'), '=', user)
    .executeTakeFirstOrThrow()
  return messages
}
