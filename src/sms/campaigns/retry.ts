import { z } from 'zod'
import { batchAfter, noneLeftOut, RETRIED_BATCH, type RETRY_BATCH, retryBatch } from '../queue/retry.ts'
import { accountSender, gatewayRefusal } from '../send/shape.ts'
import { whenSettled } from './advance.ts'
import {
  CAMPAIGN_STATE,
  type Campaign,
  type CampaignServices,
  changeAsRead,
  findCampaign,
  readState,
  updateCampaigns,
} from './campaign.ts'

export const RETRIED_CAMPAIGN = z
  .object({
    campaign: CAMPAIGN_STATE,
    retried: z.int().min(0).describe('Messages that this request has sent again.'),
    left_out: RETRIED_BATCH.shape.left_out,
  })
  .meta({ id: 'RetriedCampaign' })
export type RetriedCampaign = Readonly<z.output<typeof RETRIED_CAMPAIGN>>

/** Sends failed messages again, once each, in a new batch. Throws 409, 402 and 503. */
export async function retryCampaign(
  services: CampaignServices,
  user: string,
  id: string,
  body: z.output<typeof RETRY_BATCH>,
): Promise<RetriedCampaign> {
  const { db } = services.store
  // store the batch first, so that its messages belong to the campaign even after a crash
  await whenSettled(services, user, id, (campaign) => noteBatch(services, campaign))
  const { batches, keepsQuiet } = await findCampaign(db, user, id)
  const before = await countMessages(services, user, batches)
  const left = noneLeftOut()
  for (const batch of batches)
    if ((await countMessages(services, user, [batch])) > 0)
      await retryBatch(services, accountSender(user, id), batch, body, keepsQuiet, left)
  const retried = (await countMessages(services, user, batches)) - before
  if (retried > 0)
    await updateCampaigns(db, `status = 'sending', settled = false`, `id = $1 and status = 'done'`, [id])
  return { campaign: await readState(db, user, id), retried, left_out: left }
}

/** Stores the id of the batch that repeats the last one. False if the campaign was changed meanwhile. */
async function noteBatch(services: CampaignServices, campaign: Campaign): Promise<boolean> {
  if (campaign.status !== 'sending' && campaign.status !== 'done')
    throw gatewayRefusal('campaign_not_retriable')
  const last = campaign.batches.at(-1)!
  if ((await countMessages(services, campaign.user, [last])) === 0) return true
  const batches = JSON.stringify([...campaign.batches, batchAfter(last)])
  return changeAsRead(services.store.db, campaign, 'batches = $3::json', batches)
}

async function countMessages({ store }: CampaignServices, user: string, batches: readonly string[]) {
  const { rows } = await store.db.query(
    `select count(*) from sms_messages where batch_id = any($1::text[]) and batch_id <> '' and "user" || '' = $2`,
    [batches, user],
  )
  return Number(rows[0]![0])
}
