import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { type Field, isMulti } from '../fields/field.ts'
import { findFieldType } from '../fields/field-types.ts'
import type { Collection } from './collection.ts'
import { type BuiltIn, isNeededField, isOptionalField } from './definition/built-in-collections.ts'
import { toColumnName } from './sql-names.ts'

const findFieldById = (fields: readonly Field[], id: string) =>
  fields.find((field) => field.id === id)

const writePassingColumn = (field: Field) => sql.id(toColumnName(`~${field.id}`))
export const writeColumnName = (field: Field) => sql.id(toColumnName(field.name))

export const runAlterTable = (db: Db, table: string, change: RawBuilder<unknown>) =>
  sql`alter table ${sql.id(table)} ${change}`.execute(db)

/** Fields that change from a single value to a list or back. */
export function listConvertedFields(old: Collection, next: Collection): Field[] {
  return next.fields.filter((field) => {
    const before = findFieldById(old.fields, field.id)
    return before !== undefined && isMulti(before) !== isMulti(field)
  })
}

/** Renames columns through temporary names, because two fields may swap their names. */
export async function renameColumns(
  db: Db,
  table: string,
  old: Collection,
  next: Collection,
): Promise<void> {
  const renamed = next.fields.flatMap((field) => {
    const before = findFieldById(old.fields, field.id)
    return before && before.name !== field.name ? [{ before, field }] : []
  })
  for (const { before, field } of renamed)
    await runAlterTable(
      db,
      table,
      sql`rename column ${writeColumnName(before)} to ${writePassingColumn(field)}`,
    )
  for (const { field } of renamed)
    await runAlterTable(
      db,
      table,
      sql`rename column ${writePassingColumn(field)} to ${writeColumnName(field)}`,
    )
}

/** Turns columns of one value into lists, and back. The values stay. */
export async function convertSingleAndListColumns(
  db: Db,
  table: string,
  fields: readonly Field[],
): Promise<void> {
  for (const field of fields) {
    const [column, old] = [writeColumnName(field), writePassingColumn(field)]
    await runAlterTable(db, table, sql`rename column ${column} to ${old}`)
    await runAlterTable(db, table, sql`add column ${writeColumnDdl(field)}`)
    const value = isMulti(field)
      ? sql`case when ${old} = '' then '{}' else array[${old}] end`
      : sql`coalesce(${old}[cardinality(${old})], '')`
    await sql`update ${sql.id(table)} set ${column} = ${value}`.execute(db)
    await runAlterTable(db, table, sql`drop column ${old}`)
  }
}

type ChangeColumns = (
  db: Db,
  builtIn: BuiltIn,
  table: string,
  old: Collection,
  next: Collection,
) => Promise<void>

export const dropColumns: ChangeColumns = async (db, builtIn, table, old, next) => {
  for (const field of old.fields) {
    if (findFieldById(next.fields, field.id) || isOptionalField(builtIn, next, field)) continue
    await runAlterTable(db, table, sql`drop column ${writeColumnName(field)}`)
  }
}

export const addColumns: ChangeColumns = async (db, builtIn, table, old, next) => {
  for (const field of next.fields) {
    if (findFieldById(old.fields, field.id)) continue
    const unlessThere = sql.raw(isNeededField(builtIn, next, field) ? 'if not exists' : '')
    await runAlterTable(db, table, sql`add column ${unlessThere} ${writeColumnDdl(field)}`)
  }
}

/** A field's column: name, type and default. docs/internals/collections.md */
export const writeColumnDdl = (field: Field) =>
  sql`${writeColumnName(field)} ${sql.raw(findFieldType(field).column(field))}`
