import type { Selectable } from 'kysely'
import type { Result } from './errors.ts'
import type { Tables } from './tables.ts'

/** The method of `Db` that sends a query. */
export type Way = 'query' | 'lookUp' | 'shaped'

export type TableRow<T extends keyof Tables> = Readonly<Selectable<Tables[T]>>

export const objectsOf = <T>({ rows, fields }: Pick<Result, 'rows' | 'fields'>): T[] =>
  rows.map((row) => Object.fromEntries(fields.map(({ name }, i) => [name, row[i]])) as T)

export const textsOf = ({ rows }: Pick<Result, 'rows'>): string[] => rows.map(([text]) => String(text))

/** SQL: hides the column's index from Postgres. With old statistics, 100 reports took 12 s by that index. */
export const unindexed = (column: string): string => `${column} || ''`

/** SQL: whether `column` is an id in a CTE. For a join, Postgres would expect too many rows from the CTE. */
export const isAmong = (column: string, cte: string, id = 'message'): string =>
  `${column} = any(array(select ${id} from ${cte}))`

/** SQL: whether the row `alias`, which was found by its id, belongs to the user. */
export const isOwnedBy = (alias: string, user: string): string => `${unindexed(`${alias}."user"`)} = ${user}`

/** SQL: whether the row `alias`, which was found by its id, belongs to the device and the user. */
export const isHeldByDevice = (alias: string, device: string, user: string): string =>
  `${unindexed(`${alias}.device`)} = ${device} and ${isOwnedBy(alias, user)}`
