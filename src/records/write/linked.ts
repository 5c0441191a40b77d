import type { Catalog } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { OAUTH2_PROVIDERS } from '../../collections/definition/oauth2-providers.ts'
import { quote, tableName } from '../../collections/names.ts'
import { fieldError } from '../../errors.ts'
import { LINKED_COLLECTIONS } from '../auth/auth-links.ts'
import type { FieldErrors } from '../input/validate.ts'
import type { Values } from '../input/values.ts'
import type { Parameters } from '../parameters.ts'
import type { WriteCondition } from './write-condition.ts'

const NO_COLLECTION = fieldError('validation_invalid_collection_id', 'Missing or invalid collection')
const NOT_AUTH = fieldError('validation_invalid_collection_type', 'Invalid collection type - must be auth')

/**
 * Conditions on a record that names its owner by `collectionRef` and `recordRef`: the owner and its provider
 * exist. Only the first error; the collection's goes into `errors`. PocketBase: core/auth_origin_model.go,
 * recordRefHooks; core/external_auth_model.go
 */
export function linkConditions(
  catalog: Catalog,
  collection: Collection,
  { collectionRef, recordRef, provider }: Readonly<Values>,
  errors: FieldErrors,
): WriteCondition[] {
  if (!(LINKED_COLLECTIONS as readonly string[]).includes(collection.name)) return []
  const owner = catalog.find(String(collectionRef))
  if (!owner || owner.id !== collectionRef || owner.type !== 'auth') {
    errors.collectionRef = owner?.id === collectionRef ? NOT_AUTH : NO_COLLECTION
    return []
  }
  const exists = (parameters: Parameters) =>
    `exists (select 1 from ${quote(tableName(owner))} r where r.id = ${parameters.add(recordRef)})`
  const missing = fieldError('validation_invalid_record', 'Missing or invalid record')
  const hasOwner: WriteCondition = { field: 'recordRef', error: missing, sql: exists, late: true }
  if (collection.name !== '_externalAuths' || isProvider(String(provider))) return [hasOwner]
  const unknown = fieldError('validation_in_invalid', 'Must be a valid value')
  // Fails where the other condition holds, so that there is one error.
  const noProvider = (parameters: Parameters) => `not ${exists(parameters)}`
  return [hasOwner, { field: 'provider', error: unknown, sql: noProvider, late: true }]
}

const isProvider = (name: string) => OAUTH2_PROVIDERS.some(([known]) => known === name)
