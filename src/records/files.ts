import type { Collection } from '../collections/collection.ts'
import { badRequest } from '../errors.ts'

/** Throws 400 for a file that is sent for a file field. What is sent for another field is ignored. */
export function refuseUploads(collection: Collection, names: Iterable<string> = []): void {
  const sent = new Set(names)
  const field = collection.fields.find(
    ({ type, name }) => type === 'file' && [name, `+${name}`, `${name}+`].some((key) => sent.has(key)),
  )
  if (field) throw badRequest(`Files cannot be uploaded yet (field ${field.name}).`)
}
