import { type Catalog, type Collection, columnName, tableName } from '../../collections/catalog.ts'
import { countedColumns } from '../../collections/views/view-fields.ts'
import { type Field, isMulti, type Value } from '../../fields/field.ts'
import { cleanText } from '../../fields/values/cast.ts'
import type { Affinity, Storage } from '../compare/operand.ts'
import type { Scope } from '../sql/joined.ts'
import { columnOf, type Input, type JoinedRow, param, type Sql } from '../sql/sql.ts'

export interface FilterRow {
  readonly collection: Collection
  readonly at: JoinedRow | null
  readonly nullable: boolean
  readonly list?: Sql
  /** Values that replace columns by parameters: of the caller, or of the record that a create rule tests. */
  readonly values?: (input: Input) => Readonly<Record<string, Value>>
  /** Whether it is not stored yet: its columns then have no affinities. */
  readonly isNew?: boolean
}

export const table = (collection: Collection): Sql => [{ kind: 'table', name: tableName(collection) }]

export function column({ at, values }: FilterRow, field: Field): Sql {
  if (!values) return [columnOf(at, columnName(field.name))]
  const { cast, empty } = PARAMETERS[storageOf(field)] ?? { cast: 'text', empty: '' }
  return param(cast, (input) => {
    const value = values(input)[field.name] ?? empty
    return typeof value === 'string' ? cleanText(value) : value
  })
}

const PARAMETERS: Partial<Record<Storage, { readonly cast: string; readonly empty: Value }>> = {
  number: { cast: 'float8', empty: 0 },
  bool: { cast: 'bool', empty: false },
  list: { cast: 'text[]', empty: [] },
  json: { cast: 'json', empty: null },
  geo: { cast: 'json', empty: null },
}

const STORAGE: Partial<Record<Field['type'], Storage>> = {
  number: 'number',
  bool: 'bool',
  json: 'json',
  geoPoint: 'geo',
}

export function storageOf(field: Field): Storage {
  return isMulti(field) ? 'list' : (STORAGE[field.type] ?? 'text')
}

const AFFINITY: Partial<Record<Field['type'], Affinity>> = {
  number: 'numeric',
  bool: 'numeric',
  geoPoint: 'numeric',
  json: 'none',
}

/** The affinity of a field's column in PocketBase's table or view. */
export function affinityOf({ collection, isNew }: FilterRow, field: Field): Affinity {
  if (isNew) return 'none'
  const isCounted = collection.type === 'view' && field.type === 'number'
  if (isCounted && countedColumns(collection.viewQuery).has(field.name)) return 'none'
  return isMulti(field) ? 'numeric' : (AFFINITY[field.type] ?? 'text')
}

/** Rows that a client's filter or sort joins. Their listRules must accept them. */
export type ReachedRows = Map<JoinedRow, Collection>

export interface Context {
  readonly catalog: Catalog
  readonly auth: Collection | undefined
  readonly scope: Scope
  readonly base: FilterRow
  /** Collects joined rows for clients other than superusers, and hides fields from them. Contract 2.9. */
  readonly reached: ReachedRows | null
  /** Whether literals belong to a client's filter and so may differ in each request. */
  readonly isClient: boolean
}

/** The context inside a subquery. Its joins need no listRules: the outer query has tested them. */
export const subqueryContext = (context: Context): Context => ({
  ...context,
  scope: context.scope.inner(),
  reached: context.reached && new Map(),
})
