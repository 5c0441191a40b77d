import type { Db } from '../db/open.ts'
import { queries } from '../db/queries.ts'
import { type FileField, isMulti } from '../fields/field.ts'
import { type Collection, quote, tableName } from './catalog.ts'
import { columnSql } from './table-columns.ts'

const fileFields = ({ fields }: Collection): FileField[] => fields.filter((field) => field.type === 'file')
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

const namesSql = (fields: readonly FileField[]) =>
  fields
    .map((field) => (isMulti(field) ? `b.${columnSql(field)}` : `array[b.${columnSql(field)}]`))
    .join(' || ')

const place = (collection: Collection) => {
  const fields = fileFields(collection)
  return [namesSql(fields), ...fields.map(({ id }) => id)].join()
}

export const movesFileColumns = (old: Collection, next: Collection): boolean => place(old) !== place(next)

/** Adds triggers that call the SQL function _files_named to delete files that a record no longer names. */
export async function addFileTriggers(db: Db, collection: Collection): Promise<void> {
  const fields = fileFields(collection)
  if (fields.length === 0) return
  const table = quote(tableName(collection))
  const call = `execute function _files_named(${literal(collection.id)}, ${literal(namesSql(fields))})`
  const isOther = fields.map((field) => `old.${columnSql(field)} is distinct from new.${columnSql(field)}`)
  const late = 'deferrable initially deferred for each row'
  await db.query(
    `create constraint trigger _files_changed after update on ${table} ${late} when (${isOther.join(' or ')}) ${call}`,
  )
  // only for rows with files: otherwise deleting a million messages would take seconds more
  const names = fields.map((field) => `old.${columnSql(field)} <> '${isMulti(field) ? '{}' : ''}'`)
  await db.query(
    `create constraint trigger _files_deleted after delete on ${table} ${late} when (${names.join(' or ')}) ${call}`,
  )
}

/** Drops the file triggers, because Postgres does not change columns that a trigger uses. */
export async function dropFileTriggers(db: Db, collection: Collection): Promise<void> {
  const table = quote(tableName(collection))
  await db.query(`drop trigger if exists _files_changed on ${table}`)
  await db.query(`drop trigger if exists _files_deleted on ${table}`)
}

/** Deletes a collection's files that none of its records names. */
export async function deleteUnreferencedFiles(db: Db, collection: Collection): Promise<void> {
  const fields = fileFields(collection)
  if (fields.length === 0) return dropFiles(db, collection)
  await db.query(
    `delete from _files f where f.collection = $1 and not exists (
      select from ${quote(tableName(collection))} b where b.id = f.record and f.name = any (${namesSql(fields)}))`,
    [collection.id],
  )
}

export async function dropFiles(db: Db, { id }: Collection): Promise<void> {
  await queries(db).deleteFrom('_files').where('collection', '=', id).execute()
}
