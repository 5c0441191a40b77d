import { isSuspended } from '../../engine/auth/tokens.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import { asCaller } from '../../http/attempt.ts'
import type { Ctx, Services } from '../../http/request-context.ts'
import { type Device, requireDevice } from '../base/device-record.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'

/**
 * The calling device. Throws 403 for any other caller, 401 for a guest. On 401 devices forget their pairing.
 */
export async function requireDeviceCaller(c: Ctx, services: Services): Promise<DeviceCaller> {
  return asCaller(c, services, 'checked', async ({ caller, store }) => {
    if (!caller) await refuseSuspended(c, services)
    return { device: requireDevice(caller), store }
  })
}

/** A calling device, and a store that charges statements to the device's user. */
export interface DeviceCaller {
  readonly device: Device
  readonly store: Store
}

/** Throws 403 for a device whose user is disabled. */
export async function refuseSuspended(c: Ctx, { store }: Services): Promise<void> {
  if (await isSuspended(store.signIn, c.env.incoming.headers.authorization))
    throw gatewayRefusal('account_disabled')
}
