/** A statement's result. Each row is an array in the order of `fields`. `count`: rows returned or changed. */
export interface Result {
  readonly rows: unknown[][]
  readonly fields: readonly { readonly name: string }[]
  readonly count: number
}

/**
 * Sends statements. In rows, text and json are strings, int and float8 are numbers, timestamptz is a Date.
 * `name` makes a prepared statement, which Postgres may plan once for all values. Don't name statements with
 * filters that a client wrote (docs/internals/queries.md).
 */
export interface DbSession {
  query(text: string, params?: readonly unknown[], name?: string): Promise<Result>
  script(text: string): Promise<void>
}

/** A transaction. The class `Db` documents its methods. */
export interface TransactionSession extends DbSession {
  limit(ms: number): Promise<void>
  endOthers(): Promise<void>
}

export type PoolUse = Readonly<Record<'busy' | 'idle' | 'waiting', number>>

/** Connections to a database. The class `Db` documents the methods. */
export interface Backend extends DbSession {
  readonly lookUp: DbSession['query']
  readonly clientQuery: DbSession['query']
  unhurried(text: string): Promise<Result>
  transaction<T>(work: (session: TransactionSession) => Promise<T>): Promise<T>
  listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>>
  announce(channel: string, payload: string): void
  readonly hears: () => boolean | undefined
  readonly use: () => PoolUse
  close(): Promise<void>
}
