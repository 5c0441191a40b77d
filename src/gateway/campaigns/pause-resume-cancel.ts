import { formatNow } from '../../engine/fields/parse-date.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import type { Permit } from '../base/permissions.ts'
import { inAuditedTransaction } from './audited-change.ts'
import { type Campaign, type CampaignServices, changeAsRead, findCampaign } from './campaign.ts'
import { endCampaign } from './end-campaign.ts'
import {
  type CampaignState,
  type CampaignStatus,
  isOver,
  loadCampaignState,
} from './load-campaign-state.ts'
import { moveToNextRun } from './plan-next-run.ts'
import { settleAndRun, settleCampaign } from './settle-campaign.ts'

type Steer = (services: CampaignServices, permit: Permit, id: string) => Promise<CampaignState>

/** Makes an action that sets a campaign's status to the result of `next`; undefined changes nothing. */
const changeStatus =
  (action: string, next: (campaign: Campaign) => CampaignStatus | undefined): Steer =>
  async (services, permit, id) => {
    const { db } = services.store
    const { user, sentBy: by } = permit.sender
    await settleAndRun(services, user, id, async (campaign) => {
      const status = next(campaign)
      if (!status) return true
      const set = { settled: false, changed_by: by }
      return inAuditedTransaction(services, permit, action, id, (tx) =>
        status === 'repeating' && campaign.repeat
          ? moveToNextRun(tx, campaign, new Date(), campaign.runs, set)
          : changeAsRead(tx, campaign, { ...set, status, ...(campaign.reminder && { error: '' }) }),
      )
    })
    await settleCampaign(services, id)
    return loadCampaignState(db, user, id)
  }

/** Pauses a campaign: its unclaimed messages wait. Idempotent. Throws 409 `campaign_over`. */
export const pauseCampaign = changeStatus('pause', ({ status }) => {
  if (status === 'paused') return undefined
  if (isOver(status)) throw gatewayRefusal('campaign_over')
  return 'paused'
})

/** Resumes a paused campaign: at its scheduled time or, if that is past, now. Throws 409 `campaign_over`. */
export const resumeCampaign = changeStatus('resume', (campaign) => {
  const { status, scheduledAt, repeat, reminder } = campaign
  if (status === 'scheduled' || status === 'repeating' || status === 'sending') return undefined
  if (status !== 'paused') throw gatewayRefusal('campaign_over')
  if (repeat || reminder) return 'repeating'
  return scheduledAt > formatNow() ? 'scheduled' : 'sending'
})

/** Cancels a campaign and refunds its unclaimed messages. Idempotent. Throws 409 `campaign_over`. */
export const cancelCampaign: Steer = async (services, permit, id) => {
  const { db } = services.store
  const { user } = permit.sender
  for (;;) {
    const campaign = await findCampaign(db, user, id)
    if (campaign.status === 'canceled') break
    if (isOver(campaign.status)) throw gatewayRefusal('campaign_over')
    if (await endCampaign(services, campaign, 'canceled', { permit })) break
  }
  await settleCampaign(services, id)
  return loadCampaignState(db, user, id)
}
