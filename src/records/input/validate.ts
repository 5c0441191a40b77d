import type { Collection } from '../../collections/collection.ts'
import { type FieldError, fieldError } from '../../errors.ts'
import type { Field, FileField, PasswordField, Value } from '../../fields/field.ts'
import { chosenTexts } from '../../fields/types/choice.ts'
import { fieldType } from '../../fields/types/field-types.ts'
import { passwordError } from '../../fields/types/password.ts'
import { required } from '../../fields/types/text.ts'
import { MAX_PASSWORD_BYTES } from '../../fields/values/bcrypt.ts'
import type { Values } from '../columns.ts'
import { checkUpload, type NamedUploads, NO_UPLOADS } from './files.ts'

/** A record to be stored. `old` is absent for a new one; `passwords` as in Prepared. */
export interface Draft {
  readonly values: Readonly<Values>
  readonly passwords: Readonly<Record<string, string>>
  readonly old?: Readonly<Values>
  readonly uploads?: NamedUploads
  /** As in Prepared. Errors of the empty value in its place come first. */
  readonly unreadable?: Readonly<FieldErrors>
}

export type FieldErrors = Record<string, FieldError>

/** Errors that need no database: one per field. PocketBase: ValidateValue of each field type; contract 4.5 */
export function validate(collection: Collection, draft: Draft): FieldErrors {
  const errors: FieldErrors = {}
  for (const field of collection.fields) {
    const error = checkField(field, draft) ?? draft.unreadable?.[field.name]
    if (error) errors[field.name] = error
  }
  return errors
}

function checkField(field: Field, { values, passwords, old, uploads }: Draft): FieldError | undefined {
  const value = values[field.name]!
  if (field.type === 'text' && field.primaryKey && old)
    return value === old[field.name]
      ? undefined
      : fieldError('validation_pk_change', 'The record primary key cannot be changed')
  if (field.type === 'password') return checkPassword(field, value, passwords[field.name])
  if (field.type === 'file') return checkFiles(field, value, old?.[field.name], uploads)
  return fieldType(field).check(field, value)
}

function checkPassword(field: PasswordField, hash: Value, plain: string | undefined): FieldError | undefined {
  if (plain === undefined) return fieldType(field).check(field, hash)
  if (Buffer.byteLength(plain) > MAX_PASSWORD_BYTES)
    return fieldError('validation_invalid_value', 'Invalid value')
  if (plain === '') return field.required ? required() : undefined
  return passwordError(field, plain)
}

const MAX_NAME_BYTES = 250
/** Cut by bytes, as in Go. */
const cutName = (name: string) => Buffer.from(name).subarray(0, MAX_NAME_BYTES).toString('utf8')

/** Names can only be kept, not invented; sent files must fit the field. PocketBase: core/field_file.go */
function checkFiles(
  field: FileField,
  value: Value,
  old: Value | undefined,
  uploads: NamedUploads = NO_UPLOADS,
): FieldError | undefined {
  const kept = chosenTexts(old ?? '')
  const added = chosenTexts(value).filter((name) => !kept.includes(name) && !uploads.has(name))
  if (added.length === 0) return fieldType(field).check(field, value) ?? checkSent(field, value, uploads)
  const invalidFiles = added.map(cutName)
  return fieldError('validation_invalid_file', `Invalid new files: [${invalidFiles.join(' ')}]`, {
    invalidFiles,
  })
}

function checkSent(field: FileField, value: Value, uploads: NamedUploads): FieldError | undefined {
  if (uploads.size === 0) return undefined
  for (const name of chosenTexts(value)) {
    const upload = uploads.get(name)
    const error = upload && checkUpload(field, upload)
    if (error) return error
  }
  return undefined
}
