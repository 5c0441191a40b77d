import type { Field } from '../../fields/field.ts'
import type { Collection } from '../collection.ts'
import { completeCollection } from './complete-collection.ts'
import { parseNewCollection } from './read-collection.ts'
import { addField, readField } from './read-field.ts'

const OWNER =
  "@request.auth.id != '' && recordRef = @request.auth.id && collectionRef = @request.auth.collectionId"

const makeTextField = (name: string, more: object = {}) => ({
  name,
  type: 'text',
  system: true,
  required: true,
  ...more,
})
const PASSWORD = {
  name: 'password',
  type: 'password',
  system: true,
  hidden: true,
  required: true,
  cost: 8,
}
const DATES = [
  { name: 'created', type: 'autodate', system: true, onCreate: true },
  { name: 'updated', type: 'autodate', system: true, onCreate: true, onUpdate: true },
]
/** Defines a collection of records about auth records. Each record is visible only to its auth record. */
const makeOwnedCollection = (
  name: string,
  fields: readonly object[],
  indexes: readonly string[],
  more: object = {},
) => ({
  type: 'base',
  system: true,
  listRule: OWNER,
  viewRule: OWNER,
  name,
  ...more,
  fields: [makeTextField('collectionRef'), makeTextField('recordRef'), ...fields],
  indexes: indexes.map((index) => `CREATE ${index}`),
})

/** System collections in PocketBase's order. PocketBase: migrations/1640988000_init.go */
const SYSTEM = [
  makeOwnedCollection(
    '_mfas',
    [makeTextField('method')],
    ['INDEX `idx_mfas_collectionRef_recordRef` ON `_mfas` (collectionRef,recordRef)'],
  ),
  makeOwnedCollection(
    '_otps',
    [PASSWORD, makeTextField('sentTo', { hidden: true, required: false })],
    ['INDEX `idx_otps_collectionRef_recordRef` ON `_otps` (collectionRef, recordRef)'],
  ),
  makeOwnedCollection(
    '_externalAuths',
    [makeTextField('provider'), makeTextField('providerId')],
    [
      'UNIQUE INDEX `idx_externalAuths_record_provider` ON `_externalAuths` (collectionRef, recordRef, provider)',
      'UNIQUE INDEX `idx_externalAuths_collection_provider` ON `_externalAuths` (collectionRef, provider, providerId)',
    ],
    { deleteRule: OWNER },
  ),
  makeOwnedCollection(
    '_authOrigins',
    [makeTextField('fingerprint')],
    [
      'UNIQUE INDEX `idx_authOrigins_unique_pairs` ON `_authOrigins` (collectionRef, recordRef, fingerprint)',
    ],
    { deleteRule: OWNER },
  ),
  { type: 'auth', system: true, name: '_superusers', authToken: { duration: 86_400 } },
]

export function makeSystemCollections(): Collection[] {
  return SYSTEM.map((raw) => {
    const collection = completeCollection(parseNewCollection(raw))
    return {
      ...collection,
      fields: DATES.map(readField).reduce<Field[]>(addField, collection.fields),
    }
  })
}
