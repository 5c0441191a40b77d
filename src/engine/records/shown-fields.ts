import type { Collection } from '../collections/collection.ts'
import type { Field } from '../fields/field.ts'

const SECRET: ReadonlySet<string> = new Set(['password', 'tokenKey'])

/** False for secrets of auth records (`password`, `tokenKey`), which no answer contains. */
export const canBeShown = (collection: Collection, { name }: Pick<Field, 'name'>): boolean =>
  collection.type !== 'auth' || !SECRET.has(name)

export function isShown(
  collection: Collection,
  field: Field,
  hidden: boolean,
  email: boolean,
): boolean {
  if (field.hidden && !hidden) return false
  if (!canBeShown(collection, field)) return false
  return collection.type !== 'auth' || field.name !== 'email' || email
}
