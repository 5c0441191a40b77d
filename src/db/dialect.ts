import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { Session } from './backend.ts'

const refuse = async () => {
  throw new Error('Transactions are opened with db.transaction().')
}

/**
 * Lets kysely speak through a session of ours, so that both backends and a running transaction share one
 * code.
 */
export function sessionDialect(session: Session): Dialect {
  const connection: DatabaseConnection = {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const { rows, columns, count } = await session.query(query.sql, query.parameters)
      return {
        rows: rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]])) as R),
        numAffectedRows: BigInt(count),
      }
    },
    // biome-ignore lint/correctness/useYield: kysely asks for a generator, and there is nothing to stream
    async *streamQuery() {
      throw new Error('Rows are not streamed.')
    },
  }
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    destroy: async () => {},
  }
  return {
    createDriver: () => driver,
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  }
}
