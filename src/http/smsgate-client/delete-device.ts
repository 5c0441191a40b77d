import type { Collection } from '../../collections/collection.ts'
import { deleteRecord } from '../../records/write/delete.ts'
import { gatewayRefusal } from '../../sms/send/refusal.ts'
import type { Ctx, Services } from '../context.ts'
import { retryWrite } from '../middleware/retry-write.ts'
import { buildRequest } from '../request-info.ts'
import { requireClient } from './credentials.ts'

const FIND = 'select 1 from devices d where d.id = $1 and d."user" = $2'

/**
 * Deletes a device of the caller as its record is deleted: its queue goes to the other devices. Throws 404
 * for another's.
 */
export async function deleteDevice(c: Ctx, services: Services, id: string): Promise<void> {
  const { store, extensions } = services
  const identify = async () => (await requireClient(c, services, 'devices:delete')).auth
  await retryWrite(store, identify, async (auth, attempt) => {
    const { rows } = await store.db.query(FIND, [id, auth.id], 'smsgate find device')
    if (!rows[0]) throw gatewayRefusal('device_not_found')
    const devices = store.catalog.find('devices') as Collection
    await deleteRecord(store, extensions, devices, id, buildRequest(c, auth, {}), attempt)
  })
}
