import pg from 'pg'
import { memoize } from '../tools/memoize.ts'
import type { Result } from './backend.ts'

/** What the driver knows of a result's columns. */
interface Columns {
  readonly fields: readonly pg.FieldDef[]
  readonly _parsers: readonly unknown[]
}

/** The parts of pg's own Query and Result that have no types. */
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

/** Columns of a connection's prepared statements by name, and the connection without Describe. */
const preparedOn = memoize((connection: pg.Connection) => ({
  columns: new Map<string, Columns>(),
  undescribed: Object.create(connection, { describe: { value: () => {} } }) as pg.Connection,
}))

/**
 * A statement that asks for the columns of a prepared one only once a connection: they never change there.
 * It is no config object, since the driver takes 7 µs to copy one.
 */
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
    const { columns, undescribed } = preparedOn(connection)
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
 * Sends one statement through the driver: rows as arrays, a prepared one by its `name`. Postgres refuses a
 * second one in the text: with a `;` in it, it goes out by the extended protocol, which has one statement a
 * message.
 *
 * The driver's own promise keeps the rows of a statement in memory until the next full garbage collection,
 * for as long as its connection is busy: a third of the rate of large lists. Its callback does not.
 * `patienceMs`: when to give up a connection that does not answer; undefined: its own limit.
 */
export function runStatement(
  client: Pick<pg.ClientBase, 'query'>,
  text: string,
  params: readonly unknown[] = [],
  name?: string,
  patienceMs?: number,
): Promise<Result> {
  const statement = new Statement(text, params, name, patienceMs)
  return new Promise((resolve, reject) => {
    const answer = (error: Error | null, result: pg.QueryArrayResult) => {
      if (!error) return resolve({ rows: result.rows, fields: result.fields, count: result.rowCount ?? 0 })
      // else it leads to the driver's socket
      Error.captureStackTrace(error)
      reject(error)
    }
    client.query(statement as unknown as pg.QueryArrayConfig, answer)
  })
}
