import { fieldError } from '../../platform/api-errors.ts'
import { all, byPlace, type Problem, required } from './checks.ts'
import type { Collection } from './collection.ts'
import { type FieldPlace, fieldProblems } from './validate-field-settings.ts'

const RESERVED_AUTH_KEYS = ['passwordConfirm', 'oldPassword']

function duplicates({ fields }: Collection): Problem {
  const ids = new Set<string>()
  const names = new Set<string>()
  for (const [i, { id, name }] of fields.entries()) {
    if (ids.has(id)) {
      const text = `Duplicated or invalid field id "${id}"`
      return { [i]: { id: fieldError('validation_duplicated_field_id', text) } }
    }
    if (names.has(name.toLowerCase())) {
      const text = `Duplicated or invalid field name ${name}`
      return {
        [i]: { name: fieldError('validation_duplicated_field_name', text, { fieldName: name }) },
      }
    }
    ids.add(id)
    names.add(name.toLowerCase())
  }
}

function withoutKey({ fields }: Collection): Problem {
  const key = fields.find(({ name }) => name === 'id')
  if (key?.type === 'text' && key.primaryKey) return undefined
  return fieldError('validation_missing_primary_key', 'Missing or invalid "id" PK field.')
}

function lostSystemField({ fields }: Collection, old: Collection | undefined): Problem {
  const lost = old?.fields.some(
    (before) => before.system && fields.find(({ id }) => id === before.id)?.name !== before.name,
  )
  return lost
    ? fieldError('validation_system_field_change', 'System fields cannot be deleted or renamed.')
    : undefined
}

function changedTypes({ fields }: Collection, old: Collection | undefined): Problem {
  return byPlace(fields, (field) => {
    const before = old?.fields.find(({ id }) => id === field.id)
    return before && before.type !== field.type
      ? fieldError('validation_field_type_change', 'Field type cannot be changed.')
      : undefined
  })
}

function reservedNames({ type, fields }: Collection): Problem {
  if (type !== 'auth') return undefined
  const error = fieldError(
    'validation_reserved_field_name',
    'The field name is reserved and cannot be used.',
  )
  return byPlace(fields, ({ name }) =>
    RESERVED_AUTH_KEYS.includes(name) ? { name: error } : undefined,
  )
}

/** Problems of the list of fields or, by index, of single fields. PocketBase: core/collection_validate.go */
export function validateFields(place: FieldPlace, old: Collection | undefined): Problem {
  const { collection } = place
  return (
    duplicates(collection) ??
    required(collection.fields) ??
    withoutKey(collection) ??
    (collection.type === 'view'
      ? undefined
      : (lostSystemField(collection, old) ?? changedTypes(collection, old))) ??
    reservedNames(collection) ??
    byPlace(collection.fields, (field) => all(fieldProblems(field, place)))
  )
}
