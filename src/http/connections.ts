import type { Server, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import { isListed, networkOf } from '../auth/addresses.ts'
import { addressOf } from './client-ip.ts'
import type { Services } from './context.ts'
import { Holdings } from './holdings.ts'

/** A stalled reader is cut off then; event streams that have nothing to say end by themselves before. */
const SILENT_MS = 360_000

/**
 * What one client may hold of the server. Who sends a byte a second is cut off with 408: in the head after 20 s, in the body
 * after the five minutes that PocketBase gives, too. An idle connection stays open as long as there: Node's 5 s cut off
 * clients that were about to ask again.
 */
export const CONNECTION_OPTIONS = {
  headersTimeout: 20_000,
  requestTimeout: 300_000,
  keepAliveTimeout: 300_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16 << 10,
} as const satisfies ServerOptions

/**
 * Sets the limits that are no options of a server: silent connections end, and those beyond the number allowed, in all and of one
 * address, are closed as they come. Idle ones count too: they are what the limits are for.
 */
export function limitConnections(server: Server, services: Pick<Services, 'config' | 'settings'>): void {
  server.timeout = SILENT_MS
  server.maxConnections = services.config.maxConnections
  if (services.config.maxConnectionsPerAddress > 0) limitAddresses(server, services)
}

function limitAddresses(server: Server, { config, settings }: Pick<Services, 'config' | 'settings'>): void {
  const holdings = new Holdings()
  server.on('connection', (socket: Socket) => {
    const ip = addressOf(socket)
    // where a header tells who asks, only proxies are meant to connect
    if (isListed(config.trustedProxies, ip) || settings.current.trustedProxy.headers.length > 0) return
    const leave = holdings.take(networkOf(ip), config.maxConnectionsPerAddress)
    if (leave) socket.once('close', leave)
    else socket.destroy()
  })
}
