import { memoize } from '../../platform/tools/lru.ts'
import type { Collection } from '../collections/collection.ts'
import type { Field } from '../fields/field.ts'
import { findFieldType, NAME_BYTES } from '../fields/field-types.ts'

const LARGE_BYTES = 64 << 10

/** How to measure rows of a collection. A column of NAME_BYTES or less is counted as full, not measured. */
export const rowSizeOf = memoize((collection: Collection) => {
  const isView = collection.type === 'view'
  const sizes = collection.fields.map((field) =>
    isView ? Number.POSITIVE_INFINITY : findFieldType(field).maxBytes(field),
  )
  const measured = collection.fields.flatMap((field, i) =>
    sizes[i]! > NAME_BYTES ? `coalesce(octet_length(${castToText(field, `c${i}`)}), 0)` : [],
  )
  const constant = sizes.reduce((sum, size) => (size > NAME_BYTES ? sum : sum + size), 0)
  return {
    max: sizes.reduce((sum, size) => sum + size, 0),
    /** Whether one field may exceed LARGE_BYTES: json, editor, long text, any field of a view. */
    hasLarge: sizes.some((size) => size > LARGE_BYTES),
    /** SQL of a row's size in bytes. The row's columns are `c0`, `c1`, … in the order of the fields. */
    sql: [constant, ...measured].join(' + '),
  }
})

/** SQL of a column as text. Text columns stay: Postgres has their length without reading them. */
const castToText = (field: Field, column: string): string =>
  field.type === 'text' || field.type === 'editor' ? column : `${column}::text`
