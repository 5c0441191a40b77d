import { Places } from '../../admission/places.ts'
import { isListed } from '../../auth/limits/addresses.ts'
import type { Ctx, Services } from '../context.ts'
import { clientIp } from './client-ip.ts'
import { holderOf } from './store-of.ts'

const open = new WeakMap<Services, Places>()

/** Counts a stream or waiting claim for its user and network, unless a proxy's. 429 over MAX_STREAMS. */
export function limitOpenStreams(c: Ctx, services: Services, user?: string): void {
  c.get('leaveRequest')?.()
  const { maxStreams: share, trustedProxies } = services.config
  if (share === 0 || c.env.outgoing.closed) return
  const places =
    open.get(services) ?? new Places({ name: 'event streams and waiting claims', total: Infinity, share })
  open.set(services, places)
  const isProxy = isListed(trustedProxies, clientIp(c, services))
  if (!isProxy) hold(c, places, holderOf(c.env.incoming, services, null))
  if (user !== undefined) hold(c, places, `user ${user}`)
}

function hold(c: Ctx, places: Places, holder: string): void {
  const leave = places.tryEnter(holder)
  if (!leave) throw places.refusal(holder)
  c.env.outgoing.once('close', leave)
}
