import type { Collection } from '../collections/catalog.ts'
import type { Field } from '../fields/field.ts'
import { DEFAULT_EDITOR_BYTES, DEFAULT_JSON_BYTES, DEFAULT_MAX_CHARACTERS } from '../fields/text.ts'
import { memoize } from '../tools/lru.ts'

const CHARACTER_BYTES = 4
const NAME_BYTES = 150
const SMALL_BYTES = 40
const GEO_BYTES = 100
const LARGE_BYTES = 64 << 10

function maxBytes(field: Field): number {
  switch (field.type) {
    case 'text':
      return (field.max || DEFAULT_MAX_CHARACTERS) * CHARACTER_BYTES
    case 'email':
    case 'url':
      return DEFAULT_MAX_CHARACTERS * CHARACTER_BYTES
    case 'json':
      return field.maxSize || DEFAULT_JSON_BYTES
    case 'editor':
      return field.maxSize || DEFAULT_EDITOR_BYTES
    case 'select':
      return field.values.reduce((sum, value) => sum + Buffer.byteLength(value), 0)
    case 'relation':
    case 'file':
      return Math.max(field.maxSelect, 1) * NAME_BYTES
    case 'geoPoint':
      return GEO_BYTES
    default:
      return SMALL_BYTES
  }
}

/** How to measure rows of a collection. A column of NAME_BYTES or less is counted as full, not measured. */
export const rowSizeOf = memoize((collection: Collection) => {
  const isView = collection.type === 'view'
  const sizes = collection.fields.map((field) => (isView ? Number.POSITIVE_INFINITY : maxBytes(field)))
  const measured = collection.fields.flatMap((field, i) =>
    sizes[i]! > NAME_BYTES ? `coalesce(octet_length(${asText(field, `c${i}`)}), 0)` : [],
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

/** SQL of a column as text. Text columns stay: Postgres knows their length without reading them. */
const asText = (field: Field, column: string): string =>
  field.type === 'text' || field.type === 'editor' ? column : `${column}::text`
