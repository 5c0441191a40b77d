import { guestHolder, type Holder } from '../../admission/holder.ts'
import type { AuthCollection, Store } from '../../collections/catalog.ts'
import { checkFields, length, oneOf, required } from '../../collections/checks.ts'
import { badRequest, forbidden } from '../../errors.ts'
import { isEmail } from '../../fields/address.ts'
import { verifyPassword } from '../../fields/bcrypt.ts'
import { object, text, type ValueOf } from '../../fields/shape.ts'
import type { AuthRecord } from '../../request/request.ts'
import { findByIdentity } from '../auth-rows.ts'
import { type AuthCall, attemptOf } from '../auth-services.ts'
import { limitSignInAttempts } from '../limits/attempt-limits.ts'
import { passwordField, verifyDecoy } from '../tokens/secrets.ts'

export const PASSWORD_FORM = object({ identity: text, password: text, identityField: text })
type PasswordForm = ValueOf<typeof PASSWORD_FORM>

/**
 * Returns the record of an identity and password. Throws 403, 429, and a 400 that is equal, also in time, for
 * unknown identities and wrong passwords. PocketBase: apis/record_auth_with_password.go
 */
export async function authWithPassword(call: AuthCall<PasswordForm>): Promise<AuthRecord> {
  const { store, collection, ip } = call
  const { enabled, identityFields } = collection.passwordAuth
  if (!enabled) throw forbidden('The collection is not configured to allow password authentication.')
  const form = await call.readForm()
  checkFields(form, {
    identity: [required, length(1, 255)],
    password: [required, length(1, 255)],
    identityField: [length(1, 255), oneOf(identityFields)],
  })
  const fields = form.identityField ? [form.identityField] : emailFirst(identityFields)
  return limitSignInAttempts(attemptOf(call, form.identity), () =>
    checkPassword(store, collection, fields, form, guestHolder(ip)),
  )
}

async function checkPassword(
  store: Store,
  collection: AuthCollection,
  fields: readonly string[],
  form: { readonly identity: string; readonly password: string },
  holder: Holder,
): Promise<AuthRecord> {
  const auth = await findAny(store, collection, fields, form.identity)
  const isRight = auth
    ? await verifyPassword(form.password, String(auth.values.password), holder)
    : await verifyDecoy(form.password, passwordField(collection)?.cost ?? 0, holder)
  if (!auth || !isRight) throw badRequest('Failed to authenticate.')
  return auth
}

const emailFirst = (fields: readonly string[]) =>
  [...fields].sort((a, b) => Number(b === 'email') - Number(a === 'email'))

async function findAny(
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
