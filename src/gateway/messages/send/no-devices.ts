import type { Store } from '../../../engine/collections/catalog.ts'
import { queries } from '../../../platform/db/queries.ts'
import type { GatewayError } from '../../../platform/errors.ts'
import { gatewayRefusal } from '../../base/refusals.ts'

/** 503 for a text that no device can send now. The hint names a carrier that waits for its test text. */
export async function noDevices({ db }: Store, user: string): Promise<GatewayError> {
  const untested = await queries(db)
    .selectFrom('device_carriers as c')
    .innerJoin('devices as d', 'd.id', 'c.device')
    .select(['d.name', 'd.id'])
    .where('c.user', '=', user)
    .where('c.ready', '=', false)
    .where('d.enabled', '=', true)
    .orderBy('d.id')
    .executeTakeFirst()
  const hint =
    untested &&
    `${untested.name} has not sent a test yet: send a text with "device_id":"${untested.id}". Once it is delivered, your other texts leave by ${untested.name}, too.`
  return gatewayRefusal('no_devices', undefined, hint)
}
