/**
 * Whose statement it is: one whose shape the client chose (a filter, a sort, an expand, the query of a view
 * collection), or one that takes longer the more data the account has. See docs/internals/bounds.md.
 */
export interface StatementClient {
  /** Whose budget it counts for: an account, or the network address of a guest. */
  readonly account: string
  /** Superusers' statements may run as long as any other statement. */
  readonly isSuperuser: boolean
  /** Whether the client has closed its connection, so that nobody waits for the answer. */
  isGone(): boolean
}

/** A statement of an account that is canceled only when it takes too long. */
export const accountClient = (account: string): StatementClient => ({
  account,
  isSuperuser: false,
  isGone: () => false,
})
