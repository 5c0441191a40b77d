import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { queries } from '../../platform/db/queries.ts'
import { loadCampaign } from './campaign.ts'
import { holdMessages } from './hold-texts.ts'

/** Completes the pause of a user's campaigns: unassigns messages that no device has claimed yet. */
export async function holdPausedCampaigns(store: Store, user: string) {
  const paused = await queries(store.db)
    .selectFrom('campaigns')
    .select('id')
    .where('user', '=', user)
    .where('status', '=', sql.lit('paused'))
    .where('settled', '=', sql.lit(false))
    .execute()
  for (const { id } of paused) {
    const campaign = await loadCampaign(store.db, id)
    if (campaign) await holdMessages(store, campaign)
  }
}
