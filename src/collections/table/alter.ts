import type { Db } from '../../db/open.ts'
import { type Field, isMulti } from '../../fields/field.ts'
import { type Collection, columnName, quote, tableName } from '../catalog.ts'
import { isNeededField, isOptionalField } from '../definition/built-in.ts'
import {
  addFileTriggers,
  deleteUnreferencedFiles,
  dropFileTriggers,
  movesFileColumns,
} from './file-triggers.ts'
import { createIndexes, dropIndexes } from './indexes.ts'
import { columnDdl } from './table.ts'

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
const byId = (fields: readonly Field[], id: string) => fields.find((field) => field.id === id)

const passing = (field: Field) => quote(columnName(`~${field.id}`))
const column = (field: Field) => quote(columnName(field.name))

/** Fields that go from one value to a list, or back. */
export function converted(old: Collection, next: Collection): Field[] {
  return next.fields.filter((field) => {
    const before = byId(old.fields, field.id)
    return before !== undefined && isMulti(before) !== isMulti(field)
  })
}

function conversion(field: Field, from: string): string {
  if (isMulti(field)) return `case when ${from} = '' then '{}' else array[${from}] end`
  return `coalesce(${from}[cardinality(${from})], '')`
}

/** Renames columns by way of a temporary name, so that two fields can swap names. */
async function renameColumns(db: Db, table: string, old: Collection, next: Collection): Promise<void> {
  const renamed = next.fields.flatMap((field) => {
    const before = byId(old.fields, field.id)
    return before && before.name !== field.name ? [{ before, field }] : []
  })
  for (const { before, field } of renamed)
    await db.query(`alter table ${table} rename column ${column(before)} to ${passing(field)}`)
  for (const { field } of renamed)
    await db.query(`alter table ${table} rename column ${passing(field)} to ${column(field)}`)
}

async function convertColumns(db: Db, table: string, fields: readonly Field[]): Promise<void> {
  for (const field of fields) {
    await db.query(`alter table ${table} rename column ${column(field)} to ${passing(field)}`)
    await db.query(`alter table ${table} add column ${columnDdl(field)}`)
    await db.query(`update ${table} set ${column(field)} = ${conversion(field, passing(field))}`)
    await db.query(`alter table ${table} drop column ${passing(field)}`)
  }
}

async function dropColumns(db: Db, table: string, old: Collection, next: Collection): Promise<void> {
  for (const field of old.fields) {
    if (byId(next.fields, field.id) || isOptionalField(next, field)) continue
    await db.query(`alter table ${table} drop column ${column(field)}`)
  }
}

async function addColumns(db: Db, table: string, old: Collection, next: Collection): Promise<void> {
  for (const field of next.fields) {
    if (byId(old.fields, field.id)) continue
    const unlessThere = isNeededField(next, field) ? 'if not exists ' : ''
    await db.query(`alter table ${table} add column ${unlessThere}${columnDdl(field)}`)
  }
}

/**
 * Changes a collection's table; fields are matched by id. Throws an InvalidCollection for indexes, or
 * Postgres' error. PocketBase: core/collection_record_table_sync.go
 */
export async function alterTable(db: Db, old: Collection, next: Collection): Promise<void> {
  const renamed = tableName(old) !== tableName(next)
  if (!renamed && same(old.fields, next.fields) && same(old.indexes, next.indexes)) return
  const table = quote(tableName(next))
  const isFileMoved = movesFileColumns(old, next)
  if (isFileMoved) await dropFileTriggers(db, old)
  await dropIndexes(db, old)
  if (renamed) await db.query(`alter table ${quote(tableName(old))} rename to ${table}`)
  await dropColumns(db, table, old, next)
  await renameColumns(db, table, old, next)
  await addColumns(db, table, old, next)
  await convertColumns(db, table, converted(old, next))
  await createIndexes(db, next)
  if (!isFileMoved) return
  await deleteUnreferencedFiles(db, next)
  await addFileTriggers(db, next)
}
