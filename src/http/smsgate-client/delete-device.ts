import type { Collection } from '../../collections/collection.ts'
import { deleteRecord } from '../../records/write/delete.ts'
import { checkDevice } from '../../sms/send/send.ts'
import type { Ctx, Services } from '../context.ts'
import { retryWrite } from '../middleware/retry-write.ts'
import { buildRequest } from '../request-info.ts'
import { requireClient } from './credentials.ts'

/** Deletes a device of the caller; its queue goes to other devices. Throws 404. */
export async function deleteDevice(c: Ctx, services: Services, id: string): Promise<void> {
  const { store, extensions } = services
  const identify = async () => (await requireClient(c, services, 'devices:delete')).auth
  await retryWrite(store, identify, async (auth, attempt) => {
    await checkDevice(store, auth.id, id)
    const devices = store.catalog.find('devices') as Collection
    await deleteRecord(store, extensions, devices, id, buildRequest(c, auth, {}), attempt)
  })
}
