import type { AuthCollection, Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { badRequest } from '../../errors.ts'
import { hashPassword } from '../../fields/bcrypt.ts'
import { now } from '../../fields/date.ts'
import { deleteInvalidLinks, rotateTokenKey } from '../../records/auth-records.ts'
import { isEmptyObject, validate } from '../../records/check-values.ts'
import { revokeFormerAccess } from '../../records/delete.ts'
import type { Extensions } from '../../records/extension.ts'
import type { Values } from '../../records/record-sql.ts'
import { uniqueViolationError, updateRow } from '../../records/store.ts'
import type { AuthRecord } from '../../request/request.ts'
import { randomText } from '../../tools/random.ts'
import { findAuthRecord } from '../auth-rows.ts'
import { passwordField } from '../tokens/secrets.ts'

/** Length of a random password, to which the collection's rules do not apply. */
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
 * Changes an auth record without rules. A new password or email ends its tokens; a takeover ends all access.
 * Throws 400 with field errors, without them after a concurrent change. PocketBase: core/record_model_auth.go
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
  const passwords: Record<string, string> = change.password === undefined ? {} : { password: change.password }
  const changed = { ...auth.values, ...plainPart(change) }
  const errors = validate(collection, { values: changed, passwords, old: auth.values })
  if (!isEmptyObject(errors)) throw badRequest(failure, errors)
  const values = await nextValues(collection, auth.values, change)
  try {
    await store.db.transaction(async (db) => {
      const inside = { db, catalog: store.catalog }
      await deleteInvalidLinks(inside, collection, values, auth.values)
      const found = { old: auth.values, version: auth.version }
      if (!(await updateRow(inside, collection, values, found))) throw badRequest(failure)
      if (isTakenOver(values, auth.values)) await revokeFormerAccess(inside, extensions, collection, auth.id)
      await also?.(db, auth)
    })
  } catch (error) {
    throw uniqueViolationError(collection, failure, error)
  }
  return (await findAuthRecord(store, collection, auth.id)) ?? auth
}

/** Whether a change is a takeover: the address becomes verified and the password is another one. */
const isTakenOver = (values: Readonly<Values>, old: Readonly<Values>) =>
  old.verified !== true && values.verified === true && values.password !== old.password

const plainPart = ({ email, verified }: AuthChange) => ({
  ...(email !== undefined && { email }),
  ...(verified !== undefined && { verified }),
})

async function nextValues(collection: AuthCollection, old: Readonly<Values>, change: AuthChange) {
  const values: Values = { ...old, ...plainPart(change) }
  const time = now()
  for (const field of collection.fields) {
    if (field.type === 'autodate' && field.onUpdate) values[field.name] = time
  }
  const password = change.withoutPassword ? randomText(RANDOM_LENGTH) : change.password
  if (password !== undefined) values.password = await hashPassword(password, passwordField(collection)?.cost)
  if (password !== undefined || values.email !== old.email || change.endsTokens)
    rotateTokenKey(collection, values)
  return values
}
