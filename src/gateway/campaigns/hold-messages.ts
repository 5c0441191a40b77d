import { type RawBuilder, sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Campaign } from './campaign.ts'

/** Maximum messages that a transaction locks, so that other requests wait only briefly. */
const MAX_ROWS = 1_000

/** Locks a campaign against changes. False if it has changed since it was read. */
async function lockUnchanged(db: Db, { id, version }: Campaign): Promise<boolean> {
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
  inSteps(
    store,
    campaign,
    ({ batches, user, id }) => sql`sms_hold(${batches}::text[], ${user}, 'Paused', ${id}, ${MAX_ROWS}::int)`,
  )

/** Releases a campaign's held messages. False if the campaign was changed meanwhile. */
export const releaseMessages = (store: Store, campaign: Campaign) =>
  inSteps(
    store,
    campaign,
    ({ batches, user, id }) =>
      sql`sms_release_held(${batches}::text[], ${user}, 'Resumed', ${id}, ${MAX_ROWS}::int)`,
  )

async function inSteps(store: Store, campaign: Campaign, step: (of: Campaign) => RawBuilder<number>) {
  for (;;) {
    const messages = await store.db.transaction(async (db) => {
      if (!(await lockUnchanged(db, campaign))) return undefined
      const done = await queries(db).selectNoFrom(step(campaign).as('messages')).executeTakeFirstOrThrow()
      return done.messages
    })
    if (messages === undefined) return false
    if (messages === 0) return true
  }
}
