import { makeFieldError, UserError } from '../../../platform/api-errors.ts'
import { isSelectField, SELECT_VALUES } from '../../../portable/select-values.ts'
import { type Field, isMulti } from '../../fields/field.ts'
import type { Problem } from '../../fields/value-checks.ts'
import { type Collection, USERS_ID } from '../collection.ts'
import { toColumnName } from '../sql-names.ts'
import { completeCollection } from './complete-collection.ts'
import { parseNewCollection } from './read-collection.ts'

/** Who may use the records of an account: members of at least this role, or only the account itself. */
export type Right = 'viewer' | 'agent' | 'admin' | 'owner'

/** A built-in collection as JSON: PocketBase's keys and some of ours. */
export interface RawCollection {
  readonly id: string
  readonly name: string
  readonly type: string
  /** A sentence about its contents, for OpenAPI. */
  readonly about: string
  /** Who may read records, who may create and update them, who may delete them. */
  readonly rights: { readonly read: Right; readonly write: Right; readonly remove: Right }
  /** Whether the account's audit log records changes by members. */
  readonly audited?: boolean
  readonly createRule: string | null
  readonly updateRule: string | null
  readonly deleteRule: string | null
  readonly fields: readonly RawField[]
}

/** A definition as its feature writes it: without what all built-in collections have. */
export interface Definition extends Omit<RawCollection, 'fields'> {
  /** Without `id`, `created` and `updated`. `user` needs no type: it is the account, and required. */
  readonly fields: readonly (Omit<RawField, 'type'> & { readonly type?: string })[]
  /** Which dates it has; left out, both. */
  readonly dates?: readonly string[]
}

const ID = {
  name: 'id',
  type: 'text',
  system: true,
  primaryKey: true,
  required: true,
  min: 15,
  max: 15,
  pattern: '^[a-z0-9]+$',
  autogeneratePattern: '[a-z0-9]{15}',
}
const ACCOUNT = {
  name: 'user',
  type: 'relation',
  collectionId: USERS_ID,
  maxSelect: 1,
  cascadeDelete: true,
  required: true,
}
const DATES = [
  { name: 'created', type: 'autodate', onCreate: true, onUpdate: false },
  { name: 'updated', type: 'autodate', onCreate: true, onUpdate: true },
]

/** Adds what all built-in collections have: `id`, the account, and the dates. */
function addUsualFields({ dates, fields, ...definition }: Definition): RawCollection {
  const own = fields.map((field) => {
    if (field.type !== undefined) return { ...field, type: field.type }
    if (field.name === ACCOUNT.name) return { ...ACCOUNT, ...field, type: ACCOUNT.type }
    throw new Error(`The field ${field.name} of ${definition.name} needs a type`)
  })
  const ids = definition.type === 'auth' ? [] : [ID]
  const ends = DATES.filter(({ name }) => !dates || dates.includes(name))
  return { ...definition, fields: [...ids, ...own, ...ends] }
}

interface RawField {
  readonly name: string
  readonly type: string
  readonly about?: string
  /** Whether an installation may remove the field. Its column then stays in the table. */
  readonly optional?: boolean
  readonly values?: readonly string[]
  /** Select values that an installation may remove. */
  readonly optionalValues?: readonly string[]
}

export interface BuiltIn {
  readonly raw: ReadonlyMap<string, RawCollection>
  /** The fields that each collection needs at least. */
  readonly needed: ReadonlyMap<string, Collection>
}

/** Reads the definitions of all built-in collections. Adds SELECT_VALUES to their select fields. */
export function readBuiltInDefinitions(definitions: readonly Definition[]): BuiltIn {
  const raws = definitions.map(addUsualFields).map((raw) => ({
    ...raw,
    fields: raw.fields.map((field) => {
      const name = `${raw.name}.${field.name}`
      return isSelectField(name) ? { ...field, values: SELECT_VALUES[name] } : field
    }),
  }))
  const needed = raws.map((raw) => {
    const collection = completeCollection(parseNewCollection(raw))
    return {
      ...collection,
      fields: collection.fields.map((field) => dropOptionalValues(field, raw)),
    }
  })
  return {
    raw: new Map(raws.map((raw) => [raw.id, raw])),
    needed: new Map(needed.map((one) => [one.id, one])),
  }
}

const findRawField = (raw: RawCollection | undefined, name: string) =>
  raw?.fields.find((field) => field.name === name)

