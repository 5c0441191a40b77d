import { type Expression, QueryCreator, sql } from 'kysely'
import { evaluateSql } from './call-function.ts'
import { makeExecutor, type QueryMethod } from './execute-statement.ts'
import type { Db } from './open.ts'
import type { Tables } from './tables.ts'

/**
 * kysely's query builder on the tables of the schema. Its queries run through `db`: within its transaction if
 * it has one. Each text is prepared once a connection, so a list is one array parameter (`= any`), never one
 * parameter per element. Constants that a partial index tests are written with `sql.lit`. `planned`: not
 * prepared, so Postgres plans it for its values and for the present size of the tables.
 *
 * @example
 * const keys = await queries(db).selectFrom('api_keys').select('id').where('user', '=', user).execute()
 */
export const queries = (db: Db, way: QueryMethod | 'planned' = 'query'): QueryCreator<Tables> =>
  new QueryCreator<Tables>({ executor: makeExecutor(db, way) })

/** The present instant as PocketBase writes it: `2026-11-25 13:50:00.000Z`. */
export const NOW = sql<string>`pb_text(now())`

/** SQL of any of these texts, for a condition: `.where('id', '=', anyOf(ids))`. Binds them as one array. */
export const matchAny = (texts: readonly string[]) => sql<string>`any(${texts}::text[])`

/** SQL of any text that a query finds, for a condition. Unlike with `in`, the query runs first, and once. */
export const matchAnyFound = (query: Expression<unknown>) => sql<string>`any(array(${query}))`

/**
 * SQL of a column for a condition that no index may answer, because another condition finds few rows: with
 * old statistics, Postgres took 12 s by the index of `user` for 100 messages that were named by id.
 */
export const writeUnindexed = (column: string) => sql<string>`${sql.ref(column)} || ''`

/** SQL of this many seconds from now. */
export const writeTimeInSeconds = (seconds: number) =>
  sql<Date>`now() + ${seconds}::float8 * interval '1 second'`

/**
 * Acquires an advisory lock, until the transaction ends: LOCKS names its key. `of`: an id as its second key.
 */
export async function acquireLock(db: Db, key: number, of?: string): Promise<void> {
  const taken =
    of === undefined
      ? sql`pg_advisory_xact_lock(${key})`
      : sql`pg_advisory_xact_lock(${key}::int, hashtext(${of}))`
  await evaluateSql(db, taken)
}

/**
 * Takes an advisory lock, until the transaction ends, unless another one has it. Returns whether it is ours.
 */
export const tryAcquireLock = (db: Db, key: number): Promise<boolean> =>
  evaluateSql(db, sql<boolean>`pg_try_advisory_xact_lock(${key})`)
