import { sql } from 'kysely'
import { type AuthCollection, type Store, USERS_ID } from '../collections/catalog.ts'
import { queries } from '../db/queries.ts'
import { endSignIns } from '../records/sign-in-data.ts'
import { readCampaign } from './campaigns/campaign.ts'
import { holdMessages } from './campaigns/hold-messages.ts'
import { updateRecords } from './status.ts'
import { notifyAccess } from './wake.ts'

/** Completes the pause of a user's campaigns: unassigns messages that no device has claimed yet. */
export async function holdPaused(store: Store, user: string) {
  const paused = await queries(store.db)
    .selectFrom('campaigns')
    .select('id')
    .where('user', '=', user)
    .where('status', '=', sql.lit('paused'))
    .where('settled', '=', sql.lit(false))
    .execute()
  for (const { id } of paused) {
    const campaign = await readCampaign(store.db, id)
    if (campaign) await holdMessages(store, campaign)
  }
}

/** Ends a disabled user's sign-ins, pairing codes and device streams, and pauses campaigns. */
export async function suspendUser({ db, catalog }: Store, user: string) {
  await queries(db).selectFrom('users').where('id', '=', user).forUpdate().execute()
  await queries(db).deleteFrom('device_pairings').where('user', '=', user).execute()
  await updateRecords(db, 'campaigns', (update) =>
    update
      .set({ status: 'paused', settled: false })
      .where('user', '=', user)
      .where('status', 'in', ['scheduled', 'repeating', 'sending']),
  )
  const devices = await queries(db)
    .updateTable('devices')
    .set({ user })
    .where('user', '=', user)
    .returning('id')
    .execute()
  const ids = devices.map(({ id }) => id)
  await notifyAccess(db, ids)
  await endSignIns({ db, catalog }, catalog.find(USERS_ID) as AuthCollection, user)
}
