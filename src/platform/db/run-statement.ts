import pg from 'pg'
import type { DbSession, Result } from './backend.ts'
import { toDatabaseError } from './database-errors.ts'

/** How long after Postgres' own time limit the driver gives up a statement and drops the connection. */
export const GRACE_MS = 5_000

export type Queryable = Pick<pg.ClientBase, 'query'>

export const withDatabaseErrors = <T>(run: () => Promise<T>): Promise<T> =>
  run().catch((error) => {
    throw toDatabaseError(error)
  })

/** Wraps a client as a Session. `patienceMs`: the driver's time limit; default: the connection's. */
export const makeDbSession = (
  client: Queryable,
  patienceMs?: () => number | undefined,
): DbSession => ({
  query: (text, params, name) => runStatement(client, text, params, name, patienceMs?.()),
  script: (text) =>
    withDatabaseErrors(
      async () =>
        void (await client.query({ text, query_timeout: patienceMs?.() } as pg.QueryConfig)),
    ),
})

interface Columns {
  readonly fields: readonly pg.FieldDef[]
  readonly _parsers: readonly unknown[]
}

interface DriverQuery extends pg.Query {
  name: string | undefined
  queryMode: 'extended' | undefined
  query_timeout: number | undefined
  _rowMode: 'array'
  _result: Columns
  _results: Columns
  _accumulateRows: boolean
  prepare(connection: pg.Connection): void
  handleRowDescription(message: unknown): void
}
const { Query, Result: DriverResult } = pg as unknown as {
  readonly Query: new (text: string, values: readonly unknown[]) => DriverQuery
  readonly Result: new (rowMode: 'array') => Columns
}

/** Per connection: the columns of each prepared statement, by name, and a proxy that sends no Describe. */
const prepared = new WeakMap<
  pg.Connection,
  { readonly columns: Map<string, Columns>; readonly undescribed: pg.Connection }
>()

/** A query that asks only once per connection for the columns of a prepared statement: they never change. */
class Statement extends Query {
  #columns: Map<string, Columns> | undefined

  constructor(text: string, params: readonly unknown[], name?: string, patienceMs?: number) {
    super(text, params)
    this.name = name
    this.queryMode = text.includes(';') ? 'extended' : undefined
    this.query_timeout = patienceMs
    this._rowMode = 'array'
    this._result = this._results = new DriverResult('array')
  }

  override prepare(connection: pg.Connection): void {
    const { columns, undescribed } = prepared.get(connection) ?? {
      columns: new Map<string, Columns>(),
      undescribed: Object.create(connection, { describe: { value: () => {} } }) as pg.Connection,
    }
    if (!prepared.has(connection)) prepared.set(connection, { columns, undescribed })
    const known = this.name && columns.get(this.name)
    this.#columns = columns
    if (known) {
      Object.assign(this._result, known)
      this._accumulateRows = true
    }
    super.prepare(known ? undescribed : connection)
  }

  override handleRowDescription(message: unknown): void {
    super.handleRowDescription(message)
    const { fields, _parsers } = this._result
    if (this.name) this.#columns?.set(this.name, { fields, _parsers })
  }
}

/**
 * Sends one statement. A text with `;` uses the extended protocol: Postgres then refuses a second statement.
 * A callback gets the rows: the driver's promise would keep them in memory while the connection is busy.
 * `patienceMs`: the driver's time limit.
 */
export function runStatement(
  client: Pick<pg.ClientBase, 'query'>,
  text: string,
  params: readonly unknown[] = [],
  name?: string,
  patienceMs?: number,
): Promise<Result> {
  const statement = new Statement(text, params, name, patienceMs)
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  const answer = (error: Error | null, result: pg.QueryArrayResult) => {
    if (!error)
      return resolve({ rows: result.rows, fields: result.fields, count: result.rowCount ?? 0 })
    // without this, the stack trace would show the driver's socket instead of the caller
    Error.captureStackTrace(error)
    reject(toDatabaseError(error))
  }
  client.query(statement as unknown as pg.QueryArrayConfig, answer)
  return promise
}

const INT8 = 20
const JSON_OID = 114

/** Parsers of values by their Postgres type. `DbSession` lists the results. */
export const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === INT8) return Number
    if (oid === JSON_OID) return String
    return pg.types.getTypeParser(oid, format)
  },
}
