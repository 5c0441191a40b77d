import type { Collection } from '../../collections/collection.ts'
import { violatedFields } from '../../collections/table/indexes.ts'
import { isSqlError, UNIQUE_VIOLATION } from '../../db/errors.ts'
import { badRequest, fieldError } from '../../errors.ts'

/** `message` with an error per field of the violated unique index; other errors stay as they are. */
export function uniqueViolationError(collection: Collection, message: string, error: unknown): unknown {
  if (!isSqlError(error)) return error
  if (error.code !== UNIQUE_VIOLATION || error.constraint === undefined) return badRequest(message)
  const fields = violatedFields(collection, error.constraint).toSorted()
  const taken = fieldError('validation_not_unique', 'Value must be unique')
  return badRequest(message, Object.fromEntries(fields.map((field) => [field, taken])))
}
