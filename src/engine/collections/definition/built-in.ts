import { fieldError, UserError } from '../../../platform/errors.ts'
import { isSelectField, SELECT_VALUES } from '../../../portable/select-values.ts'
import { type Field, isMulti } from '../../fields/field.ts'
import type { Problem } from '../checks.ts'
import type { Collection } from '../collection.ts'
import { columnName } from '../sql-names.ts'
import definitions from './builtin.json' with { type: 'json' }
import { complete } from './complete.ts'
import { readNew } from './read-collection.ts'
import { addField, readField } from './read-field.ts'

/** The built-in collections as JSON. Select fields whose values code lists get them here. */
export const BUILT_IN_DEFINITIONS = definitions.map((collection) => ({
  ...collection,
  fields: collection.fields.map((field) => {
    const name = `${collection.name}.${field.name}`
    return isSelectField(name) ? { ...field, values: [...SELECT_VALUES[name]] } : field
  }),
}))

/** The built-in collections, each time with new secrets. */
export const builtInCollections = (): Collection[] =>
  BUILT_IN_DEFINITIONS.map((raw) => complete(readNew(raw)))

/** Select values marked `"optionalValues"`, as `collection.field.value`. An installation may remove them. */
const OPTIONAL_VALUES: ReadonlySet<string> = new Set(
  BUILT_IN_DEFINITIONS.flatMap(({ id, fields }) =>
    fields.flatMap((field) =>
      'optionalValues' in field
        ? (field.optionalValues ?? []).map((value) => `${id}.${field.name}.${value}`)
        : [],
    ),
  ),
)

const withoutOptionalValues =
  (id: string) =>
  (field: Field): Field =>
    field.type === 'select'
      ? {
          ...field,
          values: field.values.filter((value) => !OPTIONAL_VALUES.has(`${id}.${field.name}.${value}`)),
        }
      : field

const NEEDED: ReadonlyMap<string, Collection> = new Map(
  builtInCollections().map((one) => [
    one.id,
    { ...one, fields: one.fields.map(withoutOptionalValues(one.id)) },
  ]),
)

/** Fields marked `"optional": true`, as `collection.field`. An installation may remove them. */
const OPTIONAL: ReadonlySet<string> = new Set(
  BUILT_IN_DEFINITIONS.flatMap(({ id, fields }) =>
    fields.filter((field) => 'optional' in field).map(({ name }) => `${id}.${name}`),
  ),
)

/** Whether an installation may remove a built-in field. Its column then stays in the table. */
export const isOptionalField = ({ id }: Pick<Collection, 'id'>, { name }: Pick<Field, 'name'>) =>
  OPTIONAL.has(`${id}.${name}`)

export const isNeededField = ({ id }: Pick<Collection, 'id'>, { name }: Pick<Field, 'name'>) =>
  NEEDED.get(id)?.fields.some((field) => field.name === name) === true

export const BUILT_IN_IDS: ReadonlySet<string> = new Set(NEEDED.keys())

export const isBuiltIn = ({ id }: Pick<Collection, 'id'>) => NEEDED.has(id)

function serves(needed: Field, field: Field | undefined): boolean {
  if (field?.type !== needed.type || isMulti(field) !== isMulti(needed)) return false
  if (needed.type === 'select' && field.type === 'select')
    return needed.values.every((value) => field.values.includes(value))
  return true
}

function withNeededValues(field: Field, needed: Field | undefined): Field {
  if (field.type !== 'select' || needed?.type !== 'select') return field
  return { ...field, values: [...new Set([...field.values, ...needed.values])] }
}

/**
 * Adds needed fields and select values; undefined if none is missing. Does not add an optional field whose
 * column exists: it was removed on purpose. Throws a UserError if a needed name has another type.
 */
