import { GatewayError } from '../../errors.ts'
import { deleteRecords } from '../../records/write/cascade.ts'
import { cancelWaiting, lockWaiting } from '../edit/cancel-batch.ts'
import {
  type Campaign,
  type CampaignServices,
  type CampaignStatus,
  isStored,
  readCampaign,
  updateCampaigns,
} from './campaign.ts'
import { endCampaign } from './end.ts'
import { holdMessages, releaseMessages } from './hold.ts'
import { storeMessages } from './store-messages.ts'

/** Makes the queue as a status says. False when the campaign was changed meanwhile. */
type Step = (services: CampaignServices, campaign: Campaign, signal?: AbortSignal) => Promise<boolean>

const STEPS: Readonly<Record<CampaignStatus, Step>> = {
  scheduled: send,
  sending: send,
  done: send,
  paused: pause,
  canceled: end,
  failed: end,
}

const SETTLE = `
update campaigns set settled = true, former_batch = '',
  audience = case when status = 'paused' then audience else '[]'::json end
where id = $1 and xmin::text = $2 returning 1`

/** Stores a campaign's messages, or cancels a deleted one's. Repeatable; stops when `signal` aborts. */
export async function advance(services: CampaignServices, id: string, signal?: AbortSignal): Promise<void> {
  const { db } = services.store
  let last: Campaign | undefined
  while (!signal?.aborted) {
    const campaign = await readCampaign(db, id)
    if (!campaign && last) await cancelAll(services, last)
    if (!campaign || campaign.settled) return
    last = campaign
    if (!(await STEPS[campaign.status](services, campaign, signal))) continue
    const { rows } = await db.query(SETTLE, [id, campaign.version])
    if (rows[0]) return
  }
}

async function send(services: CampaignServices, campaign: Campaign, signal?: AbortSignal): Promise<boolean> {
  const { store } = services
  if (campaign.isDisabled) return suspend(services, campaign)
  if (isStored(campaign)) return releaseMessages(store, campaign)
  await deleteFormer(services, campaign)
  try {
    // a pause may have held some of them while the others were not stored yet
    return (await storeMessages(services, campaign, signal)) && (await releaseMessages(store, campaign))
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    await endCampaign(services, campaign, 'failed', error.message)
    return false
  }
}

async function pause(services: CampaignServices, campaign: Campaign): Promise<boolean> {
  await deleteFormer(services, campaign)
  return holdMessages(services.store, campaign)
}

/** Pauses a campaign that was created or resumed while its user was being disabled. */
async function suspend({ store }: CampaignServices, { id, version, status }: Campaign): Promise<boolean> {
  if (status === 'done') return true
  await updateCampaigns(store.db, `status = 'paused'`, 'id = $1 and xmin::text = $2', [id, version])
  return false
}

async function end(services: CampaignServices, campaign: Campaign): Promise<boolean> {
  await deleteFormer(services, campaign)
  await cancelAll(services, campaign)
  return true
}

async function cancelAll({ store }: CampaignServices, { user, batches }: Campaign): Promise<void> {
  for (const batch of batches) await cancelWaiting(store, user, batch)
}

/** Deletes what waits of the revision before. Canceled, it would stay: a change may come again and again. */
async function deleteFormer(services: CampaignServices, { user, formerBatch }: Campaign): Promise<void> {
  const { store, extensions } = services
  const messages = store.catalog.find('sms_messages')!
  const deleteSome = () =>
    store.db.transaction(async (db) => {
      const ids = (await lockWaiting(db, user, formerBatch)).map(([message]) => message)
      await deleteRecords({ db, catalog: store.catalog }, extensions, messages, ids)
      return ids.length
    })
  while (formerBatch && (await deleteSome()) > 0);
}
