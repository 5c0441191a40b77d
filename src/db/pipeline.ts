import pg from 'pg'
import {
  databaseFault,
  isSqlError,
  QUERY_CANCELED,
  type Result,
  type Session,
  UNKNOWN_STATEMENT,
} from './errors.ts'

interface Line {
  readonly client: pg.Client
  readonly ready: Promise<pg.Client>
  readonly untilMs: number
}

/**
 * One connection for reads by keys. It sends them without waiting for earlier answers: 12,000 reads a second
 * instead of 6,900. Reconnects after a loss, and after `lifetimeMs` to free prepared statements.
 */
export function openPipeline(
  open: () => pg.Client,
  lifetimeMs: number,
  onConnect?: (client: pg.Client) => Promise<void>,
  elsewhere?: Session['query'],
) {
  let line: Line | undefined

  const connect = (): Line => {
    const client = open()
    const connected = async () => {
      const ready = await client.connect()
      await onConnect?.(client)
      return ready
    }
    const made = { client, ready: connected(), untilMs: performance.now() + lifetimeMs }
    const forget = () => {
      if (line === made) line = undefined
    }
    client.on('error', forget).on('end', forget)
    made.ready.catch(() => {
      forget()
      // `onConnect` may have refused the connection, which is still open
      client.end().catch(() => {})
    })
    return made
  }

  const hangUp = async () => {
    const old = line
    line = undefined
    const client = await old?.ready.catch(() => undefined)
    // `end` waits for pending answers
    await client?.end()
  }

  /** Statements run in the order of calls. An error does not affect other statements. */
  const query: Session['query'] = async (text, params, name) => {
    try {
      if (line && performance.now() > line.untilMs) void hangUp()
      line ??= connect()
      const client = await line.ready
      gather(client)
      return await runStatement(client, text, params, name)
    } catch (error) {
      // a prepared statement is unknown if an earlier call, which should have prepared it, failed
      const isElsewhere = isSqlError(error, QUERY_CANCELED) || isSqlError(error, UNKNOWN_STATEMENT)
      if (isElsewhere && elsewhere) return elsewhere(text, params, name)
      throw databaseFault(error)
    }
  }
  return { query, close: hangUp }
}

/** Buffers what is sent in this turn of the event loop, to write it all at once. */
function gather({ connection: { stream } }: pg.Client): void {
  if (stream.writableCorked > 0) return
  stream.cork()
  setImmediate(() => stream.uncork())
}

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
  return new Promise((resolve, reject) => {
    const answer = (error: Error | null, result: pg.QueryArrayResult) => {
      if (!error) return resolve({ rows: result.rows, fields: result.fields, count: result.rowCount ?? 0 })
      // without this, the stack trace would show the driver's socket instead of the caller
      Error.captureStackTrace(error)
      reject(databaseFault(error))
    }
    client.query(statement as unknown as pg.QueryArrayConfig, answer)
  })
}
