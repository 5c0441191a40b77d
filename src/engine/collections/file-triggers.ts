import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { type FileField, isMulti } from '../fields/field.ts'
import type { Collection } from './collection.ts'
import { quoteName, toColumnName, toTableName } from './sql-names.ts'
import { writeColumnName } from './table-columns.ts'

const listFileFields = ({ fields }: Collection): FileField[] =>
  fields.filter((field) => field.type === 'file')

const writeFileNamesSql = (fields: readonly FileField[]) =>
  fields
    .map((field) => {
      const column = `b.${quoteName(toColumnName(field.name))}`
      return isMulti(field) ? column : `array[${column}]`
    })
    .join(' || ')

const describeFileColumns = (collection: Collection) => {
  const fields = listFileFields(collection)
  return [writeFileNamesSql(fields), ...fields.map(({ id }) => id)].join()
}

export const movesFileColumns = (old: Collection, next: Collection): boolean =>
  describeFileColumns(old) !== describeFileColumns(next)

/** Adds triggers that call the SQL function _files_named to delete files that a record no longer names. */
export async function addFileTriggers(db: Db, collection: Collection): Promise<void> {
  const fields = listFileFields(collection)
  if (fields.length === 0) return
  const triggers = {
    '_files_changed after update': fields.map((field) => {
      const column = writeColumnName(field)
      return sql`old.${column} is distinct from new.${column}`
    }),
    // only for rows with files: otherwise deleting a million messages would take seconds more
    '_files_deleted after delete': fields.map(
      (field) => sql`old.${writeColumnName(field)} <> ${sql.lit(isMulti(field) ? '{}' : '')}`,
    ),
  }
  for (const [trigger, conditions] of Object.entries(triggers))
    await sql`create constraint trigger ${sql.raw(trigger)} on ${sql.id(toTableName(collection))}
      deferrable initially deferred for each row when (${sql.join(conditions, sql` or `)})
      execute function _files_named(${sql.lit(collection.id)}, ${sql.lit(writeFileNamesSql(fields))})`.execute(
      db,
    )
}

/** Drops the file triggers, because Postgres does not change columns that a trigger uses. */
export async function dropFileTriggers(db: Db, collection: Collection): Promise<void> {
  const table = sql.id(toTableName(collection))
  await sql`drop trigger if exists _files_changed on ${table}`.execute(db)
  await sql`drop trigger if exists _files_deleted on ${table}`.execute(db)
}

/** Deletes a collection's files that none of its records names. */
export async function deleteUnreferencedFiles(db: Db, collection: Collection): Promise<void> {
  const fields = listFileFields(collection)
  if (fields.length === 0) return dropFiles(db, collection)
  await sql`delete from _files f where f.collection = ${collection.id} and not exists (
    select from ${sql.id(toTableName(collection))} b
    where b.id = f.record and f.name = any (${sql.raw(writeFileNamesSql(fields))}))`.execute(db)
}

export async function dropFiles(db: Db, { id }: Collection): Promise<void> {
  await queries(db).deleteFrom('_files').where('collection', '=', id).execute()
}
