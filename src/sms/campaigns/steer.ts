import { formatDate } from '../../fields/date.ts'
import { gatewayRefusal } from '../send/shape.ts'
import { advance, whenSettled } from './advance.ts'
import {
  type Campaign,
  type CampaignServices,
  type CampaignState,
  type CampaignStatus,
  changeAsRead,
  endCampaign,
  findCampaign,
  readState,
} from './campaign.ts'
import { moveOn } from './repeat.ts'

const OVER: ReadonlySet<CampaignStatus> = new Set(['done', 'canceled', 'failed'])

type Steer = (services: CampaignServices, user: string, id: string) => Promise<CampaignState>

/** Returns an action that sets a settled campaign's status to `next`'s result; undefined changes nothing. */
const become =
  (next: (campaign: Campaign) => CampaignStatus | undefined): Steer =>
  async (services, user, id) => {
    const { db } = services.store
    await whenSettled(services, user, id, async (campaign) => {
      const status = next(campaign)
      if (!status) return true
      if (status === 'repeating') return moveOn(db, campaign, new Date(), campaign.runs, ', settled = false')
      return changeAsRead(db, campaign, `status = '${status}', settled = false`)
    })
    await advance(services, id)
    return readState(db, user, id)
  }

/** Pauses a campaign: unclaimed messages wait. Repeating is no error. Throws 409 `campaign_over`. */
export const pauseCampaign = become(({ status }) => {
  if (status === 'paused') return undefined
  if (OVER.has(status)) throw gatewayRefusal('campaign_over')
  return 'paused'
})

/** Resumes a paused campaign at its time, or now. Repeatable. Throws 409 `campaign_over`. */
export const resumeCampaign = become(({ status, scheduledAt, repeat }) => {
  if (status === 'scheduled' || status === 'repeating' || status === 'sending') return undefined
  if (status !== 'paused') throw gatewayRefusal('campaign_over')
  if (repeat) return 'repeating'
  return scheduledAt > formatDate(new Date()) ? 'scheduled' : 'sending'
})

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
