/**
 * The holder on whose account work is done. Statements that a client shaped (a filter, a sort, an expand, a
 * view), or that take longer the more data an account has, need one: docs/internals/bounds.md lists them.
 */
export interface Ticket {
  /** An account, or the network of a guest. */
  readonly holder: string
  /** Statements of superusers may run as long as any other. */
  readonly isSuperuser: boolean
  /** Whether the client has closed its connection. */
  isGone(): boolean
}

/** The holder that an account is, by the IDs of its collection and record. */
export const accountHolder = (collection: string, record: string): string => `${collection} ${record}`

/** The ticket of background work for an account. */
export const ticketOf = (holder: string): Ticket => ({ holder, isSuperuser: false, isGone: () => false })
