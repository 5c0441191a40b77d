import { formatDate } from '../../fields/types/date.ts'
import { gatewayRefusal } from '../send/refusal.ts'
import { advance } from './advance.ts'
import {
  type Campaign,
  type CampaignServices,
  type CampaignState,
  type CampaignStatus,
  findCampaign,
  readState,
  updateCampaigns,
} from './campaign.ts'
import { endCampaign } from './end.ts'
import { whenSettled } from './when-settled.ts'

const OVER: ReadonlySet<CampaignStatus> = new Set(['done', 'canceled', 'failed'])

/** What steers a campaign. */
type Steer = (services: CampaignServices, user: string, id: string) => Promise<CampaignState>

/** Pauses a campaign: unclaimed messages wait. Repeating is no error. Throws 409 `campaign_over`. */
export const pauseCampaign: Steer = async (services, user, id) => {
  const { db } = services.store
  await whenSettled(services, user, id, async (campaign) => {
    if (campaign.status === 'paused') return true
    if (OVER.has(campaign.status)) throw gatewayRefusal('campaign_over')
    return become(db, campaign, `status = 'paused'`)
  })
  await advance(services, id)
  return readState(db, user, id)
}

/** Resumes a paused campaign at its time, or now. Repeating is no error. Throws 409 `campaign_over`. */
export const resumeCampaign: Steer = async (services, user, id) => {
  const { db } = services.store
  await whenSettled(services, user, id, async (campaign) => {
    if (campaign.status === 'scheduled' || campaign.status === 'sending') return true
    if (campaign.status !== 'paused') throw gatewayRefusal('campaign_over')
    const isLater = campaign.scheduledAt > formatDate(new Date())
    return become(db, campaign, `status = '${isLater ? 'scheduled' : 'sending'}'`)
  })
  await advance(services, id)
  return readState(db, user, id)
}

/** Cancels and refunds a campaign's unclaimed messages. Repeatable. Throws 409 `campaign_over`. */
export const cancelCampaign: Steer = async (services, user, id) => {
  const { db } = services.store
  for (;;) {
    const campaign = await findCampaign(db, user, id)
    if (campaign.status === 'canceled') break
    if (OVER.has(campaign.status)) throw gatewayRefusal('campaign_over')
    if (await endCampaign(services, campaign, 'canceled')) break
  }
  await advance(services, id)
  return readState(db, user, id)
}

const become = async (db: CampaignServices['store']['db'], { id, version }: Campaign, set: string) =>
  (await updateCampaigns(db, `${set}, settled = false`, 'id = $1 and xmin::text = $2', [id, version]))
    .length > 0
