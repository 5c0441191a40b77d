import { badRequest } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import type { Store } from '../collections/catalog.ts'
import { type AuthCollection, SUPERUSERS } from '../collections/collection.ts'
import { hashPassword } from '../fields/bcrypt.ts'
import { formatNow } from '../fields/parse-date.ts'
import { validateDraft } from '../records/check-write.ts'
import type { Extensions } from '../records/collection-extension.ts'
import { isEmptyObject } from '../records/explain-rejection.ts'
import type { Values } from '../records/record-row.ts'
import { revokeFormerAccess } from '../records/revoke-access.ts'
import { deleteInvalidSignIns, rotateTokenKey } from '../records/revoke-sign-ins.ts'
import { toUniqueError, updateRow } from '../records/store-record.ts'
import type { AuthRecord } from '../request/request.ts'
import { findAuthRecord } from './find-auth-record.ts'
import { findPasswordField } from './password-check.ts'

/** Length of a password made by the server. The field's password rules do not apply to it. */
const RANDOM_LENGTH = 30

export interface AuthChange {
  readonly email?: string
  readonly verified?: boolean
  readonly password?: string
  readonly withoutPassword?: boolean
  readonly endsTokens?: boolean
}

export type InSameTransaction = (db: Db, auth: AuthRecord) => Promise<void>

/**
 * Changes an auth record without API rules. A new password or email invalidates its tokens. A takeover (see
 * `isTakenOver`) also deletes its API keys and the like. Throws 400 for invalid values, and if the record was
 * changed meanwhile. PocketBase: core/record_model_auth.go
 */
export async function changeAuthRecord(
  store: Store,
  extensions: Extensions,
  auth: AuthRecord,
  change: AuthChange,
  failure: string,
  also?: InSameTransaction,
): Promise<AuthRecord> {
  const collection = auth.collection as AuthCollection
  const { password: given, withoutPassword, endsTokens, ...fields } = change
  const values: Values = { ...auth.values, ...fields }
  const passwords: Record<string, string> = given === undefined ? {} : { password: given }
  const errors = validateDraft(collection, { values, passwords, old: auth.values })
  if (!isEmptyObject(errors)) throw badRequest(failure, errors)
  const time = formatNow()
  for (const field of collection.fields) {
    if (field.type === 'autodate' && field.onUpdate) values[field.name] = time
  }
  const password = withoutPassword ? makeRandomText(RANDOM_LENGTH) : given
  if (password !== undefined)
    values.password = await hashPassword(password, findPasswordField(collection)?.cost)
  if (password !== undefined || values.email !== auth.values.email || endsTokens)
    rotateTokenKey(collection, values)
  try {
    return await store.db.transaction(async (db) => {
      const inside = { db, catalog: store.catalog }
      await deleteInvalidSignIns(inside, collection, values, auth.values)
      const found = { old: auth.values, version: auth.version }
      if (!(await updateRow(inside, collection, values, found))) throw badRequest(failure)
      if (isTakenOver(values, auth.values))
        await revokeFormerAccess(inside, extensions, collection, auth.id)
      await also?.(db, auth)
      // read before the commit: a later change, such as another sign-out, must not lend its key to this one
      return (await findAuthRecord(inside, collection, auth.id)) ?? auth
    })
  } catch (error) {
    throw toUniqueError(collection, failure, error)
  }
}

/** Whether the email's owner takes over an unverified record: it becomes verified, with another password. */
const isTakenOver = (values: Readonly<Values>, old: Readonly<Values>) =>
  old.verified !== true && values.verified === true && values.password !== old.password

export function demandUsers(
  { name }: AuthCollection,
  otherwise = 'All superusers are verified by default.',
): void {
  if (name === SUPERUSERS) throw badRequest(otherwise)
}
