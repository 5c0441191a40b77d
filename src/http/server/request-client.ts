import { accountHolder, type Ticket } from '../../admission/ticket.ts'
import { SUPERUSERS, USERS_ID } from '../../collections/collection.ts'
import type { AuthRecord } from '../../request/request.ts'
import type { Ctx, Services } from '../context.ts'
import { holderOf } from './holder.ts'

/**
 * The client of a request that only reads. All of it is found out when it is asked for: most requests never
 * do.
 */
class RequestClient implements Ticket {
  readonly #c: Ctx
  readonly #services: Services
  readonly #auth: AuthRecord | null
  #holder: string | undefined

  constructor(c: Ctx, services: Services, auth: AuthRecord | null) {
    this.#c = c
    this.#services = services
    this.#auth = auth
  }

  get holder(): string {
    this.#holder ??= holderOf(this.#c.env.incoming, this.#services, this.#auth)
    return this.#holder
  }

  get isSuperuser(): boolean {
    return this.#auth?.isSuperuser ?? false
  }

  isGone(): boolean {
    return this.#c.env.outgoing.closed
  }
}

/** Whose budget the statements of a request count for; undefined for one that writes. */
export function requestClient(c: Ctx, services: Services, auth: AuthRecord | null): Ticket | undefined {
  const { method } = c.req
  return method === 'GET' || method === 'HEAD' ? readingClient(c, services, auth) : undefined
}

/** The same for what only reads, whatever the method of the request. */
export const readingClient = (c: Ctx, services: Services, auth: AuthRecord | null): Ticket =>
  new RequestClient(c, services, auth)

/** The same for a user whose id is known; null for a superuser. */
export const clientOfUser = (c: Ctx, user: string | null): Ticket => ({
  holder: user === null ? SUPERUSERS : accountHolder(USERS_ID, user),
  isSuperuser: user === null,
  isGone: () => c.env.outgoing.closed,
})
