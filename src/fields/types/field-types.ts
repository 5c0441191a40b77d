import { type FieldError, fieldError } from '../../errors.ts'
import type { Field, FieldOf, FieldType, FieldTypeName } from '../field.ts'
import { email, url } from './address.ts'
import { file, relation, select } from './choice.ts'
import { autodate, date } from './date.ts'
import { geoPoint } from './geo.ts'
import { DEFAULT_JSON_BYTES, json } from './json.ts'
import { bool, number } from './number.ts'
import { password } from './password.ts'
import { DEFAULT_EDITOR_BYTES, editor, text } from './text.ts'

const FIELD_TYPES: { readonly [T in FieldTypeName]: FieldType<FieldOf<T>> } = {
  text,
  number,
  bool,
  email,
  url,
  editor,
  date,
  autodate,
  select,
  json,
  geoPoint,
  relation,
  file,
  password,
}

export const fieldType = (field: Field): FieldType => FIELD_TYPES[field.type] as FieldType

/** The error of a raw value that cannot be read as the field's; undefined if it can. */
export function readError(field: Field, raw: unknown): FieldError | undefined {
  const { accepts, expected } = fieldType(field)
  return accepts(raw) ? undefined : fieldError('validation_invalid_value', `Must be ${expected}`)
}

/** Maximum size of a file without `maxSize`. */
export const DEFAULT_FILE_BYTES = 5 << 20

/** How much a field adds to the accepted body size. PocketBase: CalculateMaxBodySize of field types */
export function maxBodyBytes(field: Field): number {
  if (field.type === 'editor') return field.maxSize || DEFAULT_EDITOR_BYTES
  if (field.type === 'json') return field.maxSize || DEFAULT_JSON_BYTES
  if (field.type === 'file') return (field.maxSize || DEFAULT_FILE_BYTES) * Math.max(field.maxSelect, 1)
  return 0
}
