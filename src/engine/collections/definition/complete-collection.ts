import { computeChecksum } from '../../../platform/tools/random.ts'
import type { Field } from '../../fields/field.ts'
import type { Collection } from '../collection.ts'
import { findUniqueIndex, parseIndex, writeIndex } from '../index-definition.ts'
import { addField, chooseFreeId, readField } from './read-field.ts'

const ID_PATTERN = '^[a-z0-9]+$'
const MAX_INDEX_NAME = 64

interface SystemField {
  readonly fresh: Record<string, unknown>
  readonly forced: object
}

const makeSystemField = (fresh: object, forced: object = {}): SystemField => ({
  fresh: { system: true, ...fresh },
  forced: { system: true, ...forced },
})

const HIDDEN = { hidden: true, required: true }
const KEY = { primaryKey: true, required: true }

const ID = makeSystemField(
  {
    ...KEY,
    name: 'id',
    type: 'text',
    min: 15,
    max: 15,
    pattern: ID_PATTERN,
    autogeneratePattern: '[a-z0-9]{15}',
  },
  { ...KEY, hidden: false },
)

const TOKEN_KEY = {
  name: 'tokenKey',
  type: 'text',
  min: 30,
  max: 60,
  autogeneratePattern: '[a-zA-Z0-9]{50}',
}

/** System fields of an auth collection, in this order. PocketBase: core/collection_model.go */
const AUTH: readonly SystemField[] = [
  makeSystemField({ ...HIDDEN, name: 'password', type: 'password', min: 8 }, HIDDEN),
  makeSystemField({ ...HIDDEN, ...TOKEN_KEY }, HIDDEN),
  makeSystemField({ name: 'email', type: 'email', required: true }, { hidden: false }),
  makeSystemField({ name: 'emailVisibility', type: 'bool' }),
  makeSystemField({ name: 'verified', type: 'bool' }),
]

function ensureSystemField(
  fields: readonly Field[],
  { fresh, forced }: SystemField,
  first: boolean,
): Field[] {
  const place = fields.findIndex((field) => field.name === fresh.name && field.type === fresh.type)
  if (place >= 0) {
    const kept = { ...fields[place]!, ...forced } as Field
    const hasNoPattern = kept.type === 'text' && kept.primaryKey && !kept.pattern
    return fields.with(place, hasNoPattern ? { ...kept, pattern: ID_PATTERN } : kept)
  }
  const field = readField(fresh)
  return first ? [field, ...fields].reduce<Field[]>(addField, []) : addField(fields, field)
}

export const makeFirstFields = (): Field[] => addField([], readField(ID.fresh))

function completeFields({ type, fields }: Collection): Field[] {
  if (type !== 'base' && type !== 'auth') return fields
  const withId = ensureSystemField(fields, ID, true)
  if (type !== 'auth') return withId
  return AUTH.reduce((all, field) => ensureSystemField(all, field, false), withId)
}

/** Adds an auth collection's unique indexes on `tokenKey` and `email` if they are missing. */
function completeIndexes(collection: Collection, namedBy: string): string[] {
  const { name, type, indexes } = collection
  if (type !== 'auth') return indexes
  const required = [
    ['tokenKey', ''],
    ['email', " WHERE `email` != ''"],
  ] as const
  const missing = required.filter(([field]) => !findUniqueIndex(indexes, field))
  const made = missing.map(
    ([field, where]) =>
      `CREATE UNIQUE INDEX \`${`idx_${field}_${namedBy}`.slice(0, MAX_INDEX_NAME)}\` ON \`${name}\` (\`${field}\`)${where}`,
  )
  return [...indexes, ...made]
}

function moveIndexToTable(index: string, table: string): string {
  const parsed = parseIndex(index)
  return parsed.table === table ? index : writeIndex({ ...parsed, table }) || index
}

function dropLostMappings(collection: Collection): Collection {
  if (collection.type !== 'auth') return collection
  const names = new Set(collection.fields.map((field) => field.name))
  const { mappedFields } = collection.oauth2
  const kept = Object.fromEntries(
    Object.entries(mappedFields).map(([key, name]) => [key, names.has(name) ? name : '']),
  ) as typeof mappedFields
  return { ...collection, oauth2: { ...collection.oauth2, mappedFields: kept } }
}

export const makeCollectionId = ({ type, name }: Pick<Collection, 'type' | 'name'>) =>
  `pbc_${computeChecksum(type + name)}`

/**
 * Adds the id, the system fields and their indexes. A new id is not one of `takenIds`. Names of indexes
 * contain the id or, if given, `namedBy`. PocketBase: core/collection_model.go
 */
export function completeCollection(
  collection: Collection,
  takenIds: ReadonlySet<string> = new Set(),
  namedBy?: string,
): Collection {
  const id = collection.id || chooseFreeId(makeCollectionId(collection), takenIds)
  const withFields = { ...collection, id, fields: completeFields(collection) } as Collection
  const indexes = completeIndexes(withFields, namedBy ?? id).map((index) =>
    moveIndexToTable(index, collection.name),
  )
  return dropLostMappings({ ...withFields, indexes } as Collection)
}
