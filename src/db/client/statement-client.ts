/**
 * Who runs a statement whose shape they chose: a filter, a sort, an expand, or the query of a view
 * collection.
 */
export interface StatementClient {
  /** Whose budget it counts for: an account, or the network address of a guest. */
  readonly account: string
  /** Superusers' statements may run as long as any other statement. */
  readonly isSuperuser: boolean
  /** Whether the client has closed its connection, so that nobody waits for the answer. */
  isGone(): boolean
}
