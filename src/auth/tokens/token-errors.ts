import type { AuthCollection } from '../../collections/collection.ts'
import { type FieldError, fieldError } from '../../errors.ts'
import type { AuthRecord } from '../../request/request.ts'

/** The error of a mailed token by its owner; undefined if the token is valid. */
export function ownerError(collection: AuthCollection, auth: AuthRecord | null): FieldError | undefined {
  if (!auth) return fieldError('validation_invalid_token', 'Invalid or expired token.')
  if (auth.collection.id === collection.id) return undefined
  const message = 'The provided token is for different auth collection.'
  return fieldError('validation_token_collection_mismatch', message)
}
