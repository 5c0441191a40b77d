import { createHash } from 'node:crypto'
import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryResult,
  type Selectable,
} from 'kysely'
import type { DbSession, Result } from './backend.ts'
import type { Tables } from './tables.ts'

export type QueryMethod = 'query' | 'lookUp' | 'shaped'

export type TableRow<T extends keyof Tables> = Readonly<Selectable<Tables[T]>>

export const toObjects = <T>({ rows, fields }: Pick<Result, 'rows' | 'fields'>): T[] =>
  rows.map((row) => Object.fromEntries(fields.map(({ name }, i) => [name, row[i]])) as T)

/** Maximum number of named queries. More would mean that a query's text depends on its values. */
const MAX_NAMES = 2_000
const names = new Map<string, string>()

/** The name of a prepared statement: a hash of its text. undefined once MAX_NAMES texts have a name. */
function nameStatement(text: string): string | undefined {
  const known = names.get(text)
  if (known || names.size >= MAX_NAMES) return known
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 20)
  names.set(text, name)
  return name
}

const adapter = new PostgresAdapter()
const compiler = new PostgresQueryCompiler()

/** Runs queries of kysely through a `Db`, with its turns and retries. `planned`: not prepared. */
export function makeExecutor(
  db: Readonly<Record<QueryMethod, DbSession['query']>>,
  way: QueryMethod | 'planned',
) {
  const connection: DatabaseConnection = {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const result =
        way === 'planned'
          ? await db.query(sql, parameters)
          : await db[way](sql, parameters, nameStatement(sql))
      return { rows: toObjects<R>(result), numAffectedRows: BigInt(result.count) }
    },
    streamQuery() {
      throw new TypeError('A Db reads all rows of a query at once')
    },
  }
  return new DefaultQueryExecutor(compiler, adapter, {
    provideConnection: (use) => use(connection),
  })
}
