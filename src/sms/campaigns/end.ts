import { lockUserSends } from '../send/lock-user.ts'
import { type Campaign, type CampaignServices, chunkKey, chunksOf, updateCampaigns } from './campaign.ts'

const CLOSE = `
insert into sms_idempotency ("user", key, fingerprint, answer)
select $1, key, '', '{}' from unnest($2::text[]) key on conflict do nothing`

/** Ends a campaign and its chunk keys; advance.ts cancels the rest. False after a concurrent change. */
export function endCampaign(
  { store, config }: CampaignServices,
  campaign: Campaign,
  status: 'canceled' | 'failed',
  error = '',
): Promise<boolean> {
  const keys = chunksOf(campaign, config).map((_, number) => chunkKey(campaign, number))
  return store.db.transaction(async (db) => {
    await lockUserSends(db, campaign.user)
    const ended = await updateCampaigns(
      db,
      'status = $3, error = $4, settled = false',
      'id = $1 and xmin::text = $2',
      [campaign.id, campaign.version, status, error],
    )
    if (ended.length > 0) await db.query(CLOSE, [campaign.user, keys])
    return ended.length > 0
  })
}
