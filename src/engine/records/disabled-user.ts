import { sql } from 'kysely'

/** Id of the collection with users' settings, at most one record per user. */
export const USER_SETTINGS_ID = 'user_settings'

/** SQL: whether a superuser has disabled a user. `user`: SQL of the user's id. */
export const isDisabledSql = (user: string) =>
  `exists (select from user_settings s where s."user" = ${user} and s.disabled)`

/** Whether a superuser has disabled a user. `user`: the column with the user's id, such as `c.user`. */
export const isDisabled = (user: string) =>
  sql<boolean>`exists (select from user_settings s where s."user" = ${sql.ref(user)} and s.disabled)`
