import { parseDate } from '../../fields/date.ts'
import { COMMON_KEYS, FIELD_KEYS, type Field, type FieldTypeName } from '../../fields/field.ts'
import { writeSorted } from '../../fields/json-text.ts'
import {
  asObject,
  flag,
  list,
  object,
  optionalText,
  type Shape,
  ShapeError,
  shape,
  text,
  texts,
} from '../../fields/shape.ts'
import { checksum, randomId } from '../../tools/random.ts'
import { AUTH_KEYS, TOKENS } from '../auth-shape.ts'
import type { AuthCollection, Collection, CollectionType } from '../catalog.ts'
import { indexText, parseIndex, uniqueIndexOf } from '../sqlite/index-expression.ts'

/** Shape of a date in any form that PocketBase reads. Any other text becomes ''. */
const date = shape<string>(
  () => '',
  (raw) => parseDate(text.over(raw ?? '', '')),
)

const OWN: Partial<Record<FieldTypeName, object>> = { date: { max: date, min: date } }

type AnyField = Record<string, unknown>
const FIELD_SHAPES = new Map(
  Object.entries(FIELD_KEYS).map(([type, keys]) => {
    const common = type === 'autodate' ? COMMON_KEYS : { ...COMMON_KEYS, help: text, required: flag }
    const all = { ...common, ...keys, ...OWN[type as FieldTypeName] }
    return [type, object(all as object as Record<string, Shape<unknown>>) as Shape<AnyField>] as const
  }),
)

const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)

/** Reads a field from JSON, with all keys of its type in PocketBase's order. Throws a ShapeError. */
export function readField(raw: unknown): Field {
  const { type } = asObject(raw)
  const own = FIELD_SHAPES.get(String(type))
  if (!own) throw new ShapeError(`missing or unknown field type in ${writeSorted(raw)}`)
  const read = { ...own.over(raw, own.zero()), type }
  return Object.fromEntries(Object.entries(read).sort(byKey)) as unknown as Field
}

const FIELD = shape<Field>(() => ({}) as Field, readField)

const fieldList = shape<Field[]>(
  () => [],
  (raw) => list(FIELD).over(raw, []).reduce<Field[]>(addField, []),
)

/** Returns `base` or, if that is taken, `base` with the first free number from 2 to 999. */
function freeId(base: string, taken: ReadonlySet<string>): string {
  let id = base
  for (let i = 2; taken.has(id) && i < 1000; i++) id = base + i
  return id
}

const newId = (fields: readonly Field[], { type, name }: Field): string =>
  freeId(type + checksum(name), new Set(fields.map(({ id }) => id)))

/**
 * Replaces the field with the same id or, if `field` has no id, with the same name. Appends `field` if it
 * replaces none. PocketBase: core/fields_list.go
 */
export function addField(fields: readonly Field[], field: Field): Field[] {
  const place = field.id
    ? fields.findIndex((other) => other.id === field.id)
    : fields.findIndex((other) => field.name !== '' && other.name === field.name)
  if (place < 0) return [...fields, field.id ? field : { ...field, id: newId(fields, field) }]
  return fields.with(place, { ...field, id: fields[place]!.id })
}

const ID_PATTERN = '^[a-z0-9]+$'
const MAX_INDEX_NAME = 64

interface SystemField {
  readonly fresh: Record<string, unknown>
  readonly forced: object
}

const systemField = (fresh: object, forced: object = {}): SystemField => ({
  fresh: { system: true, ...fresh },
  forced: { system: true, ...forced },
})

const HIDDEN = { hidden: true, required: true }
const KEY = { primaryKey: true, required: true }

const ID = systemField(
  {
    ...{ ...KEY, name: 'id', type: 'text', min: 15, max: 15 },
    pattern: ID_PATTERN,
    autogeneratePattern: '[a-z0-9]{15}',
  },
  { ...KEY, hidden: false },
)

const TOKEN_KEY = { name: 'tokenKey', type: 'text', min: 30, max: 60, autogeneratePattern: '[a-zA-Z0-9]{50}' }

/** System fields of an auth collection, in this order. PocketBase: core/collection_model.go */
const AUTH: readonly SystemField[] = [
  systemField({ ...HIDDEN, name: 'password', type: 'password', min: 8 }, HIDDEN),
  systemField({ ...HIDDEN, ...TOKEN_KEY }, HIDDEN),
  systemField({ name: 'email', type: 'email', required: true }, { hidden: false }),
  systemField({ name: 'emailVisibility', type: 'bool' }),
  systemField({ name: 'verified', type: 'bool' }),
]

function withSystemField(fields: readonly Field[], { fresh, forced }: SystemField, first: boolean): Field[] {
  const place = fields.findIndex((field) => field.name === fresh.name && field.type === fresh.type)
  if (place >= 0) {
    const kept = { ...fields[place]!, ...forced } as Field
    const hasNoPattern = kept.type === 'text' && kept.primaryKey && !kept.pattern
    return fields.with(place, hasNoPattern ? { ...kept, pattern: ID_PATTERN } : kept)
  }
  const field = readField(fresh)
  return first ? [field, ...fields].reduce<Field[]>(addField, []) : addField(fields, field)
}

const firstFields = (): Field[] => addField([], readField(ID.fresh))

function completeFields({ type, fields }: Collection): Field[] {
  if (type !== 'base' && type !== 'auth') return fields
  const withId = withSystemField(fields, ID, true)
  if (type !== 'auth') return withId
  return AUTH.reduce((all, field) => withSystemField(all, field, false), withId)
}

const indexNameOf = (field: string, id: string) => `idx_${field}_${id}`.slice(0, MAX_INDEX_NAME)

