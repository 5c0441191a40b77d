import type { SQLOutputValue } from 'node:sqlite'
import type { Collection } from '../collections/collection.ts'
import type { Field, Value } from '../fields/field.ts'
import { findFieldType } from '../fields/field-types.ts'
import { parseDate } from '../fields/parse-date.ts'
import type { FolderImport } from './import-folder.ts'
import { chooseChunkSize, insertRows } from './insert-rows.ts'
import { readSqliteText, type StoredRow } from './open-pocketbase.ts'
import type { ImportRow } from './read-import-rows.ts'

/**
 * Imports the rows of `table`, changed by `convert`, into a collection. Leaves out those that the API would
 * refuse, and those for which `convert` returns undefined. Returns the number of imported rows.
 */
export async function importRecords(
  { draft, data, storage, progress, leftOut }: FolderImport,
  collection: Collection,
  table = collection.name,
  convert: (row: StoredRow) => StoredRow | undefined = (row) => row,
): Promise<number> {
  const total = data.count(table)
  let [done, left] = [0, 0]
  let rows: ImportRow[] = []
  for (const stored of data.rows(table)) {
    const row = convert(stored)
    const values = row && collection.fields.map((field) => toStoredValue(field, row[field.name]))
    if (!values || leftOut.isFaulty(collection, values, table)) left++
    else rows.push(values)
    if (rows.length < chooseChunkSize(collection, true) && done + left + rows.length < total)
      continue
    await insertRows(draft.db, { file: 'data.db', collection }, rows, { hashed: true })
    await storage.importOf(draft, collection, rows)
    done += rows.length
    rows = []
    progress(table, done, total)
  }
  return done
}

/** Converts a SQLite value. One that does not fit the field becomes its empty value, as in PocketBase. */
function toStoredValue(field: Field, raw: SQLOutputValue | undefined): Value {
  const type = findFieldType(field)
  if (raw === null || raw === undefined) return type.zero(field)
  if (field.type === 'number') return Number.isFinite(Number(raw)) ? Number(raw) : type.zero(field)
  if (field.type === 'bool') return Boolean(Number(raw))
  if (field.type === 'password') return readSqliteText(raw)
  const text = readSqliteText(raw)
  if (field.type === 'autodate') return parseDate(text)
  if (field.type === 'json' && text === '') return null
  return type.fromInput(field, text)
}
