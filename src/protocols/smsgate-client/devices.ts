import type { Store } from '../../collections/catalog.ts'
import { run, statement, text } from '../../db/statement.ts'
import { buildRequest } from '../../http/request-info.ts'
import { deleteRecord } from '../../records/write/delete.ts'
import { checkDevice } from '../../sms/send/send.ts'
import { wireDevice } from '../smsgate/wire.ts'
import type { Call } from './description.ts'

const LIST = statement('smsgate devices', {
  ...{ id: 'string', name: 'string', created: 'string', updated: 'string' },
  ...{ last_seen: 'string', sims: 'string?' },
})`
select id, name, created, coalesce(nullif(updated, ''), created) as updated,
  coalesce(nullif(last_seen, ''), created) as last_seen, sims
from devices where "user" = ${text('user')} order by devices.created, id`

export async function listDevices({ db }: Store, user: string) {
  return (await run(db, LIST, { user })).map(wireDevice)
}

/** Deletes a device of the caller; its queue goes to other devices. Throws 404. */
export async function deleteDevice({ c, services, store, auth, attempt }: Call, id: string): Promise<void> {
  await checkDevice(store, auth.id, id)
  const devices = store.catalog.find('devices')!
  await deleteRecord(store, services.extensions, devices, id, buildRequest(c, auth, {}), attempt)
}
