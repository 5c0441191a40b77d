import { createHash } from 'node:crypto'
import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Expression,
  PostgresAdapter,
  PostgresQueryCompiler,
  QueryCreator,
  type QueryResult,
  sql,
} from 'kysely'
import type { Db } from './open.ts'
import { objectsOf, type Way } from './statement.ts'
import type { Tables } from './tables.ts'

/** Maximum number of named queries. More would mean that a query's text depends on its values. */
const MAX_NAMES = 2_000
const names = new Map<string, string>()

/** The name of a prepared statement: a hash of its text. undefined once MAX_NAMES texts have a name. */
function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known || names.size >= MAX_NAMES) return known
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 20)
  names.set(text, name)
  return name
}

const adapter = new PostgresAdapter()
const compiler = new PostgresQueryCompiler()

/** A connection of kysely that sends queries through a `Db`, with its turns and retries. */
const connectionOver = (db: Db, way: Way | 'planned'): DatabaseConnection => ({
  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const result =
      way === 'planned' ? await db.query(sql, parameters) : await db[way](sql, parameters, nameOf(sql))
    return { rows: objectsOf<R>(result), numAffectedRows: BigInt(result.count) }
  },
  streamQuery() {
    throw new TypeError('A Db reads all rows of a query at once')
  },
})

/**
 * kysely's query builder on the tables of the schema. Its queries run through `db`: within its transaction if
 * it has one. Each text is prepared once a connection, so a list is one array parameter (`= any`), never one
 * parameter per element. Constants that a partial index tests are written with `sql.lit`. `planned`: not
 * prepared, so Postgres plans it for its values and for the present size of the tables.
 *
 * @example
 * const keys = await queries(db).selectFrom('api_keys').select('id').where('user', '=', user).execute()
 */
export const queries = (db: Db, way: Way | 'planned' = 'query'): QueryCreator<Tables> =>
  new QueryCreator<Tables>({
    executor: new DefaultQueryExecutor(compiler, adapter, {
      provideConnection: (use) => use(connectionOver(db, way)),
    }),
  })

/** The present instant as PocketBase writes it: `2026-11-25 13:50:00.000Z`. */
export const NOW = sql<string>`pb_text(now())`

/** SQL of any of these texts, for a condition: `.where('id', '=', anyOf(ids))`. Binds them as one array. */
export const anyOf = (texts: readonly string[]) => sql<string>`any(${texts}::text[])`

/** SQL of any text that a query finds, for a condition. Unlike with `in`, the query runs first, and once. */
export const anyFound = (query: Expression<unknown>) => sql<string>`any(array(${query}))`

/** SQL of this many seconds from now. */
export const inSeconds = (seconds: number) => sql<Date>`now() + ${seconds}::float8 * interval '1 second'`

/** Takes an advisory lock, until the transaction ends: LOCKS names its key. `of`: an id as its second key. */
export async function lock(db: Db, key: number, of?: string): Promise<void> {
  const taken =
    of === undefined
      ? sql`pg_advisory_xact_lock(${key})`
      : sql`pg_advisory_xact_lock(${key}::int, hashtext(${of}))`
  await queries(db).selectNoFrom(taken.as('locked')).execute()
}

/**
 * Takes an advisory lock, until the transaction ends, unless another one has it. Returns whether it is ours.
 */
export async function tryLock(db: Db, key: number): Promise<boolean> {
  const { isOurs } = await queries(db)
    .selectNoFrom(sql<boolean>`pg_try_advisory_xact_lock(${key})`.as('isOurs'))
    .executeTakeFirstOrThrow()
  return isOurs
}
