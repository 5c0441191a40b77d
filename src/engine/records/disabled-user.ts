import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { FilePlace } from '../files/stored-files.ts'

/** Id of the collection with users' settings, at most one record per user. */
export const USER_SETTINGS_ID = 'user_settings'

/** SQL: whether a superuser has disabled a user. `user`: SQL of the user's id. */
export const isDisabledSql = (user: string) =>
  `exists (select from user_settings s where s."user" = ${user} and s.disabled)`

/** Whether a superuser has disabled a user. `user`: the column with the user's id, such as `c.user`. */
export const isDisabled = (user: string) =>
  sql<boolean>`exists (select from user_settings s where s."user" = ${sql.ref(user)} and s.disabled)`

export async function isUserDisabled(db: Db, user: string): Promise<boolean> {
  const found = await queries(db)
    .selectFrom('user_settings')
    .select('disabled')
    .where('user', '=', user)
    .executeTakeFirst()
  return found?.disabled === true
}

/** Whether a superuser has disabled the user whose storage a file uses: its links are then void. */
export async function isFileOfDisabledUser(
  db: Db,
  { collection, record, name }: FilePlace,
): Promise<boolean> {
  const found = await queries(db)
    .selectFrom('_files as f')
    .innerJoin('_file_contents as c', 'c.id', 'f.content')
    .select('f.id')
    .where('f.collection', '=', collection)
    .where('f.record', '=', record)
    .where('f.name', '=', name)
    .where(isDisabled('c.account'))
    .executeTakeFirst()
  return found !== undefined
}
