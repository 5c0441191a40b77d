import { type FieldError, fieldError } from '../../errors.ts'
import type { FieldType, PasswordField } from '../field.ts'
import { countCharacters } from '../values/cast.ts'
import { matchesPattern } from '../values/pattern.ts'
import { required, TEXT_LIKE } from './text.ts'

/** PocketBase's default, one less than bcrypt's 72 bytes. */
const DEFAULT_MAX_CHARACTERS = 71

/** `password`: a bcrypt hash. `fromInput` returns plain text, to be hashed. PocketBase: field_password.go */
export const password: FieldType<PasswordField> = {
  ...TEXT_LIKE,
  check: (field, hash) => (field.required && hash === '' ? required() : undefined),
}

/** The error of a new plain-text password; undefined for an empty one. */
export function passwordError(field: PasswordField, plain: string): FieldError | undefined {
  if (plain === '') return undefined
  const length = countCharacters(plain)
  const max = field.max > 0 ? field.max : DEFAULT_MAX_CHARACTERS
  if (length < field.min)
    return fieldError('validation_min_text_constraint', `Must be at least ${field.min} character(s)`)
  if (length > max)
    return fieldError('validation_max_text_constraint', `Must be less than ${max} character(s)`)
  if (field.pattern && !matchesPattern(field.pattern, plain))
    return fieldError('validation_invalid_format', 'Invalid value format')
  return undefined
}
