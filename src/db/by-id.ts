/**
 * SQL: a row by its alias is this device's and this user's. For what was asked for by ids: written so that no index serves it. Of a user
 * who came, or a queue that grew, since Postgres last counted, it takes all rows for one, and would begin with all of them: with
 * 200,000 in the queue 100 reports took 12 s that take 12 ms.
 */
export const isHeldBy = (alias: string, device: string, user: string): string =>
  `${alias}.device || '' = ${device} and ${isOf(alias, user)}`

/** SQL: the same of the user alone. */
export const isOf = (alias: string, user: string): string => `${alias}."user" || '' = ${user}`
