import type { Store } from '../collections/catalog.ts'
import { demandFields, length, oneOf, required } from '../collections/checks.ts'
import type { AuthCollection } from '../collections/collection.ts'
import { object, text } from '../collections/decode.ts'
import { badRequest, forbidden } from '../errors.ts'
import { isEmail } from '../fields/address.ts'
import { verifyPassword } from '../fields/bcrypt.ts'
import type { AuthRecord } from '../filter/request.ts'
import { networkOf } from './addresses.ts'
import { attempt } from './attempts.ts'
import { findByIdentity } from './auth-rows.ts'
import type { Desk } from './desk.ts'
import { passwordField, verifyNothing } from './secrets.ts'

/** What a client submits to sign in with a password. */
export const PASSWORD_FORM = object<{ identity: string; password: string; identityField: string }>({
  identity: text,
  password: text,
  identityField: text,
})

/**
 * The record whose identity and password were submitted. Throws 403 where the collection has no passwords, 400 for a
 * form with errors, and the same 400 for an unknown identity as for a wrong password, after the same time; 429 after too many.
 * PocketBase: apis/record_auth_with_password.go
 */
export async function authWithPassword(
  store: Store,
  desk: Desk,
  collection: AuthCollection,
  ip: string,
  readForm: () => Promise<{ identity: string; password: string; identityField: string }>,
): Promise<AuthRecord> {
  const { enabled, identityFields } = collection.passwordAuth
  if (!enabled) throw forbidden('The collection is not configured to allow password authentication.')
  const form = await readForm()
  demandFields(form, {
    identity: [required, length(1, 255)],
    password: [required, length(1, 255)],
    identityField: [length(1, 255), oneOf(identityFields)],
  })
  const fields = form.identityField ? [form.identityField] : emailFirst(identityFields)
  const tried = { db: store.db, config: desk.config, collection: collection.id, account: form.identity, ip }
  return attempt(tried, (isKnown) =>
    checkPassword(store, collection, fields, form, { id: networkOf(ip), isKnown }),
  )
}

async function checkPassword(
  store: Store,
  collection: AuthCollection,
  fields: readonly string[],
  form: { readonly identity: string; readonly password: string },
  holder: { readonly id: string; readonly isKnown: boolean },
): Promise<AuthRecord> {
  const auth = await findAny(store, collection, fields, form.identity)
  const isRight = auth
    ? await verifyPassword(form.password, String(auth.values.password), holder.id, holder.isKnown)
    : await verifyNothing(form.password, passwordField(collection)?.cost ?? 0, holder.id, holder.isKnown)
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