/** Adds an auth collection's unique indexes on `tokenKey` and `email` if they are missing. */
function completeIndexes(collection: Collection, namedBy: string): string[] {
  const { name, type, indexes } = collection
  if (type !== 'auth') return indexes
  const required = [
    ['tokenKey', ''],
    ['email', " WHERE `email` != ''"],
  ] as const
  const missing = required.filter(([field]) => !uniqueIndexOf(indexes, field))
  const made = missing.map(
    ([field, where]) =>
      `CREATE UNIQUE INDEX \`${indexNameOf(field, namedBy)}\` ON \`${name}\` (\`${field}\`)${where}`,
  )
  return [...indexes, ...made]
}

function onOwnTable(index: string, table: string): string {
  const parsed = parseIndex(index)
  return parsed.table === table ? index : indexText({ ...parsed, table }) || index
}

function withoutLostMappings(collection: Collection): Collection {
  if (collection.type !== 'auth') return collection
  const names = new Set(collection.fields.map((field) => field.name))
  const { mappedFields } = collection.oauth2
  const kept = Object.fromEntries(
    Object.entries(mappedFields).map(([key, name]) => [key, names.has(name) ? name : '']),
  ) as typeof mappedFields
  return { ...collection, oauth2: { ...collection.oauth2, mappedFields: kept } }
}

export const idOf = ({ type, name }: Pick<Collection, 'type' | 'name'>) => `pbc_${checksum(type + name)}`

/**
 * Adds the id, the system fields and their indexes. A new id is not one of `takenIds`. Names of indexes
 * contain the id or, if given, `namedBy`. PocketBase: core/collection_model.go
 */
export function complete(
  collection: Collection,
  takenIds: ReadonlySet<string> = new Set(),
  namedBy?: string,
): Collection {
  const id = collection.id || freeId(idOf(collection), takenIds)
  const withFields = { ...collection, id, fields: completeFields(collection) } as Collection
  const indexes = completeIndexes(withFields, namedBy ?? id).map((index) =>
    onOwnTable(index, collection.name),
  )
  return withoutLostMappings({ ...withFields, indexes } as Collection)
}

const COLLECTION_KEYS = {
  id: text,
  listRule: optionalText,
  viewRule: optionalText,
  createRule: optionalText,
  updateRule: optionalText,
  deleteRule: optionalText,
  name: text,
  type: text,
  fields: fieldList,
  indexes: texts,
  created: date,
  updated: date,
  system: flag,
}

const asShape = (keys: object) => object(keys as Record<never, never>) as Shape<unknown> as Shape<Collection>

/** Keys of each collection type in PocketBase's order. An unknown type is read as base and refused later. */
const SHAPES: Record<CollectionType, Shape<Collection>> = {
  base: asShape(COLLECTION_KEYS),
  auth: asShape({ ...COLLECTION_KEYS, ...AUTH_KEYS }),
  view: asShape({ ...COLLECTION_KEYS, viewQuery: text }),
}
const shapeOf = (type: string) => (Object.hasOwn(SHAPES, type) ? SHAPES[type as CollectionType] : SHAPES.base)

/** Keys of all collection types. Even a key that the collection's type ignores must have a valid value. */
const EVERY = asShape({ ...COLLECTION_KEYS, ...AUTH_KEYS, viewQuery: text })

function lay(raw: unknown, shape: Shape<Collection>, under: Collection): Collection {
  EVERY.over(raw, EVERY.zero())
  return shape.over(raw, under)
}

const submittedType = (raw: unknown): string => text.over(asObject(raw).type ?? null, '')

/** Reads a stored collection, perhaps of an older release, and adds missing keys. */
export function readStored(data: string): Collection {
  const raw = JSON.parse(data)
  const shape = shapeOf(raw.type)
  return shape.over(raw, shape.zero())
}

/** Reads a new collection; its type is base if none is submitted. Throws a ShapeError. */
export function readNew(raw: unknown): Collection {
  const type = submittedType(raw) || 'base'
  const shape = shapeOf(type)
  const fresh = { ...shape.fresh(), ...(Object.hasOwn(SHAPES, type) ? {} : { fields: firstFields() }) }
  return { ...lay(raw, shape, fresh as Collection), type } as Collection
}

/** Merges submitted JSON into a collection. Missing keys keep their values. Throws a ShapeError. */
export function readOver(raw: unknown, old: Collection): Collection {
  const shape = shapeOf(submittedType(raw) || old.type)
  const laid = lay(raw, shape, { ...shape.zero(), ...old })
  return { ...laid, type: laid.type || 'base' } as Collection
}

function redacted(collection: AuthCollection) {
  const { oauth2 } = collection
  const providers = oauth2.providers.map(({ clientSecret: _, extra, ...shown }) => ({
    ...shown,
    extra: JSON.parse(writeSorted(extra)),
  }))
  const tokens = Object.fromEntries(TOKENS.map((key) => [key, { duration: collection[key].duration }]))
  return { ...collection, oauth2: { ...oauth2, providers }, ...tokens }
}

/** A collection as JSON for an answer: in PocketBase's key order, without secrets. Contract 7.5 */
export const collectionJson = (collection: Collection): string =>
  JSON.stringify(collection.type === 'auth' ? redacted(collection) : collection)

const TYPES = ['auth', 'base', 'view']

/** A new collection of each type as JSON, without name and id, as starting points for forms. */
export function scaffoldsJson(): string {
  const id = randomId(10) // the id becomes part of index names of auth collections
  const scaffold = (type: string) => collectionJson({ ...complete(readNew({ type, id })), id: '' })
  return `{${TYPES.map((type) => `"${type}":${scaffold(type)}`).join(',')}}`
}
