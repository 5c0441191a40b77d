import { ApiError, badRequest, GatewayError } from '../../platform/api-errors.ts'
import type { Store } from '../collections/catalog.ts'
import type { AuthCollection } from '../collections/collection.ts'
import { makeObjectShape, text, type ValueOf } from '../fields/json-shapes.ts'
import type { AuthRecord, RequestInfo } from '../request/request.ts'
import { satisfiesAuthRule } from './auth-rule.ts'
import { findAuthRecord } from './find-auth-record.ts'
import { lockProofState, readProofState } from './proof-state.ts'
import { readFactor } from './second-factor.ts'
import { addSystemRecord, deleteSystemRecord, findSystemRecord } from './system-records.ts'

/**
 * `totp`: a code of an authenticator app, and `recovery`: a recovery code, are only ever the second method.
 * `passkey`: a second method, or the only one: an authenticator asks for a PIN, a finger or a face itself.
 */
export const SIGN_IN_METHODS = ['password', 'otp', 'oauth2', 'totp', 'recovery', 'passkey'] as const
export type Method = (typeof SIGN_IN_METHODS)[number]

export const MFA_FORM = makeObjectShape({ mfaId: text })
export type MfaForm = ValueOf<typeof MFA_FORM>

const FIELDS = ['collectionRef', 'recordRef', 'method'] as const

/** The first of two sign-in methods that `mfaId` names. Throws 400 for a wrong id. */
export async function findStartedSignIn(store: Store, auth: AuthRecord, mfaId: string) {
  const { mfa } = auth.collection as AuthCollection
  const found = await findSystemRecord(store, '_mfas', mfaId, FIELDS)
  if (!found || found.ageSeconds > mfa.duration) {
    if (found) await deleteSystemRecord(store, '_mfas', mfaId)
    throw badRequest('Invalid or expired MFA session.')
  }
  if (found.recordRef !== auth.id || found.collectionRef !== auth.collection.id)
    throw badRequest('Invalid MFA session.')
  return found
}

/** The person who began a sign-in by another method. Throws 400 for a wrong or expired `mfaId`. */
export async function findStartingPerson(
  store: Store,
  collection: AuthCollection,
  mfaId: string,
): Promise<AuthRecord> {
  const found = await findSystemRecord(store, '_mfas', mfaId, ['collectionRef', 'recordRef'])
  const isOurs = found?.collectionRef === collection.id
  const auth = isOurs ? await findAuthRecord(store, collection, found.recordRef) : null
  if (!auth) throw badRequest('Invalid or expired MFA session.')
  await findStartedSignIn(store, auth, mfaId)
  return auth
}

/**
 * After the first of two required sign-in methods, throws 401 with an `mfaId`. The request for the second
 * must contain this id and uses it up. Throws 400 for a wrong id. A person with a second factor of their own
 * needs it, whatever the collection requires. `onStart` runs before the 401, with its `mfaId`. Returns the
 * `mfaId` that was used up, else ''. PocketBase: apis/record_helpers.go, checkMFA
 */
export async function checkMfa(
  store: Store,
  auth: AuthRecord,
  method: Exclude<Method, 'totp' | 'recovery'>,
  request: RequestInfo,
  readForm: () => Promise<MfaForm>,
  onStart?: (mfaId: string) => Promise<void>,
): Promise<string> {
  const { mfa } = auth.collection as AuthCollection
  const { since, hasApp, hasPasskey } = await readFactor(store.db, auth)
  const hasOwn = since !== ''
  const isWanted =
    hasOwn ||
    (mfa.enabled &&
      (await satisfiesAuthRule(store, auth, mfa.rule, request).catch((cause) => {
        throw Object.assign(badRequest('Failed to authenticate.'), { cause })
      })))
  if (!isWanted) return ''
  const read = () =>
    readForm().catch((error) => {
      throw error instanceof ApiError ? badRequest('Failed to read MFA Id') : error
    })
  const mfaId = request.query.mfaId || (await read()).mfaId
  if (mfaId === '' && method === 'passkey') return ''
  if (mfaId === '') {
    const started = await startSignIn(store, auth, method)
    await onStart?.(started)
    const own = hasApp ? 'totp' : 'passkey'
    const more = hasApp && hasPasskey && { passkey: true }
    throw new GatewayError(401, { mfaId: started, ...(hasOwn && { method: own }), ...more })
  }
  const found = await findStartedSignIn(store, auth, mfaId)
  if (found.method === method) throw badRequest('A different authentication method is required.')
  if (hasOwn && method !== 'passkey')
    throw badRequest('A code of your authenticator app, or a passkey, is required.')
  // deleting the row uses up the id, so two concurrent requests cannot both use it
  if (!(await deleteSystemRecord(store, '_mfas', mfaId)))
    throw badRequest('Invalid or expired MFA session.')
  return mfaId
}

/**
 * Notes the first of two methods, and returns the id of the note. Throws 400 if anything by which the person
 * signs in has changed since the proof: that change has ended all sign-ins that waited.
 */
const startSignIn = ({ db, catalog }: Store, auth: AuthRecord, method: Method): Promise<string> =>
  db.transaction(async (inside) => {
    const store = { db: inside, catalog }
    if ((await lockProofState(store, auth)) !== (await readProofState(inside, auth)))
      throw badRequest('Failed to authenticate.')
    return addSystemRecord(store, '_mfas', auth, { method })
  })
