import { type FieldError, fieldError } from '../../errors.ts'
import type { Field, FieldOf, FieldType, TextField, Value } from '../field.ts'
import { countCharacters, toText } from '../values/cast.ts'
import { matchesPattern } from '../values/pattern.ts'

/** The pattern of PocketBase's own ids. If a collection has another one, ids are checked further. */
export const KEY_PATTERN = '^[a-z0-9]+$'

/** Characters forbidden in an id, since ids become folder names; in the order that PocketBase checks them. */
const FORBIDDEN = [...'./\\|"\'`<>:?*%$\0\t\n\r ']
/** Ids forbidden because Windows names devices so. */
const RESERVED = /^(CON|PRN|AUX|NUL|(COM|LPT)[1-9])$/

/** Refuses ids that cannot be file names, whatever the collection allows. PocketBase: core/field_text.go */
function keyError(id: string): FieldError | undefined {
  const ch = FORBIDDEN.find((character) => id.includes(character))
  if (ch !== undefined) {
    return fieldError('validation_forbidden_pk_character', `'${ch}' is not a valid primary key character`, {
      ch,
    })
  }
  const reserved = id.toUpperCase()
  if (!RESERVED.test(reserved)) return undefined
  return fieldError(
    'validation_reserved_pk',
    `The primary key '${reserved}' is reserved and cannot be used`,
    { reserved },
  )
}

/** Maximum characters of a text without `max`. */
export const DEFAULT_MAX_CHARACTERS = 5000
/** Maximum bytes of an editor field without `maxSize`. */
export const DEFAULT_EDITOR_BYTES = 5 << 20

export const required = (): FieldError => fieldError('validation_required', 'Cannot be blank')

export const isScalar = (raw: unknown) => ['string', 'number', 'boolean'].includes(typeof raw)

export const TEXT_LIKE = {
  column: (field: Field) =>
    field.type === 'text' && field.primaryKey
      ? 'text collate "C" primary key'
      : 'text collate "C" not null default \'\'',
  zero: (): Value => '',
  fromInput: (_: Field, raw: unknown): Value => toText(raw),
  accepts: (raw: unknown) => raw === null || isScalar(raw),
  expected: 'a text',
}

/** `text`: `min`, `max`, `pattern`, `primaryKey` for a record's id. PocketBase: core/field_text.go */
export const text: FieldType<TextField> = {
  ...TEXT_LIKE,
  check(field, value) {
    const written = value as string
    if (written === '') return field.required || field.primaryKey ? required() : undefined
    const length = countCharacters(written)
    const max = field.max || DEFAULT_MAX_CHARACTERS
    if (length < field.min) {
      return fieldError('validation_min_text_constraint', `Must be at least ${field.min} character(s)`, {
        min: field.min,
      })
    }
    if (length > max)
      return fieldError('validation_max_text_constraint', `Must be no more than ${max} character(s)`, { max })
    if (field.pattern && !matchesPattern(field.pattern, written))
      return fieldError('validation_invalid_format', 'Invalid value format')
    return field.primaryKey && field.pattern !== KEY_PATTERN ? keyError(written) : undefined
  },
}

/** `editor`: HTML up to `maxSize` bytes. PocketBase: core/field_editor.go */
export const editor: FieldType<FieldOf<'editor'>> = {
  ...TEXT_LIKE,
  check(field, value) {
    if (value === '') return field.required ? required() : undefined
    const maxSize = field.maxSize || DEFAULT_EDITOR_BYTES
    if (Buffer.byteLength(value as string) <= maxSize) return undefined
    const text = `The maximum allowed content size is ${maxSize} bytes`
    return fieldError('validation_content_size_limit', text, { maxSize })
  },
}