export function withMissingFields(stored: Collection, columns: ReadonlySet<string>): Collection | undefined {
  const isLeftOut = (field: Field) =>
    isOptionalField(stored, field) &&
    columns.has(columnName(field.name)) &&
    !stored.fields.some(({ name }) => name === field.name)
  const needed = (NEEDED.get(stored.id)?.fields ?? []).filter((field) => !isLeftOut(field))
  const named = (fields: readonly Field[], name: string) => fields.find((field) => field.name === name)
  const missing = needed.filter(({ name }) => !named(stored.fields, name))
  const fields = stored.fields.map((field) => withNeededValues(field, named(needed, field.name)))
  const unfit = needed.find((field) => !missing.includes(field) && !serves(field, named(fields, field.name)))
  if (unfit) {
    throw new UserError(
      `The field "${unfit.name}" of the collection "${stored.name}" has the name of one that pocketsms needs for itself. Rename it, then start again.`,
    )
  }
  const hasAll =
    missing.length === 0 && stored.fields.every((field) => serves(named(needed, field.name) ?? field, field))
  return hasAll ? undefined : { ...stored, fields: [...fields, ...missing] }
}

function isRenamed({ name }: Field, old: Collection, next: Collection): boolean {
  const before = old.fields.find((field) => field.name === name)
  return before !== undefined && next.fields.some(({ id }) => id === before.id)
}

/** The first error of a change to a built-in collection. Fields that the server uses must stay. */
export function builtInProblem(next: Collection, old: Collection): { readonly [key: string]: Problem } {
  const needed = NEEDED.get(next.id)
  if (!needed) return {}
  const code = 'validation_built_in_collection'
  if (next.name !== needed.name)
    return { name: fieldError(code, `pocketsms needs the collection ${needed.name} under this name.`) }
  const lost = needed.fields.find((field) => {
    const present = next.fields.find(({ name }) => name === field.name)
    return present ? !serves(field, present) : !isOptionalField(next, field) || isRenamed(field, old, next)
  })
  if (!lost) return {}
  const text = `pocketsms needs the field ${lost.name} of ${needed.name}: it cannot be removed or renamed, hold other values than it does, or lose one of its options.`
  return { fields: fieldError(code, text) }
}

const OWNER =
  "@request.auth.id != '' && recordRef = @request.auth.id && collectionRef = @request.auth.collectionId"

const text = (name: string, more: object = {}) => ({
  name,
  type: 'text',
  system: true,
  required: true,
  ...more,
})
const PASSWORD = { name: 'password', type: 'password', system: true, hidden: true, required: true, cost: 8 }
const DATES = [
  { name: 'created', type: 'autodate', system: true, onCreate: true },
  { name: 'updated', type: 'autodate', system: true, onCreate: true, onUpdate: true },
]
/** Defines a collection of records about auth records. Each record is visible only to its auth record. */
const owned = (name: string, fields: readonly object[], indexes: readonly string[], more: object = {}) => ({
  ...{ type: 'base', system: true, listRule: OWNER, viewRule: OWNER, name, ...more },
  fields: [text('collectionRef'), text('recordRef'), ...fields],
  indexes: indexes.map((index) => `CREATE ${index}`),
})

/** System collections in PocketBase's order. PocketBase: migrations/1640988000_init.go */
const SYSTEM = [
  owned(
    '_mfas',
    [text('method')],
    ['INDEX `idx_mfas_collectionRef_recordRef` ON `_mfas` (collectionRef,recordRef)'],
  ),
  owned(
    '_otps',
    [PASSWORD, text('sentTo', { hidden: true, required: false })],
    ['INDEX `idx_otps_collectionRef_recordRef` ON `_otps` (collectionRef, recordRef)'],
  ),
  owned(
    '_externalAuths',
    [text('provider'), text('providerId')],
    [
      'UNIQUE INDEX `idx_externalAuths_record_provider` ON `_externalAuths` (collectionRef, recordRef, provider)',
      'UNIQUE INDEX `idx_externalAuths_collection_provider` ON `_externalAuths` (collectionRef, provider, providerId)',
    ],
    { deleteRule: OWNER },
  ),
  owned(
    '_authOrigins',
    [text('fingerprint')],
    ['UNIQUE INDEX `idx_authOrigins_unique_pairs` ON `_authOrigins` (collectionRef, recordRef, fingerprint)'],
    { deleteRule: OWNER },
  ),
  { type: 'auth', system: true, name: '_superusers', authToken: { duration: 86_400 } },
]

export function systemCollections(): Collection[] {
  return SYSTEM.map((raw) => {
    const collection = complete(readNew(raw))
    return { ...collection, fields: DATES.map(readField).reduce<Field[]>(addField, collection.fields) }
  })
}
