import type { Ticket } from '../../admission/ticket.ts'
import type { Store } from '../../collections/catalog.ts'
import type { AuthRecord } from '../../request/request.ts'
import type { Ctx, Services } from '../context.ts'
import { holderOf } from './holder.ts'

/** The ticket of a request. The holder is only found out for the requests that need it. */
class RequestTicket implements Ticket {
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

/** The store on the ticket of a request's caller. */
export const storeOf = (c: Ctx, services: Services, auth: AuthRecord | null): Store =>
  services.store.for(new RequestTicket(c, services, auth))

/** A caller who signed in, with the store on the caller's ticket. */
export interface Caller {
  readonly auth: AuthRecord
  readonly store: Store
}
