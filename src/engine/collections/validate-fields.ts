import { makeFieldError } from '../../platform/api-errors.ts'
import { checkItems, checkRequired, collectProblems, type Problem } from '../fields/value-checks.ts'
import type { Collection } from './collection.ts'
import { checkFieldSettings, type FieldPlace } from './validate-field-settings.ts'

const RESERVED_AUTH_KEYS = ['passwordConfirm', 'oldPassword']

function findDuplicates({ fields }: Collection): Problem {
  const ids = new Set<string>()
  const names = new Set<string>()
  for (const [i, { id, name }] of fields.entries()) {
    if (ids.has(id)) {
      const text = `Duplicated or invalid field id "${id}"`
      return { [i]: { id: makeFieldError('validation_duplicated_field_id', text) } }
    }
    if (names.has(name.toLowerCase())) {
      const text = `Duplicated or invalid field name ${name}`
      return {
        [i]: {
          name: makeFieldError('validation_duplicated_field_name', text, { fieldName: name }),
        },
      }
    }
    ids.add(id)
    names.add(name.toLowerCase())
  }
}

function findMissingKey({ fields }: Collection): Problem {
  const key = fields.find(({ name }) => name === 'id')
  if (key?.type === 'text' && key.primaryKey) return undefined
  return makeFieldError('validation_missing_primary_key', 'Missing or invalid "id" PK field.')
}

function findLostSystemField({ fields }: Collection, old: Collection | undefined): Problem {
  const lost = old?.fields.some(
    (before) => before.system && fields.find(({ id }) => id === before.id)?.name !== before.name,
  )
  return lost
    ? makeFieldError(
        'validation_system_field_change',
        'System fields cannot be deleted or renamed.',
      )
    : undefined
}

function findChangedTypes({ fields }: Collection, old: Collection | undefined): Problem {
  return checkItems(fields, (field) => {
    const before = old?.fields.find(({ id }) => id === field.id)
    return before && before.type !== field.type
      ? makeFieldError('validation_field_type_change', 'Field type cannot be changed.')
      : undefined
  })
}

function findReservedNames({ type, fields }: Collection): Problem {
  if (type !== 'auth') return undefined
  const error = makeFieldError(
    'validation_reserved_field_name',
    'The field name is reserved and cannot be used.',
  )
  return checkItems(fields, ({ name }) =>
    RESERVED_AUTH_KEYS.includes(name) ? { name: error } : undefined,
  )
}

/** Problems of the list of fields or, by index, of single fields. PocketBase: core/collection_validate.go */
export function validateFields(place: FieldPlace, old: Collection | undefined): Problem {
  const { collection } = place
  return (
    findDuplicates(collection) ??
    checkRequired(collection.fields) ??
    findMissingKey(collection) ??
    (collection.type === 'view'
      ? undefined
      : (findLostSystemField(collection, old) ?? findChangedTypes(collection, old))) ??
    findReservedNames(collection) ??
    checkItems(collection.fields, (field) => collectProblems(checkFieldSettings(field, place)))
  )
}
