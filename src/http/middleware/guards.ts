import { isSuspended } from '../../auth/tokens/identify.ts'
import { type AuthCollection, type Store, SUPERUSERS, USERS_ID } from '../../collections/catalog.ts'
import { forbidden, notFound, unauthorized } from '../../errors.ts'
import { type Device, requireDevice } from '../../sms/devices/device.ts'
import { gatewayRefusal } from '../../sms/send/shape.ts'
import type { Ctx, Services } from '../context.ts'
import { authOf } from '../request-info.ts'
import { type Caller, storeOf } from '../server/store-of.ts'

/** Checks of the caller before a route does its work. They throw PocketBase's errors. Contract 5.2 */

/** Anyone with a valid token. 403 for a device whose user is disabled. */
export async function requireAuth(c: Ctx, services: Services): Promise<Caller> {
  const auth = await authOf(c, services)
  if (auth) return { auth, store: storeOf(c, services, auth) }
  if (await isSuspended(services.store.signIn, c.env.incoming.headers.authorization))
    throw forbidden('The account is disabled.')
  throw unauthorized('The request requires valid record authorization token.')
}

/** The calling device. Throws 401 for a guest, 403 for others: on 401 a disabled device forgets itself. */
export async function requireDeviceOf(c: Ctx, services: Services): Promise<DeviceCaller> {
  const auth = await authOf(c, services)
  if (!auth) await refuseSuspended(c, services)
  return { device: requireDevice(auth), store: storeOf(c, services, auth) }
}

/** A device that signed in, with the store on its ticket. */
export interface DeviceCaller {
  readonly device: Device
  readonly store: Store
}

/** Throws 403 for a device whose user is disabled. */
export async function refuseSuspended(c: Ctx, { store }: Services): Promise<void> {
  if (await isSuspended(store.signIn, c.env.incoming.headers.authorization))
    throw gatewayRefusal('account_disabled')
}

/** The calling user. Throws 401 for a guest, 403 for others. */
export async function requireUser(c: Ctx, services: Services) {
  const { auth, store } = await requireAuth(c, services)
  if (auth.collection.id !== USERS_ID) throw forbidden('Only users may ask for this.')
  return { auth, user: auth.id, store }
}

export async function requireSuperuser(c: Ctx, services: Services): Promise<Caller> {
  const caller = await requireAuth(c, services)
  if (caller.auth.collection.name !== SUPERUSERS)
    throw forbidden('The authorized record is not allowed to perform this action.')
  return caller
}

/** A record of the collection that the path names. */
export async function requireMember(c: Ctx, services: Services): Promise<Caller> {
  const collection = services.store.catalog.find(c.req.param('collection') ?? '')
  if (!collection) throw notFound('Missing or invalid collection context.')
  const caller = await requireAuth(c, services)
  const { id, name } = caller.auth.collection
  if (id !== collection.id) throw forbidden(`The request requires auth record from ${name} collection.`)
  return caller
}

/** The auth collection that the path names. */
export function authCollectionOf(c: Ctx, { store }: Services): AuthCollection {
  const collection = store.catalog.find(c.req.param('collection') ?? '')
  if (!collection) throw notFound('Missing or invalid collection context.')
  if (collection.type !== 'auth') throw notFound('Missing or invalid auth collection context.')
  return collection
}
