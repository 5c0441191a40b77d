import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Campaign } from './campaign.ts'

/** Maximum messages that a transaction locks, so that other requests wait only briefly. */
const MAX_ROWS = 1_000

/** Locks a campaign against changes. False if it has changed since it was read. */
async function lockUnchangedCampaign(db: Db, { id, version }: Campaign): Promise<boolean> {
  const found = await queries(db)
    .selectFrom('campaigns')
    .where('id', '=', id)
    .where(sql`xmin::text`, '=', version)
    .forShare()
    .execute()
  return found.length > 0
}

/** Holds back the unclaimed messages of a paused campaign. False if the campaign was changed meanwhile. */
export const holdMessages = (store: Store, campaign: Campaign) =>
  repeatInSteps(store, campaign, 'sms_hold', 'Paused')

/** Releases a campaign's held messages. False if the campaign was changed meanwhile. */
export const releaseMessages = (store: Store, campaign: Campaign) =>
  repeatInSteps(store, campaign, 'sms_release_held', 'Resumed')

async function repeatInSteps(
  store: Store,
  campaign: Campaign,
  step: 'sms_hold' | 'sms_release_held',
  detail: string,
) {
  for (;;) {
    const messages = await store.db.transaction(async (db) => {
      if (!(await lockUnchangedCampaign(db, campaign))) return undefined
      return callFunction(db, step, campaign.batches, campaign.user, detail, campaign.id, MAX_ROWS)
    })
    if (messages === undefined) return false
    if (messages === 0) return true
  }
}
