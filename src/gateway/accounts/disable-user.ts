import type { Store } from '../../engine/collections/catalog.ts'
import { type AuthCollection, USERS_ID } from '../../engine/collections/collection.ts'
import { endSignIns } from '../../engine/records/revoke-sign-ins.ts'
import { queries } from '../../platform/db/queries.ts'
import { updateRecords } from '../base/status.ts'
import { notifyAccess } from '../lines/wake.ts'

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
