import { type AuthCollection, SUPERUSERS } from '../../collections/collection.ts'
import { forbidden, notFound, unauthorized } from '../../errors.ts'
import type { AuthRecord } from '../../request/request.ts'
import type { Ctx, Services } from '../context.ts'
import { authOf } from '../request-info.ts'

/** Who may come in at all, before a route does its work. Each throws what PocketBase answers. Contract 5.2 */

/** Anyone with a valid token. */
export async function requireAuth(c: Ctx, services: Services): Promise<AuthRecord> {
  const auth = await authOf(c, services)
  if (!auth) throw unauthorized('The request requires valid record authorization token.')
  return auth
}

/** Superusers. */
export async function requireSuperuser(c: Ctx, services: Services): Promise<AuthRecord> {
  const auth = await requireAuth(c, services)
  if (auth.collection.name !== SUPERUSERS)
    throw forbidden('The authorized record is not allowed to perform this action.')
  return auth
}

/** A record of the collection that the path names. */
export async function requireMember(c: Ctx, services: Services): Promise<AuthRecord> {
  const collection = services.store.catalog.find(c.req.param('collection') ?? '')
  if (!collection) throw notFound('Missing or invalid collection context.')
  const auth = await requireAuth(c, services)
  if (auth.collection.id !== collection.id)
    throw forbidden(`The request requires auth record from ${auth.collection.name} collection.`)
  return auth
}

/** The auth collection that the path names. */
export function authCollectionOf(c: Ctx, { store }: Services): AuthCollection {
  const collection = store.catalog.find(c.req.param('collection') ?? '')
  if (!collection) throw notFound('Missing or invalid collection context.')
  if (collection.type !== 'auth') throw notFound('Missing or invalid auth collection context.')
  return collection
}
