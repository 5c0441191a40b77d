import { notFound } from '../../platform/api-errors.ts'
import type { Store } from '../collections/catalog.ts'
import type { AuthCollection } from '../collections/collection.ts'
import { makeObjectShape, whole } from '../fields/json-shapes.ts'
import { checkFields, checkMinimum } from '../fields/value-checks.ts'
import type { AuthRecord } from '../request/request.ts'
import { findAuthRecord, requireEnabled } from './find-auth-record.ts'
import { signToken } from './tokens.ts'

export const IMPERSONATE_FORM = makeObjectShape({ duration: whole })

/**
 * Makes a token of a record for a superuser; it cannot be refreshed. PocketBase: record_auth_impersonate.go
 */
export async function impersonateRecord(
  store: Store,
  collection: AuthCollection,
  id: string,
  readForm: () => Promise<{ duration: number }>,
): Promise<{ auth: AuthRecord; token: string }> {
  const auth = await findAuthRecord(store, collection, id)
  if (!auth) throw notFound()
  requireEnabled(auth)
  const { duration } = await readForm()
  checkFields({ duration }, { duration: [checkMinimum(0)] })
  return { auth, token: await signToken(auth, 'auth', { refreshable: false, duration }) }
}
