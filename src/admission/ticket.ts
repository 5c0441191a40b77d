import type { Holder } from './holder.ts'

/**
 * The holder on whose account work is done. Statements that a client shaped (a filter, a sort, an expand, a
 * view), or that take longer the more data an account has, need one: docs/internals/bounds.md lists them.
 */
export interface Ticket {
  readonly holder: Holder
  /** Statements of superusers may run as long as any other. */
  readonly isSuperuser: boolean
  isGone(): boolean
}

/** The ticket of work that no request waits for. */
export const ticketOf = (holder: Holder, isSuperuser = false): Ticket => ({
  holder,
  isSuperuser,
  isGone: () => false,
})

/** Work for everybody, or for the server itself. Each name takes turns as a holder does. */
export type Everybody =
  | 'sign-in'
  | 'collections'
  | 'server'
  | 'command'
  | 'jobs'
  | 'sweep'
  | 'sends'
  | 'groups'
  | 'realtime'
  | 'webhooks'
  | 'metrics'
  | 'test'
