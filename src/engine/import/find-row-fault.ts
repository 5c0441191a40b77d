import { ApiError } from '../../platform/api-errors.ts'
import type { Collection } from '../collections/collection.ts'
import type { Value } from '../fields/field.ts'
import { checkValue } from '../fields/field-types.ts'
import type { Extensions } from '../records/collection-extension.ts'

/**
 * Why the API would refuse a record's values, in the order of the collection's fields; undefined if it would
 * not. Does not look at passwords, which may be hashes.
 */
export function findRowFault(
  { id, fields }: Collection,
  row: readonly Value[],
  extensions: Extensions,
): string | undefined {
  for (const [i, field] of fields.entries()) {
    const fault = field.type === 'password' ? undefined : checkValue(field, row[i]!)
    if (fault) return `${field.name}: ${fault.message}`
  }
  try {
    extensions.get(id)?.check?.(Object.fromEntries(fields.map(({ name }, i) => [name, row[i]!])))
    return undefined
  } catch (error) {
    const [first] = error instanceof ApiError ? Object.entries(error.data) : []
    if (!first) throw error
    return `${first[0]}: ${String(first[1]?.message)}`
  }
}
