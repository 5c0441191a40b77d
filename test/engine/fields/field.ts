import { readField } from '../../../src/engine/collections/definition/read-field.ts'
import type { Field, FieldOf, FieldTypeName, Value } from '../../../src/engine/fields/field.ts'
import { checkValue, findFieldType } from '../../../src/engine/fields/field-types.ts'

/** A field with its type's defaults and some options. */
export const fieldOf = <T extends FieldTypeName>(
  type: T,
  options: Partial<FieldOf<T>> = {},
): Field => ({ ...readField({ id: 'f1', name: 'f', type }), ...options }) as Field

/** What a field makes of an input: its stored value. */
export const store = (field: Field, raw: unknown): Value =>
  findFieldType(field).fromInput(field, raw)

/** Code of the error that an input gives, '' for none. */
export const judge = (field: Field, raw: unknown): string =>
  checkValue(field, store(field, raw))?.code.replace('validation_', '') ?? ''
