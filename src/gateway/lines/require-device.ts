import { isSuspended } from '../../auth/tokens.ts'
import type { Store } from '../../collections/catalog.ts'
import { type Device, requireDevice } from '../../sms/devices/device.ts'
import { gatewayRefusal } from '../../sms/send/refusals.ts'
import type { Ctx, Services } from '../context.ts'
import { authOf } from '../request-info.ts'
import { storeOf } from '../server/caller.ts'

/**
 * The calling device. Throws 403 for any other caller, 401 for a guest. On 401 devices forget their pairing.
 */
export async function requireDeviceOf(c: Ctx, services: Services): Promise<DeviceCaller> {
  const auth = await authOf(c, services)
  if (!auth) await refuseSuspended(c, services)
  return { device: requireDevice(auth), store: storeOf(c, services, auth) }
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
