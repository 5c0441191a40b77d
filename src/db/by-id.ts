/**
 * SQL: a column of texts as no index has it, for what was asked for by ids. Of a user who came, or a queue
 * that grew, since Postgres last counted, it takes all rows for one, and would begin with all of them: with
 * 200,000 in the queue 100 reports took 12 s that take 30 ms.
 */
export const unindexed = (column: string): string => `${column} || ''`

/** SQL: a row by its alias, found by its id, is this user's. */
export const isOwnedBy = (alias: string, user: string): string => `${unindexed(`${alias}."user"`)} = ${user}`

/** SQL: the same of a device and its user. */
export const isHeldByDevice = (alias: string, device: string, user: string): string =>
  `${unindexed(`${alias}.device`)} = ${device} and ${isOwnedBy(alias, user)}`
