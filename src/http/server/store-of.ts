import type { IncomingMessage } from 'node:http'
import { guestHolder, type Holder } from '../../admission/holder.ts'
import { cachedKeyHolder } from '../../auth/tokens/api-keys.ts'
import { cachedIdentity } from '../../auth/tokens/tokens.ts'
import type { Store } from '../../collections/catalog.ts'
import type { AuthRecord } from '../../request/request.ts'
import { catalogFor } from '../../rules/roles.ts'
import type { Ctx, Services } from '../context.ts'
import { ipOf } from './client-ip.ts'

/** The holder of a request in limits: the account, also for its devices and members; else the network. */
export const holderOf = (
  incoming: IncomingMessage,
  services: Pick<Services, 'config' | 'settings'>,
  auth: AuthRecord | null | undefined,
): Holder => auth?.holder ?? guestHolder(ipOf(incoming, services))

/** The authenticated caller, if its credentials are in the cache. */
export function callerOf(
  { store: { catalog }, protocols }: Pick<Services, 'store' | 'protocols'>,
  { headers: { authorization = '', 'x-api-key': apiKey } }: IncomingMessage,
): AuthRecord | undefined {
  const known = apiKey === undefined && cachedIdentity(catalog, authorization)
  if (known) return known
  const key = apiKey ?? protocols.map(({ keyIn }) => keyIn?.(authorization)).find(Boolean)
  return key ? cachedKeyHolder(catalog, String(key)) : undefined
}

/** The present store of a request's caller: on the caller's ticket, limited by the caller's role. */
export function storeOf({ env }: Ctx, services: Services, auth: AuthRecord | null): Store {
  const ticket = {
    holder: holderOf(env.incoming, services, auth),
    isSuperuser: auth?.isSuperuser ?? false,
    isGone: () => env.outgoing.closed,
  }
  const { store } = services
  return { db: store.dbFor(ticket), catalog: catalogFor(store.catalog, auth?.limits) }
}

/** A caller who signed in, with the store on the caller's ticket. */
export interface Caller {
  readonly auth: AuthRecord
  readonly store: Store
}
