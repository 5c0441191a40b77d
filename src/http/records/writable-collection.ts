import type { Catalog, Collection } from '../../collections/catalog.ts'
import { badRequest, notFound } from '../../errors.ts'

/** A collection with writable records. Throws 404 with `missing`, 400 for a view. */
export function writableCollection(
  catalog: Catalog,
  nameOrId: string,
  missing = 'Missing collection context',
): Collection {
  const collection = catalog.find(nameOrId)
  if (!collection) throw notFound(missing)
  if (collection.type === 'view') throw badRequest('Unsupported collection type')
  return collection
}
