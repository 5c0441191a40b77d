/** The collection with the settings of users, at most one record for each, by its id. */
export const USER_SETTINGS_ID = 'user_settings'

/** SQL: a superuser has disabled the user with the id `user`, which is SQL, too. */
export const isDisabledSql = (user: string) =>
  `exists (select from user_settings s where s."user" = ${user} and s.disabled)`
