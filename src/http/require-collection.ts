import type { Catalog } from '../engine/collections/catalog.ts'
import type { Collection } from '../engine/collections/collection.ts'
import { badRequest, notFound } from '../platform/api-errors.ts'

/** Finds a collection by name or id. Throws 404 with the message `missing`. */
export function requireCollection(
  catalog: Catalog,
  nameOrId: string,
  missing = 'Missing collection context',
): Collection {
  const collection = catalog.find(nameOrId)
  if (!collection) throw notFound(missing)
  return collection
}

/** Finds a collection whose records can be written. Throws 404 with the message `missing`, 400 for a view. */
export function requireWritableCollection(
  catalog: Catalog,
  nameOrId: string,
  missing?: string,
): Collection {
  const collection = requireCollection(catalog, nameOrId, missing)
  if (collection.type === 'view') throw badRequest('Unsupported collection type')
  return collection
}
