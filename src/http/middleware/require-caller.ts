import { isSuspended } from '../../engine/auth/tokens.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import {
  type AuthCollection,
  type Collection,
  SUPERUSERS,
  USERS_ID,
} from '../../engine/collections/collection.ts'
import { answerRecord } from '../../engine/records/answer-records.ts'
import { toRow } from '../../engine/records/record-row.ts'
import type { AuthRecord } from '../../engine/request/request.ts'
import { forbidden, notFound, unauthorized } from '../../platform/api-errors.ts'
import { authenticate } from '../attempt.ts'
import type { Ctx, Services } from '../request-context.ts'
import { requireCollection } from '../require-collection.ts'

/** The caller, and the database as charged to the caller's account. */
export interface Caller {
  readonly auth: AuthRecord
  readonly store: Store
}

/** The caller. Throws 401 without a valid token, 403 for a device whose user is disabled. Contract 5.2 */
export async function requireAuth(c: Ctx, services: Services): Promise<Caller> {
  const auth = await authenticate(c, services)
  if (auth) return { auth, store: c.env.incoming.openStore(auth) }
  if (await isSuspended(services.store.signIn, c.env.incoming.headers.authorization))
    throw forbidden('The account is disabled.')
  throw unauthorized('The request requires valid record authorization token.')
}

/** The calling user. Throws 401 for a guest, 403 for a device or superuser. */
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

/** The collection that the path names. Throws 404. */
export const requirePathCollection = (c: Ctx, { store }: Services): Collection =>
  requireCollection(
    store.catalog,
    c.req.param('collection') ?? '',
    'Missing or invalid collection context.',
  )

/** The caller, if it is a record of the collection in the path. Throws 401, 403, 404. */
export async function requireMember(c: Ctx, services: Services): Promise<Caller> {
  const collection = requirePathCollection(c, services)
  const caller = await requireAuth(c, services)
  const { id, name } = caller.auth.collection
  if (id !== collection.id)
    throw forbidden(`The request requires auth record from ${name} collection.`)
  return caller
}

/** The auth collection that the path names. Throws 404. */
export function requireAuthCollection(c: Ctx, services: Services): AuthCollection {
  const collection = requirePathCollection(c, services)
  if (collection.type !== 'auth') throw notFound('Missing or invalid auth collection context.')
  return collection
}

/** The caller's own record as JSON, as the caller sees it. */
export function answerOwnRecord(c: Ctx, store: Store, auth: AuthRecord): Promise<string> {
  const { collection, values } = auth
  const request = c.env.incoming
  const info = request.describe(auth, {}, 'default', request.makeMeter(auth))
  return answerRecord(store, collection, toRow(collection, values), info)
}
