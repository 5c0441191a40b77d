import { memoize } from '../../platform/tools/lru.ts'
import type { Collection } from '../collections/collection.ts'
import { quoteName, toColumnName, toTableName } from '../collections/sql-names.ts'
import type { Value } from '../fields/field.ts'
import { findSqlType } from '../fields/field-types.ts'

export type Values = Record<string, Value>

export type RecordRow = readonly Value[]

export interface RecordColumns {
  readonly table: string
  readonly quoted: readonly string[]
  readonly types: readonly string[]
  /** `b."id", b."name", …`: all fields in order, including hidden ones. */
  readonly select: string
  readonly count: number
  readonly at: ReadonlyMap<string, number>
  readonly id: number
}

export const columnsOf = memoize((collection: Collection): RecordColumns => {
  const names = collection.fields.map((field) => field.name)
  const quoted = names.map((name) => quoteName(toColumnName(name)))
  return {
    table: quoteName(toTableName(collection)),
    quoted,
    types: collection.fields.map(findSqlType),
    select: quoted.map((column) => `b.${column}`).join(', '),
    count: names.length,
    at: new Map(names.map((name, i) => [name, i])),
    id: names.indexOf('id'),
  }
})

/** Defines `key` as an own property: assigning to a field named `__proto__` would set the prototype. */
const defineOwnKey = (values: object, key: string) =>
  Object.defineProperty(values, key, { writable: true, enumerable: true, configurable: true })

export function toValues(collection: Collection, row: RecordRow): Values {
  const values: Values = {}
  collection.fields.forEach((field, i) => {
    if (field.name === '__proto__') defineOwnKey(values, field.name)
    values[field.name] = row[i] ?? null
  })
  return values
}

export function toRow(collection: Collection, values: Readonly<Values>): RecordRow {
  return collection.fields.map((field) => values[field.name] ?? null)
}
