import type { Catalog } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { toColumnName, toTableName } from '../collections/sql-names.ts'
import { listCountedColumns } from '../collections/views/view-fields.ts'
import type { Field } from '../fields/field.ts'
import { findFieldStorage, findFieldType, findSqlType } from '../fields/field-types.ts'
import type { JoinScope } from './join-scope.ts'
import { makeKnownValue } from './known-value.ts'
import type { Affinity } from './operand.ts'
import { type JoinedRow, makeColumn, makeParam, type Sql } from './sql-pieces.ts'

export interface FilterRow {
  readonly collection: Collection
  readonly at: JoinedRow | null
  readonly nullable: boolean
  readonly list?: Sql
  /**
   * For a record known before the query, whose values become parameters: the caller's, or one that is not
   * stored yet (its columns have no affinity).
   */
  readonly known?: 'auth' | 'candidate'
}

export const writeTable = (collection: Collection): Sql => [
  { kind: 'table', name: toTableName(collection) },
]

export function writeRowColumn({ at, known }: FilterRow, field: Field): Sql {
  if (!known) return [makeColumn(at, toColumnName(field.name))]
  const absent = findFieldType(field).zero(field)
  return makeParam(
    findSqlType(field),
    makeKnownValue({ kind: known, field: field.name, absent }, 'clean'),
  )
}

/** The affinity of a field's column in PocketBase's table or view. */
export function findAffinity({ collection, known }: FilterRow, field: Field): Affinity {
  if (known === 'candidate') return 'none'
  const isCounted = collection.type === 'view' && field.type === 'number'
  if (isCounted && listCountedColumns(collection.viewQuery).has(field.name)) return 'none'
  const storage = findFieldStorage(field)
  if (storage === 'text') return 'text'
  return storage === 'json' ? 'none' : 'numeric'
}

/** Rows that a client's filter or sort joins. The list rules of their collections must accept them. */
export type ReachedRows = Map<JoinedRow, Collection>

export interface Context {
  readonly catalog: Catalog
  readonly auth: Collection | undefined
  readonly scope: JoinScope
  readonly base: FilterRow
  /** Rows that an ordinary client's filter joins; null for a rule or a superuser's filter. Contract 2.9. */
  readonly reached: ReachedRows | null
  /** Whether a client's filter has the literals, so that they may differ in each request. */
  readonly isClient: boolean
}

/** The context inside a subquery. Rows joined there need no list rules: the outer query tests them. */
export const makeSubqueryContext = (context: Context): Context => ({
  ...context,
  scope: context.scope.inner(),
  reached: context.reached && new Map(),
})
