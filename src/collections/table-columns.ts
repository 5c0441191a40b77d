import type { Db } from '../db/open.ts'
import { type Field, isMulti } from '../fields/field.ts'
import { fieldType } from '../fields/field-types.ts'
import { type Collection, columnName, quote } from './catalog.ts'
import { isNeededField, isOptionalField } from './definition/built-in.ts'

const byId = (fields: readonly Field[], id: string) => fields.find((field) => field.id === id)

const passing = (field: Field) => quote(columnName(`~${field.id}`))
export const columnSql = (field: Field) => quote(columnName(field.name))

/** Fields that change from a single value to a list or back. */
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

/** Renames columns through temporary names, because two fields may swap their names. */
export async function renameColumns(db: Db, table: string, old: Collection, next: Collection): Promise<void> {
  const renamed = next.fields.flatMap((field) => {
    const before = byId(old.fields, field.id)
    return before && before.name !== field.name ? [{ before, field }] : []
  })
  for (const { before, field } of renamed)
    await db.query(`alter table ${table} rename column ${columnSql(before)} to ${passing(field)}`)
  for (const { field } of renamed)
    await db.query(`alter table ${table} rename column ${passing(field)} to ${columnSql(field)}`)
}

export async function convertColumns(db: Db, table: string, fields: readonly Field[]): Promise<void> {
  for (const field of fields) {
    await db.query(`alter table ${table} rename column ${columnSql(field)} to ${passing(field)}`)
    await db.query(`alter table ${table} add column ${columnDdl(field)}`)
    await db.query(`update ${table} set ${columnSql(field)} = ${conversion(field, passing(field))}`)
    await db.query(`alter table ${table} drop column ${passing(field)}`)
  }
}

export async function dropColumns(db: Db, table: string, old: Collection, next: Collection): Promise<void> {
  for (const field of old.fields) {
    if (byId(next.fields, field.id) || isOptionalField(next, field)) continue
    await db.query(`alter table ${table} drop column ${columnSql(field)}`)
  }
}

export async function addColumns(db: Db, table: string, old: Collection, next: Collection): Promise<void> {
  for (const field of next.fields) {
    if (byId(old.fields, field.id)) continue
    const unlessThere = isNeededField(next, field) ? 'if not exists ' : ''
    await db.query(`alter table ${table} add column ${unlessThere}${columnDdl(field)}`)
  }
}

/** A field's column: name, type and default. Contract 2.11 */
export const columnDdl = (field: Field) =>
  `${quote(columnName(field.name))} ${fieldType(field).column(field)}`