function dropOptionalValues(field: Field, raw: RawCollection): Field {
  if (field.type !== 'select') return field
  const optional = findRawField(raw, field.name)?.optionalValues ?? []
  return { ...field, values: field.values.filter((value) => !optional.includes(value)) }
}

export const makeBuiltInCollections = ({ raw }: BuiltIn): Collection[] =>
  [...raw.values()].map((one) => completeCollection(parseNewCollection(one)))

export const isOptionalField = (
  { raw }: BuiltIn,
  { id }: Pick<Collection, 'id'>,
  { name }: Pick<Field, 'name'>,
): boolean => findRawField(raw.get(id), name)?.optional === true

export const isNeededField = (
  { needed }: BuiltIn,
  { id }: Pick<Collection, 'id'>,
  { name }: Pick<Field, 'name'>,
): boolean => needed.get(id)?.fields.some((field) => field.name === name) === true

function servesNeededField(needed: Field, field: Field | undefined): boolean {
  if (field?.type !== needed.type || isMulti(field) !== isMulti(needed)) return false
  if (needed.type === 'select' && field.type === 'select')
    return needed.values.every((value) => field.values.includes(value))
  return true
}

/** Adds the values that a select field lacks, in the order of the definition. A record may still have all. */
function addNeededValues(field: Field, needed: Field | undefined): Field {
  if (field.type !== 'select' || needed?.type !== 'select') return field
  if (servesNeededField(needed, field)) return field
  const values = [...new Set([...needed.values, ...field.values])]
  const takesAll = field.maxSelect === field.values.length
  return { ...field, values, maxSelect: takesAll ? values.length : field.maxSelect }
}

/**
 * Adds needed fields and select values; undefined if none is missing. Does not add an optional field whose
 * column exists: it was removed on purpose. Throws a UserError if a needed name has another type.
 */
export function restoreMissingFields(
  builtIn: BuiltIn,
  stored: Collection,
  columns: ReadonlySet<string>,
): Collection | undefined {
  const isLeftOut = (field: Field) =>
    isOptionalField(builtIn, stored, field) &&
    columns.has(toColumnName(field.name)) &&
    !stored.fields.some(({ name }) => name === field.name)
  const needed = (builtIn.needed.get(stored.id)?.fields ?? []).filter((field) => !isLeftOut(field))
  const named = (fields: readonly Field[], name: string) =>
    fields.find((field) => field.name === name)
  const missing = needed.filter(({ name }) => !named(stored.fields, name))
  const fields = stored.fields.map((field) => addNeededValues(field, named(needed, field.name)))
  const unfit = needed.find(
    (field) => !missing.includes(field) && !servesNeededField(field, named(fields, field.name)),
  )
  if (unfit) {
    throw new UserError(
      `The field "${unfit.name}" of the collection "${stored.name}" has the name of one that pocketsms needs for itself. Rename it, then start again.`,
    )
  }
  const hasAll =
    missing.length === 0 &&
    stored.fields.every((field) => servesNeededField(named(needed, field.name) ?? field, field))
  return hasAll ? undefined : { ...stored, fields: [...fields, ...missing] }
}

function isCollectionRenamed({ name }: Field, old: Collection, next: Collection): boolean {
  const before = old.fields.find((field) => field.name === name)
  return before !== undefined && next.fields.some(({ id }) => id === before.id)
}

/** The first error of a change to a built-in collection. Fields that the server uses must stay. */
export function findBuiltInProblem(
  builtIn: BuiltIn,
  next: Collection,
  old: Collection,
): { readonly [key: string]: Problem } {
  const needed = builtIn.needed.get(next.id)
  if (!needed) return {}
  const code = 'validation_built_in_collection'
  if (next.name !== needed.name)
    return {
      name: makeFieldError(code, `pocketsms needs the collection ${needed.name} under this name.`),
    }
  const lost = needed.fields.find((field) => {
    const present = next.fields.find(({ name }) => name === field.name)
    return present
      ? !servesNeededField(field, present)
      : !isOptionalField(builtIn, next, field) || isCollectionRenamed(field, old, next)
  })
  if (!lost) return {}
  const text = `pocketsms needs the field ${lost.name} of ${needed.name}: it cannot be removed or renamed, hold other values than it does, or lose one of its options.`
  return { fields: makeFieldError(code, text) }
}
