import type { SQLOutputValue } from 'node:sqlite'
import type { Collection } from '../collections/collection.ts'
import type { Field, Value } from '../fields/field.ts'
import { parseDate } from '../fields/types/date.ts'
import { fieldType } from '../fields/types/field-types.ts'
import type { ImportRow } from './rows.ts'
import { type StoredRow, textOf } from './sqlite.ts'

/** Converts a SQLite value. What the field cannot hold becomes empty, as PocketBase shows it. */
function storedValue(field: Field, raw: SQLOutputValue | undefined): Value {
  const type = fieldType(field)
  if (raw === null || raw === undefined) return type.zero(field)
  if (field.type === 'number') return type.fromInput(field, Number(raw))
  if (field.type === 'bool') return Boolean(Number(raw))
  if (field.type === 'password') return textOf(raw)
  const text = textOf(raw)
  if (field.type === 'autodate') return parseDate(text)
  if (field.type === 'json' && text === '') return null
  return type.fromInput(field, text)
}

/** Converts a stored record to a row. Fields that PocketBase does not have are empty. */
export function pocketBaseRow(collection: Collection, stored: StoredRow): ImportRow {
  return collection.fields.map((field) => storedValue(field, stored[field.name]))
}
