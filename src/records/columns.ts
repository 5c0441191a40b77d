import { type Collection, columnName, quote, tableName } from '../collections/catalog.ts'
import { type Field, isMulti, type Value } from '../fields/field.ts'
import { memoize } from '../tools/lru.ts'

export type Values = Record<string, Value>

export type RecordRow = readonly Value[]

export interface Columns {
  readonly table: string
  readonly quoted: readonly string[]
  readonly types: readonly string[]
  /** `b."id", b."name", …`: all fields in order, including hidden ones. */
  readonly select: string
  readonly count: number
  readonly at: ReadonlyMap<string, number>
  readonly id: number
}

export const columnsOf = memoize((collection: Collection): Columns => {
  const names = collection.fields.map((field) => field.name)
  const quoted = names.map((name) => quote(columnName(name)))
  return {
    table: quote(tableName(collection)),
    quoted,
    types: collection.fields.map(sqlType),
    select: quoted.map((column) => `b.${column}`).join(', '),
    count: names.length,
    at: new Map(names.map((name, i) => [name, i])),
    id: names.indexOf('id'),
  }
})

function sqlType(field: Field): string {
  if (isMulti(field)) return 'text[]'
  if (field.type === 'number') return 'double precision'
  if (field.type === 'bool') return 'boolean'
  return field.type === 'json' || field.type === 'geoPoint' ? 'json' : 'text'
}

/** Defines a key as an own property, because a field may be named like an inherited one. */
const own = (values: object, key: string) =>
  Object.defineProperty(values, key, { writable: true, enumerable: true, configurable: true })

export function toValues(collection: Collection, row: RecordRow): Values {
  const values: Values = {}
  collection.fields.forEach((field, i) => {
    if (field.name === '__proto__') own(values, field.name)
    values[field.name] = row[i] ?? null
  })
  return values
}

export function toRow(collection: Collection, values: Readonly<Values>): RecordRow {
  return collection.fields.map((field) => values[field.name] ?? null)
}

/** Collects the parameters of a statement while it is written. */
export class Parameters {
  readonly values: unknown[]

  constructor(first: readonly unknown[] = []) {
    this.values = [...first]
  }

  /** Adds a parameter and returns its SQL, `$7` or `$7::text`. */
  add(value: unknown, type = 'text'): string {
    this.values.push(value)
    return `$${this.values.length}::${type}`
  }
}
