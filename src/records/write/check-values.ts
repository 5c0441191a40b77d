import { generateText } from '../../fields/types/autogenerate.ts'
import { now } from '../../fields/types/date.ts'
import { type FieldErrors, validate } from '../input/validate.ts'
import type { Values } from '../input/values.ts'
import { type WriteCondition, writeConditionsOf } from './conditions.ts'
import type { Write } from './prepare-write.ts'

/** Errors of a record, and the conditions that only the database can test. */
interface Checked {
  readonly errors: FieldErrors
  readonly conditions: readonly WriteCondition[]
}

/** Completes the values of a write by what the server sets, and checks them. */
export function checkValues(
  { store, collection, prepared, stored, options }: Write,
  values: Values,
): Checked {
  const time = now()
  for (const field of collection.fields) {
    if (field.type === 'autodate' && (stored ? field.onUpdate : field.onCreate)) values[field.name] = time
    else if (stored || field.type !== 'text') continue
    else if (field.autogeneratePattern && values[field.name] === '')
      values[field.name] = generateText(field.autogeneratePattern)
  }
  const { uploads, unreadable } = prepared
  const passwords = options.hasRandomPassword ? {} : prepared.passwords
  const old = stored && { old: stored.old }
  const errors = validate(collection, { values, passwords, uploads, unreadable, ...old })
  return { errors, conditions: writeConditionsOf(store.catalog, collection, values, !stored, errors) }
}
