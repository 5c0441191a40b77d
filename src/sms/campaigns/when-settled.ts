import { setTimeout as sleep } from 'node:timers/promises'
import { gatewayRefusal } from '../send/refusal.ts'
import { advance } from './advance.ts'
import { type Campaign, type CampaignServices, findCampaign } from './campaign.ts'

/** A campaign that others change that often at the same time is left to them. */
const TRIES = 5
const PAUSE_MS = 50

/** Runs `work` with a settled campaign until it returns true. Throws 404, 409 `campaign_busy`. */
export async function whenSettled(
  services: CampaignServices,
  user: string,
  id: string,
  work: (campaign: Campaign) => Promise<boolean>,
): Promise<void> {
  const { db } = services.store
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await findCampaign(db, user, id)
    if (!found.settled) await advance(services, id)
    const campaign = found.settled ? found : await findCampaign(db, user, id)
    if (campaign.settled && (await work(campaign))) return
    await sleep(PAUSE_MS)
  }
  throw gatewayRefusal('campaign_busy')
}
