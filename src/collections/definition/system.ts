import type { Field } from '../../fields/field.ts'
import type { Collection } from '../catalog.ts'
import { complete, readNew } from './complete.ts'
import { addField, readField } from './field-shapes.ts'

const OWNER =
  "@request.auth.id != '' && recordRef = @request.auth.id && collectionRef = @request.auth.collectionId"

const text = (name: string, more: object = {}) => ({
  name,
  type: 'text',
  system: true,
  required: true,
  ...more,
})
const DATES = [
  { name: 'created', type: 'autodate', system: true, onCreate: true },
  { name: 'updated', type: 'autodate', system: true, onCreate: true, onUpdate: true },
]
const owned = { type: 'base', system: true, listRule: OWNER, viewRule: OWNER }
const reference = [text('collectionRef'), text('recordRef')]

/** System collections in PocketBase's order. PocketBase: migrations/1640988000_init.go */
const SYSTEM = [
  {
    ...owned,
    name: '_mfas',
    fields: [...reference, text('method')],
    indexes: ['CREATE INDEX `idx_mfas_collectionRef_recordRef` ON `_mfas` (collectionRef,recordRef)'],
  },
  {
    ...owned,
    name: '_otps',
    fields: [
      ...reference,
      { name: 'password', type: 'password', system: true, hidden: true, required: true, cost: 8 },
      text('sentTo', { hidden: true, required: false }),
    ],
    indexes: ['CREATE INDEX `idx_otps_collectionRef_recordRef` ON `_otps` (collectionRef, recordRef)'],
  },
  {
    ...owned,
    name: '_externalAuths',
    deleteRule: OWNER,
    fields: [...reference, text('provider'), text('providerId')],
    indexes: [
      'CREATE UNIQUE INDEX `idx_externalAuths_record_provider` ON `_externalAuths` (collectionRef, recordRef, provider)',
      'CREATE UNIQUE INDEX `idx_externalAuths_collection_provider` ON `_externalAuths` (collectionRef, provider, providerId)',
    ],
  },
  {
    ...owned,
    name: '_authOrigins',
    deleteRule: OWNER,
    fields: [...reference, text('fingerprint')],
    indexes: [
      'CREATE UNIQUE INDEX `idx_authOrigins_unique_pairs` ON `_authOrigins` (collectionRef, recordRef, fingerprint)',
    ],
  },
  { type: 'auth', system: true, name: '_superusers', authToken: { duration: 86_400 } },
]

export function systemCollections(): Collection[] {
  return SYSTEM.map((raw) => {
    const collection = complete(readNew(raw))
    return { ...collection, fields: DATES.map(readField).reduce<Field[]>(addField, collection.fields) }
  })
}
