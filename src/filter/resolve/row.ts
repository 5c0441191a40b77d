import type { Collection } from '../../collections/collection.ts'
import { columnName, tableName } from '../../collections/names.ts'
import { countedColumns } from '../../collections/views/view-fields.ts'
import { type Field, isMulti, type Value } from '../../fields/field.ts'
import type { Affinity, Storage } from '../compare/operand.ts'
import type { Slot } from '../sql/facts.ts'
import type { Input } from '../sql/input.ts'
import { type Scalar, storedNumber } from '../sql/scalar.ts'
import { columnOf, type JoinedRow, type Sql } from '../sql/sql.ts'

/** A table's row in the statement. `at` null: the base, alias `b`. */
export interface TableRow {
  readonly kind: 'table'
  readonly collection: Collection
  readonly at: JoinedRow | null
  readonly nullable: boolean
  readonly list?: Sql
}

/** A record whose values are known: the caller, or the record that a create rule tests. */
export interface RowOfValues {
  readonly kind: 'known'
  readonly collection: Collection
  readonly value: (field: Field) => (input: Input) => Value
  /** It is stored, so its columns have their affinities. */
  readonly inTable: boolean
}

export type FilterRow = TableRow | RowOfValues

export const table = (collection: Collection): Sql => [{ kind: 'table', name: tableName(collection) }]

export const column = (row: TableRow, field: Field): Sql => [columnOf(row.at, columnName(field.name))]

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
export function affinityOf(collection: Collection, field: Field): Affinity {
  const isCounted = collection.type === 'view' && field.type === 'number'
  if (isCounted && countedColumns(collection.viewQuery).has(field.name)) return 'none'
  return isMulti(field) ? 'numeric' : (AFFINITY[field.type] ?? 'text')
}

/** A field of a known record as SQLite would hold it. */
export function fieldSlot(row: RowOfValues, field: Field): Slot {
  const value = row.value(field)
  return (input) => toScalar(value(input), row.inTable)
}

/** A new record's number is still REAL; a number column stores whole ones as INTEGER. */
function toScalar(value: Value, inTable: boolean): Scalar {
  if (Array.isArray(value)) return JSON.stringify(value)
  return typeof value === 'number' && inTable ? storedNumber(value) : value
}
