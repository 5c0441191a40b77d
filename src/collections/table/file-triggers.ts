import type { Db } from '../../db/open.ts'
import { type FileField, isMulti } from '../../fields/field.ts'
import { type Collection, columnName, quote, tableName } from '../catalog.ts'

const fileFields = ({ fields }: Collection): FileField[] => fields.filter((field) => field.type === 'file')
const column = (field: FileField) => quote(columnName(field.name))
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

const namesSql = (fields: readonly FileField[]) =>
  fields.map((field) => (isMulti(field) ? `b.${column(field)}` : `array[b.${column(field)}]`)).join(' || ')

const place = (collection: Collection) => {
  const fields = fileFields(collection)
  return [namesSql(fields), ...fields.map(({ id }) => id)].join()
}

/** Whether two versions of a collection keep file names in different columns. */
export const movesFileColumns = (old: Collection, next: Collection): boolean => place(old) !== place(next)

/** Adds triggers that delete files whose names are removed from a record: see _files_named. */
export async function addFileTriggers(db: Db, collection: Collection): Promise<void> {
  const fields = fileFields(collection)
  if (fields.length === 0) return
  const table = quote(tableName(collection))
  const call = `execute function _files_named(${literal(collection.id)}, ${literal(namesSql(fields))})`
  const isOther = fields.map((field) => `old.${column(field)} is distinct from new.${column(field)}`)
  const late = 'deferrable initially deferred for each row'
  await db.query(
    `create constraint trigger _files_changed after update on ${table} ${late} when (${isOther.join(' or ')}) ${call}`,
  )
  // only rows with files run the trigger: deleting a million messages would take seconds more
  const names = fields.map((field) => `old.${column(field)} <> '${isMulti(field) ? '{}' : ''}'`)
  await db.query(
    `create constraint trigger _files_deleted after delete on ${table} ${late} when (${names.join(' or ')}) ${call}`,
  )
}

/** Drops the triggers: columns that they use could not be changed. */
export async function dropFileTriggers(db: Db, collection: Collection): Promise<void> {
  const table = quote(tableName(collection))
  await db.query(`drop trigger if exists _files_changed on ${table}`)
  await db.query(`drop trigger if exists _files_deleted on ${table}`)
}

/** After a change of columns, deletes a collection's files that none of its records names. */
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
  await db.query('delete from _files where collection = $1', [id])
}
