import { accountHolder, type Ticket } from '../../admission/ticket.ts'
import { SUPERUSERS, USERS_ID } from '../../collections/collection.ts'
import type { AuthRecord } from '../../request/request.ts'
import type { Ctx, Services } from '../context.ts'
import { holderOf } from './holder.ts'

/** Whose budget the statements of a request count for; undefined for one that writes. */
export function requestClient(c: Ctx, services: Services, auth: AuthRecord | null): Ticket | undefined {
  const { method } = c.req
  return method === 'GET' || method === 'HEAD' ? readingClient(c, services, auth) : undefined
}

/** The same for what only reads, whatever the method of the request. */
export function readingClient(c: Ctx, services: Services, auth: AuthRecord | null): Ticket {
  let holder: string | undefined
  return {
    // found when first needed: most requests never do
    get holder() {
      holder ??= holderOf(c.env.incoming, services, auth)
      return holder
    },
    isSuperuser: auth?.isSuperuser ?? false,
    isGone: () => c.env.outgoing.closed,
  }
}

/** The same for a user whose id is known; null for a superuser. */
export const clientOfUser = (c: Ctx, user: string | null): Ticket => ({
  holder: user === null ? SUPERUSERS : accountHolder(USERS_ID, user),
  isSuperuser: user === null,
  isGone: () => c.env.outgoing.closed,
})
