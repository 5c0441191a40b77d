import type { Result } from './errors.ts'

/** Rows as objects, by column name. `T`: the columns that the statement selects. */
export const objectsOf = <T>({ rows, fields }: Pick<Result, 'rows' | 'fields'>): T[] =>
  rows.map((row) => Object.fromEntries(fields.map(({ name }, i) => [name, row[i]])) as T)

export const textsOf = ({ rows }: Pick<Result, 'rows'>): string[] => rows.map(([text]) => String(text))

/** SQL: a column without its index, which Postgres would use with old statistics: 100 reports took 12 s. */
export const unindexed = (column: string): string => `${column} || ''`

/** SQL: whether `column` is an id of a CTE, from which Postgres would expect too many rows in a join. */
export const isAmong = (column: string, cte: string, id = 'message'): string =>
  `${column} = any(array(select ${id} from ${cte}))`

/** SQL: a row by its alias, found by its id, is this user's. */
export const isOwnedBy = (alias: string, user: string): string => `${unindexed(`${alias}."user"`)} = ${user}`

/** SQL: a row by its alias, found by its id, is this device's and this user's. */
export const isHeldByDevice = (alias: string, device: string, user: string): string =>
  `${unindexed(`${alias}.device`)} = ${device} and ${isOwnedBy(alias, user)}`
