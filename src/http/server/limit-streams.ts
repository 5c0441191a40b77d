import { makeUserHolder } from '../../engine/collections/collection.ts'
import type { Holder } from '../../platform/limits/limit-holder.ts'
import { findStreamPlaces, type Places } from '../../platform/limits/waiting-places.ts'
import { isIpListed } from '../../platform/tools/ip-lists.ts'
import type { Ctx, Services } from '../request-context.ts'
import { waitForNews } from './limit-connections.ts'

/**
 * Counts an event stream, or a phone's waiting request, for user and network. Throws 429 over MAX_STREAMS.
 */
export function limitOpenStreams(c: Ctx, services: Services, user?: string): void {
  c.env.incoming.leavePlace?.()
  const network = c.env.incoming.findHolder(null)
  waitForNews(c.env.incoming.socket, network, c.env.outgoing)
  const { maxStreams: share, trustedProxies } = services.config
  if (share === 0 || c.env.outgoing.closed) return
  const places = findStreamPlaces(services, share)
  const isProxy = isIpListed(trustedProxies, c.env.incoming.ip)
  if (!isProxy) holdStreamPlace(c, places, network)
  if (user !== undefined) holdStreamPlace(c, places, makeUserHolder(user))
}

function holdStreamPlace(c: Ctx, places: Places, holder: Holder): void {
  const leave = places.tryEnter(holder)
  if (!leave) throw places.refusal(holder)
  c.env.outgoing.once('close', leave)
}
