import { makeRandomId } from '../../../platform/tools/random.ts'
import { writeSortedJson } from '../../fields/json-text.ts'
import { TOKENS } from '../auth-shape.ts'
import type { AuthCollection, Collection } from '../collection.ts'
import { completeCollection } from './complete-collection.ts'
import { parseNewCollection } from './read-collection.ts'

function redactSecrets(collection: AuthCollection) {
  const { oauth2 } = collection
  const providers = oauth2.providers.map(({ clientSecret: _, extra, ...shown }) => ({
    ...shown,
    extra: JSON.parse(writeSortedJson(extra)),
  }))
  const tokens = Object.fromEntries(
    TOKENS.map((key) => [key, { duration: collection[key].duration }]),
  )
  return { ...collection, oauth2: { ...oauth2, providers }, ...tokens }
}

/** A collection as JSON for an answer: in PocketBase's key order, without secrets. Contract 7.5 */
export const renderCollection = (collection: Collection): string =>
  JSON.stringify(collection.type === 'auth' ? redactSecrets(collection) : collection)

const TYPES = ['auth', 'base', 'view']

/** A new collection of each type as JSON, without name and id, as starting points for forms. */
export function renderScaffolds(): string {
  const id = makeRandomId(10) // the id becomes part of index names of auth collections
  const scaffold = (type: string) =>
    renderCollection({ ...completeCollection(parseNewCollection({ type, id })), id: '' })
  return `{${TYPES.map((type) => `"${type}":${scaffold(type)}`).join(',')}}`
}
