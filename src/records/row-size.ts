import type { Collection } from '../collections/collection.ts'
import type { Field } from '../fields/field.ts'
import { DEFAULT_JSON_BYTES } from '../fields/types/json.ts'
import { DEFAULT_EDITOR_BYTES, DEFAULT_MAX_CHARACTERS } from '../fields/types/text.ts'
import { memoize } from '../tools/memoize.ts'

/** Maximum bytes of a character in UTF-8. */
const CHARACTER_BYTES = 4
/** Bound for ids and file names. */
const NAME_BYTES = 150
/** Bound for numbers, dates and bools. */
const SMALL_BYTES = 40
const GEO_BYTES = 100
const LARGE_BYTES = 64 << 10

/** Maximum bytes of this field's value. */
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

/** The size of a collection's rows. */
interface RowSize {
  /** Maximum bytes of a row; Infinity for a view. */
  readonly max: number
  /** A single field can fill an answer: json, editor, long text, anything in a view. */
  readonly hasLarge: boolean
  /** SQL of a row's size in bytes; its columns are `c0`, `c1`, … in the order of the fields. */
  readonly sql: string
}

/** The size of a collection's rows. Small texts count as their limit, so that few columns are measured. */
export const rowSizeOf = memoize((collection: Collection): RowSize => {
  const isView = collection.type === 'view'
  const sizes = collection.fields.map((field) => (isView ? Number.POSITIVE_INFINITY : maxBytes(field)))
  const measured = collection.fields.flatMap((field, i) =>
    sizes[i]! > NAME_BYTES ? `coalesce(octet_length(${asText(field, `c${i}`)}), 0)` : [],
  )
  const constant = sizes.reduce((sum, size) => (size > NAME_BYTES ? sum : sum + size), 0)
  return {
    max: sizes.reduce((sum, size) => sum + size, 0),
    hasLarge: sizes.some((size) => size > LARGE_BYTES),
    sql: [constant, ...measured].join(' + '),
  }
})

/** The length of a text needs no reading of it; other types are converted to text. */
const asText = (field: Field, column: string): string =>
  field.type === 'text' || field.type === 'editor' ? column : `${column}::text`
