import { type Expression, QueryCreator, sql } from 'kysely'
import { evaluateSql } from './call-function.ts'
import { makeExecutor, type QueryMethod } from './execute-statement.ts'
import type { Db } from './open.ts'
import type { Tables } from './tables.ts'

/**
 * kysely on the tables of the schema, in the transaction of `db`. A list is one array parameter (`= any`),
 * never one parameter per element; `sql.lit` for constants of partial indexes. `planned`: not prepared.
 */
export const queries = (db: Db, way: QueryMethod | 'planned' = 'query'): QueryCreator<Tables> =>
  new QueryCreator<Tables>({ executor: makeExecutor(db, way) })

/** The present instant as PocketBase writes it: `2026-11-25 13:50:00.000Z`. */
export const NOW = sql<string>`pb_text(now())`

/** SQL of any of these texts, for a condition: `.where('id', '=', anyOf(ids))`. Binds them as one array. */
export const matchAny = (texts: readonly string[]) => sql<string>`any(${texts}::text[])`

/** SQL of any text that a query finds, for a condition. Unlike with `in`, the query runs first, and once. */
export const matchAnyFound = (query: Expression<unknown>) => sql<string>`any(array(${query}))`

/** With old statistics, Postgres took 12 s by the index of `user` for 100 messages named by id. */
export const writeUnindexed = (column: string) => sql<string>`${sql.ref(column)} || ''`

/** SQL of this many seconds from now. */
export const writeTimeInSeconds = (seconds: number) =>
  sql<Date>`now() + ${seconds}::float8 * interval '1 second'`

/** Holds it until the transaction ends. LOCKS names its key. `of`: an id as its second key. */
export async function acquireLock(db: Db, key: number, of?: string): Promise<void> {
  const taken =
    of === undefined
      ? sql`pg_advisory_xact_lock(${key})`
      : sql`pg_advisory_xact_lock(${key}::int, hashtext(${of}))`
  await evaluateSql(db, taken)
}

/** Holds it until the transaction ends. Returns whether it is ours. */
export const tryAcquireLock = (db: Db, key: number): Promise<boolean> =>
  evaluateSql(db, sql<boolean>`pg_try_advisory_xact_lock(${key})`)
