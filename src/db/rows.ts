import type { Result } from './errors.ts'

/** Rows as objects, by column name. `T`: the columns that the statement selects. */
export const objectsOf = <T>({ rows, fields }: Pick<Result, 'rows' | 'fields'>): T[] =>
  rows.map((row) => Object.fromEntries(fields.map(({ name }, i) => [name, row[i]])) as T)

export const textsOf = ({ rows }: Pick<Result, 'rows'>): string[] => rows.map(([text]) => String(text))

/**
 * SQL: a column as an expression that no index serves, so that Postgres finds rows by their ids. With old
 * statistics it would use the index of a user or device: 100 reports took 12 s instead of 30 ms.
 */
export const unindexed = (column: string): string => `${column} || ''`

/**
 * SQL: whether `column` is an id of a CTE. In a join this makes Postgres look rows up by id. Without it, it
 * expects too many rows of a CTE and reads a table of a few thousand rows whole.
 */
export const isAmong = (column: string, cte: string, id = 'message'): string =>
  `${column} = any(array(select ${id} from ${cte}))`

/** SQL: a row by its alias, found by its id, is this user's. */
export const isOwnedBy = (alias: string, user: string): string => `${unindexed(`${alias}."user"`)} = ${user}`

/** SQL: a row by its alias, found by its id, is this device's and this user's. */
export const isHeldByDevice = (alias: string, device: string, user: string): string =>
  `${unindexed(`${alias}.device`)} = ${device} and ${isOwnedBy(alias, user)}`
