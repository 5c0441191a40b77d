import type { Server, ServerOptions } from 'node:http'

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

/** Sets what a server's options cannot: what is silent ends, and more than so many connections are closed as they come. */
export function limitConnections(server: Server, maxConnections: number): void {
  server.timeout = SILENT_MS
  server.maxConnections = maxConnections
}
