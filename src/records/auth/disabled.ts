/** Id of the collection with users' settings, at most one record per user. */
export const USER_SETTINGS_ID = 'user_settings'

/** SQL: whether a superuser has disabled the user with this id (an SQL expression). */
export const isDisabledSql = (user: string) =>
  `exists (select from user_settings s where s."user" = ${user} and s.disabled)`
