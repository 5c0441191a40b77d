import { sql } from 'kysely'
import { deleteRecord } from '../../engine/records/delete.ts'
import { checkDevice } from '../../gateway/messages/send/send.ts'
import { buildRequest } from '../../http/authenticate.ts'
import { queries } from '../../platform/db/queries.ts'
import { wireDevice } from '../smsgate/wire.ts'
import type { Call } from './define-route.ts'

export async function listDevices({ store: { db }, user }: Call) {
  const devices = await queries(db)
    .selectFrom('devices')
    .select(['id', 'name', 'created', 'sims'])
    .select(sql<string>`coalesce(nullif(updated, ''), created)`.as('updated'))
    .select(sql<string>`coalesce(nullif(last_seen, ''), created)`.as('last_seen'))
    .where('user', '=', user)
    .orderBy('devices.created')
    .orderBy('id')
    .execute()
  return devices.map(wireDevice)
}

/** Deletes a device of the caller. Its waiting messages go to other devices. Throws 404. */
export async function deleteDevice({ c, services, store, auth, attempt, id }: Call): Promise<void> {
  await checkDevice(store, auth.id, id)
  const devices = store.catalog.find('devices')!
  await deleteRecord(store, services.extensions, devices, id, buildRequest(c, auth, {}), attempt)
}
