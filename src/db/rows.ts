import type { Result } from './errors.ts'

/** The rows as objects by the names of the columns. `T`: what the statement selects. */
export const objectsOf = <T>({ rows, fields }: Pick<Result, 'rows' | 'fields'>): T[] =>
  rows.map((row) => Object.fromEntries(fields.map(({ name }, i) => [name, row[i]])) as T)

export const textsOf = ({ rows }: Pick<Result, 'rows'>): string[] => rows.map(([text]) => String(text))

/**
 * SQL: a column that no index can serve, for rows that are found by their ids. With old statistics Postgres
 * would start at the index of a user or device: 100 reports of 200,000 queued took 12 s instead of 30 ms.
 */
export const unindexed = (column: string): string => `${column} || ''`

/**
 * SQL: `column` is one of the ids of a CTE. Added to a join, it makes Postgres look rows up by id: it expects
 * so many rows of a CTE that it would read a table of a few thousand rows whole.
 */
export const isAmong = (column: string, cte: string, id = 'message'): string =>
  `${column} = any(array(select ${id} from ${cte}))`

/** SQL: a row by its alias, found by its id, is this user's. */
export const isOwnedBy = (alias: string, user: string): string => `${unindexed(`${alias}."user"`)} = ${user}`

/** SQL: a row by its alias, found by its id, is this device's and this user's. */
export const isHeldByDevice = (alias: string, device: string, user: string): string =>
  `${unindexed(`${alias}.device`)} = ${device} and ${isOwnedBy(alias, user)}`
