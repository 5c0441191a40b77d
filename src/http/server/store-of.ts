import type { IncomingMessage } from 'node:http'
import { guestHolder, type Holder } from '../../admission/holder.ts'
import { cachedKeyHolder } from '../../auth/api-keys.ts'
import { cachedIdentity } from '../../auth/tokens.ts'
import type { Store } from '../../collections/catalog.ts'
import { catalogFor } from '../../records/access.ts'
import type { AuthRecord } from '../../request/request.ts'
import type { Ctx, Services } from '../context.ts'
import { RequestMemory } from '../request-memory.ts'
import { ipOf } from './client-ip.ts'

/** Who is charged in limits: the account, also for its devices and members; a guest's network. */
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
  const { catalog } = store
  return {
    db: store.database.for(ticket),
    catalog: auth?.limits ? catalogFor(catalog, auth.limits) : catalog,
  }
}

export interface Caller {
  readonly auth: AuthRecord
  readonly store: Store
}

/** The memory of a request's body and answer, charged to the caller known at the first call. */
export function memoryOf(c: Ctx): RequestMemory {
  const known = c.get('memory')
  if (known) return known
  const { incoming, outgoing } = c.env
  const auth = c.get('asker') ?? null
  const memory = new RequestMemory(holderOf(incoming, c.get('services')!, auth), auth?.isSuperuser)
  c.set('memory', memory)
  if (outgoing.closed) memory.close()
  else outgoing.once('close', () => memory.close())
  return memory
}

/** Counts a large answer until its client has read it. Without room throws RetryLater, except for writes. */
export function countAnswer(c: Ctx, bytes: number): void {
  if (!c.get('services')) return
  const { method } = c.env.incoming
  if (method === 'GET' || method === 'HEAD') memoryOf(c).hold(bytes)
  else memoryOf(c).force(bytes)
}
