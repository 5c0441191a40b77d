import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Tables } from '../../platform/db/tables.ts'

/** Columns of an account's `user_settings`; undefined if it has none. */
export const findSettings = <Column extends keyof Tables['user_settings']>(
  db: Db,
  user: string,
  ...columns: readonly Column[]
) =>
  queries(db)
    .selectFrom('user_settings')
    .select(columns)
    .where('user', '=', user)
    .executeTakeFirst()
