import type { Collection } from '../collections/collection.ts'
import { columnName, quote } from '../collections/names.ts'
import type { Value } from '../fields/field.ts'
import { memoize } from '../tools/memoize.ts'

/** A record as it comes from the database: its values in the order of the collection's fields. */
export type RecordRow = readonly Value[]

/** What a statement asks of a collection's table, whose alias is `b`. */
export interface Columns {
  /** `b."id", b."name", …`: all fields in their order, hidden ones too. */
  readonly select: string
  readonly count: number
  /** Position of a field's value in a Row. */
  readonly at: ReadonlyMap<string, number>
  /** Position of the id. */
  readonly id: number
}

/** The columns of a collection. */
export const columnsOf = memoize((collection: Collection): Columns => {
  const names = collection.fields.map((field) => field.name)
  return {
    select: names.map((name) => `b.${quote(columnName(name))}`).join(', '),
    count: names.length,
    at: new Map(names.map((name, i) => [name, i])),
    id: names.indexOf('id'),
  }
})

/** Makes a key that objects inherit, as a field may be called, one of their own. */
const own = (values: object, key: string) =>
  Object.defineProperty(values, key, { writable: true, enumerable: true, configurable: true })

/** A row as values by field name. */
export function toValues(collection: Collection, row: RecordRow): Record<string, Value> {
  const values: Record<string, Value> = {}
  collection.fields.forEach((field, i) => {
    if (field.name === '__proto__') own(values, field.name)
    values[field.name] = row[i] ?? null
  })
  return values
}

/** Values by field name as a row. */
export function toRow(collection: Collection, values: Readonly<Record<string, Value>>): RecordRow {
  return collection.fields.map((field) => values[field.name] ?? null)
}
