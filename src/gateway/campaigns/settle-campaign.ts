import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { deleteRecords } from '../../engine/records/cascade.ts'
import { GatewayError } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import { cancelWaitingTexts, lockWaiting } from '../messages/queue/cancel-messages.ts'
import {
  type Campaign,
  type CampaignServices,
  changeAsRead,
  findCampaign,
  isAudienceStored,
  listFormerBatches,
  loadCampaign,
  makeCampaignPermit,
} from './campaign.ts'
import { cancelOutdatedReminders } from './cancel-outdated-reminders.ts'
import { endCampaign } from './end-campaign.ts'
import { holdMessages, releaseMessages } from './hold-texts.ts'
import { unlinkTexts } from './list-rows.ts'
import type { CampaignStatus } from './load-campaign-state.ts'
import { storeMessages } from './store-campaign-texts.ts'

/** Makes a campaign's messages match its status. Returns false if the campaign must be read again. */
type Step = (
  services: CampaignServices,
  campaign: Campaign,
  signal?: AbortSignal,
) => Promise<boolean>

const STEPS: Readonly<Record<CampaignStatus, Step>> = {
  scheduled: storeCampaignTexts,
  repeating: keepCampaignRunning,
  sending: storeCampaignTexts,
  done: storeCampaignTexts,
  paused: pauseCampaignTexts,
  canceled: endCampaignTexts,
  failed: endCampaignTexts,
}

/** Notes that a campaign's messages match its status, unless it has changed since it was read. */
const recordSettled = (db: Db, { id, version }: Campaign) =>
  queries(db)
    .updateTable('campaigns')
    .set({ settled: true, former_batch: '' })
    .set({ audience: sql`case when status = 'paused' then audience else '[]'::json end` })
    .where('id', '=', id)
    .where(sql`xmin::text`, '=', version)
    .execute()

/**
 * Stores, holds or cancels a campaign's messages until they match its status: the campaign is then settled.
 * Idempotent. Returns the settled campaign, or undefined if it was deleted or `signal` aborted.
 */
export async function settleCampaign(services: CampaignServices, id: string, signal?: AbortSignal) {
  const { db } = services.store
  let last: Campaign | undefined
  while (!signal?.aborted) {
    const campaign = await loadCampaign(db, id)
    if (!campaign && last) await cancelBatches(services, last)
    if (!campaign || campaign.settled) return campaign
    last = campaign
    if (await STEPS[campaign.status](services, campaign, signal)) await recordSettled(db, campaign)
  }
  return undefined
}

async function storeCampaignTexts(
  services: CampaignServices,
  campaign: Campaign,
  signal?: AbortSignal,
) {
  const { store } = services
  if (campaign.isDisabled) return suspendCampaign(services, campaign)
  if (isAudienceStored(campaign)) return releaseMessages(store, campaign)
  await deleteFormerTexts(services, campaign)
  try {
    // also release: an earlier pause may have held some of the messages
    return (
      (await storeMessages(services, campaign, signal)) && (await releaseMessages(store, campaign))
    )
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    await endCampaign(services, campaign, 'failed', { error: error.message })
    return false
  }
}

/**
 * The step of a repeating campaign. It has no messages: each of its runs is a campaign of its own. A reminder
 * releases those that a pause has held, but for those whose record has changed.
 */
async function keepCampaignRunning(services: CampaignServices, campaign: Campaign) {
  if (campaign.isDisabled) return suspendCampaign(services, campaign)
  if (!campaign.reminder) return true
  await cancelOutdatedReminders(services, campaign)
  return releaseMessages(services.store, campaign)
}

async function pauseCampaignTexts(services: CampaignServices, campaign: Campaign) {
  await deleteFormerTexts(services, campaign)
  return holdMessages(services.store, campaign)
}

/** Pauses a campaign that was created or resumed while its user was being disabled. */
async function suspendCampaign({ store }: CampaignServices, campaign: Campaign) {
  if (campaign.status === 'done') return true
  await changeAsRead(store.db, campaign, { status: 'paused' })
  return false
}

async function endCampaignTexts(services: CampaignServices, campaign: Campaign) {
  await deleteFormerTexts(services, campaign)
  await cancelBatches(services, campaign)
  return true
}

async function cancelBatches({ store }: CampaignServices, campaign: Campaign) {
  for (const batch of campaign.batches)
    await cancelWaitingTexts(store, makeCampaignPermit(campaign), batch)
}

/** Deletes unsent messages of a campaign's previous revision. Merely canceled ones would pile up. */
async function deleteFormerTexts(services: CampaignServices, campaign: Campaign) {
  const { store, extensions } = services
  const messages = store.catalog.find('sms_messages')!
  const deleteSome = (batch: string) =>
    store.db.transaction(async (db) => {
      const ids = (await lockWaiting(db, makeCampaignPermit(campaign), batch)).map(
        ({ message }) => message,
      )
      if (campaign.rows > 0) await unlinkTexts(db, ids)
      await deleteRecords({ db, catalog: store.catalog }, extensions, messages, ids)
      return ids.length
    })
  for (const batch of listFormerBatches(campaign)) while ((await deleteSome(batch)) > 0);
}

/** Maximum tries to change a campaign while others change it. Then `settleAndRun` throws 409. */
const TRIES = 5
const PAUSE_MS = 50

/** Settles a campaign and calls `work`; repeats both if `work` returns false. Throws 404, 409 after TRIES. */
export async function settleAndRun(
  services: CampaignServices,
  user: string,
  id: string,
  work: (campaign: Campaign) => Promise<boolean>,
): Promise<void> {
  const { db } = services.store
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await findCampaign(db, user, id)
    if (!found.settled) await settleCampaign(services, id)
    const campaign = found.settled ? found : await findCampaign(db, user, id)
    if (campaign.settled && (await work(campaign))) return
    await sleep(PAUSE_MS)
  }
  throw gatewayRefusal('campaign_busy')
}
