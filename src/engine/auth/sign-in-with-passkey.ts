import { badRequest, forbidden } from '../../platform/api-errors.ts'
import { type AuthCall, makeAuthAttempt } from './auth-services.ts'
import { findStartingPerson } from './check-mfa.ts'
import { findAuthRecord } from './find-auth-record.ts'
import type { Proven } from './one-time-passwords.ts'
import { requireSignature } from './passkeys.ts'
import { limitSignInAttempts } from './sign-in-limits.ts'
import { type AuthenticationResponseJSON, requirePasskeySite } from './webauthn.ts'

interface PasskeyForm {
  readonly credential: AuthenticationResponseJSON
  /** The `mfaId` of the method before; '' for a sign-in by the passkey alone. */
  readonly mfaId: string
}

/** Returns the record whose passkey signed. Throws 400, 403 if the collection has no passwords, 429. */
export async function authWithPasskey(call: AuthCall<PasskeyForm>): Promise<Proven> {
  const { store, services, collection } = call
  if (!collection.passwordAuth.enabled)
    throw forbidden('The collection is not configured to allow passkeys.')
  const site = requirePasskeySite(services.config.publicUrl)
  const { credential, mfaId } = await call.readForm()
  return limitSignInAttempts(makeAuthAttempt(call, credential.id), async () => {
    const person = mfaId === '' ? undefined : await findStartingPerson(store, collection, mfaId)
    const purpose = person ? 'second' : 'alone'
    const owner = await requireSignature(store.db, site, credential, purpose, person)
    const isOurs = owner.collection === collection.id
    const auth = isOurs ? await findAuthRecord(store, collection, owner.record) : null
    if (!auth) throw badRequest('This passkey belongs to another kind of account.')
    return { auth, method: 'passkey' }
  })
}
