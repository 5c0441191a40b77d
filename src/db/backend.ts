/** A statement's result: rows as arrays in the order of `fields`. `count`: rows returned or changed. */
export interface Result {
  readonly rows: unknown[][]
  readonly fields: readonly { readonly name: string }[]
  readonly count: number
}

/**
 * Sends statements. Types of results: text, json and dates → string, float8, int → number,
 * bool → boolean, text[] → string[], null → null. `name` makes a prepared statement that Postgres may plan
 * once for all values: only for statements whose shape no client chose (see docs/internals/queries.md).
 */
export interface Session {
  query(text: string, params?: readonly unknown[], name?: string): Promise<Result>
  /** Runs several statements without parameters, such as a migration file. */
  script(text: string): Promise<void>
}

export interface TransactionSession extends Session {
  /** Sets the time limit of later statements of the transaction; 0: none, also for locks. */
  limit(ms: number): Promise<void>
  /** Ends all other connections of pocketsms, of all processes. Call it right before the commit. */
  endOthers(): Promise<void>
}

/** `waiting`: requests that wait for a connection. */
export type PoolUse = Readonly<Record<'busy' | 'idle' | 'waiting', number>>

export interface Backend extends Session {
  /** As `query`, for reads of rows by key, which wait for no lock. */
  readonly lookUp: Session['query']
  /** As `query`, for a statement that a client shaped: it fails (SQLSTATE 57014) at a client's time limit. */
  readonly clientQuery: Session['query']
  /** Runs a statement without time limit or transaction, on a connection of its own. */
  unhurried(text: string): Promise<Result>
  /** Runs `work` in one transaction on one connection; an error rolls back and is thrown on. */
  transaction<T>(work: (session: TransactionSession) => Promise<T>): Promise<T>
  /** Calls `heard` for each NOTIFY until the returned function is called. Reconnects after a loss. */
  listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>>
  /**
   * Notifies all servers: listeners of this process at once, others within 20 ms. Call it after the commit.
   */
  announce(channel: string, payload: string): void
  /** Whether notifications arrive; undefined if unknown. */
  readonly hears: () => boolean | undefined
  readonly use: () => PoolUse
  close(): Promise<void>
}
