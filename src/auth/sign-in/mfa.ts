import type { AuthCollection, Store } from '../../collections/catalog.ts'
import { ApiError, badRequest, GatewayError } from '../../errors.ts'
import { object, text, type ValueOf } from '../../fields/shape.ts'
import { byId, selectRows } from '../../records/read-rows.ts'
import type { AuthRecord, RequestInfo } from '../../request/request.ts'
import { addSystemRecord, deleteSystemRecord, findSystemRecord, isOlder } from '../system-records.ts'

export type Method = 'password' | 'otp' | 'oauth2'

export const MFA_FORM = object({ mfaId: text })
export type MfaForm = ValueOf<typeof MFA_FORM>

const FIELDS = ['collectionRef', 'recordRef', 'method', 'created'] as const

/**
 * Throws 401 with an `mfaId` after the first of two methods; the second uses it up. Throws 400 for a wrong
 * id. PocketBase: apis/record_helpers.go, checkMFA
 */
export async function checkMfa(
  store: Store,
  auth: AuthRecord,
  method: Method,
  request: RequestInfo,
  readForm: () => Promise<MfaForm>,
): Promise<void> {
  const { mfa } = auth.collection as AuthCollection
  if (!mfa.enabled || !(await wantsMfa(store, auth, mfa.rule, request))) return
  const mfaId = request.query.mfaId || (await readId(readForm))
  if (mfaId === '')
    throw new GatewayError(401, { mfaId: await addSystemRecord(store, '_mfas', auth, { method }) })
  const found = await findSystemRecord(store, '_mfas', mfaId, FIELDS)
  if (!found || isOlder(found.created, mfa.duration)) {
    if (found) await deleteSystemRecord(store, '_mfas', mfaId)
    throw badRequest('Invalid or expired MFA session.')
  }
  if (found.recordRef !== auth.id || found.collectionRef !== auth.collection.id)
    throw badRequest('Invalid MFA session.')
  if (found.method === method) throw badRequest('A different authentication method is required.')
  // Deleting the row uses up the id, so two concurrent requests cannot both use it.
  if (!(await deleteSystemRecord(store, '_mfas', mfaId))) throw badRequest('Invalid or expired MFA session.')
}

async function readId(readForm: () => Promise<MfaForm>): Promise<string> {
  try {
    return (await readForm()).mfaId
  } catch (error) {
    throw error instanceof ApiError ? badRequest('Failed to read MFA Id') : error
  }
}

async function wantsMfa(store: Store, auth: AuthRecord, rule: string, request: RequestInfo) {
  try {
    return await satisfies(store, auth, rule, request)
  } catch (error) {
    throw Object.assign(badRequest('Failed to authenticate.'), { cause: error })
  }
}

/** Whether an auth record matches a rule of its collection for this request. Throws FilterError. */
export async function satisfies(store: Store, auth: AuthRecord, rule: string, request: RequestInfo) {
  if (rule === '') return true
  const { collection, id } = auth
  return (await selectRows(store, { collection, rule, request, ...byId(id) })).length > 0
}
