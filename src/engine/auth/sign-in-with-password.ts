import { badRequest, forbidden } from '../../platform/api-errors.ts'
import { makeGuestHolder } from '../../platform/limits/limit-holder.ts'
import type { Store } from '../collections/catalog.ts'
import type { AuthCollection } from '../collections/collection.ts'
import { verifyPassword } from '../fields/bcrypt.ts'
import { isEmail } from '../fields/email.ts'
import { makeObjectShape, text, type ValueOf } from '../fields/json-shapes.ts'
import { checkAllowed, checkFields, checkLength, checkRequired } from '../fields/value-checks.ts'
import type { AuthRecord } from '../request/request.ts'
import { type AuthCall, makeAuthAttempt } from './auth-services.ts'
import { findByIdentity } from './find-auth-record.ts'
import { findPasswordField, verifyDecoy } from './password-check.ts'
import { limitSignInAttempts } from './sign-in-limits.ts'

export const PASSWORD_FORM = makeObjectShape({
  identity: text,
  password: text,
  identityField: text,
})
type PasswordForm = ValueOf<typeof PASSWORD_FORM>

/**
 * Returns the record with this identity and password. Throws 403, 429, and 400, which has the same text and
 * timing for unknown identities and wrong passwords. PocketBase: apis/record_auth_with_password.go
 */
export async function authWithPassword(call: AuthCall<PasswordForm>): Promise<AuthRecord> {
  const { store, collection, ip } = call
  const { enabled, identityFields } = collection.passwordAuth
  if (!enabled)
    throw forbidden('The collection is not configured to allow password authentication.')
  const form = await call.readForm()
  checkFields(form, {
    identity: [checkRequired, checkLength(1, 255)],
    password: [checkRequired, checkLength(1, 255)],
    identityField: [checkLength(1, 255), checkAllowed(identityFields)],
  })
  const fields = form.identityField ? [form.identityField] : sortEmailFirst(identityFields)
  return limitSignInAttempts(makeAuthAttempt(call, form.identity), async () => {
    const holder = makeGuestHolder(ip)
    const auth = await findByAnyIdentity(store, collection, fields, form.identity)
    const isRight = auth
      ? await verifyPassword(form.password, String(auth.values.password), holder)
      : await verifyDecoy(form.password, findPasswordField(collection)?.cost ?? 0, holder)
    if (!auth || !isRight) throw badRequest('Failed to authenticate.')
    return auth
  })
}

const sortEmailFirst = (fields: readonly string[]) =>
  [...fields].sort((a, b) => Number(b === 'email') - Number(a === 'email'))

async function findByAnyIdentity(
  store: Store,
  collection: AuthCollection,
  fields: readonly string[],
  identity: string,
): Promise<AuthRecord | null> {
  for (const field of fields) {
    if (field === 'email' && !isEmail(identity)) continue
    const auth = await findByIdentity(store, collection, field, identity)
    if (auth) return auth
  }
  return null
}
