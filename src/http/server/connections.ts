import type { Server, ServerOptions, ServerResponse } from 'node:http'
import { type Socket, Server as TcpServer } from 'node:net'
import { guestHolder, networkOf } from '../../admission/holder.ts'
import { connectionPlaces } from '../../admission/shares.ts'
import { isListed } from '../../auth/limits/addresses.ts'
import type { Config } from '../../config.ts'
import type { SettingsStore } from '../../settings/settings-store.ts'
import { SMALL_BYTES } from '../request-memory.ts'
import { addressOf } from './client-ip.ts'
import { OpenConnections } from './open-connections.ts'
import type { RequestTracker } from './request-tracker.ts'

/** A client that reads nothing of its answer for this long is disconnected. */
const STALLED_MS = 60_000

/**
 * Timeouts of connections. Slow heads get 408 after 20 s, slow bodies after 5 minutes as in PocketBase.
 * Node's keep-alive of 5 s cut off clients that were about to send a request.
 */
export const CONNECTION_OPTIONS = {
  headersTimeout: 20_000,
  requestTimeout: 300_000,
  keepAliveTimeout: 300_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16 << 10,
  /** Buffers a small body until it is read. Node 20 buffers only 16 KiB by default. */
  highWaterMark: SMALL_BYTES,
} as const satisfies ServerOptions

/**
 * The host name for HTTP/1.0 requests, which need no Host (RFC 1945, 5). Unread bodies are left to
 * request-tracker.ts.
 */
export const LISTENER_OPTIONS = { hostname: 'localhost', autoCleanupIncoming: false }

/** Closes stalled connections, and those above the limits in total and per address. */
export function limitConnections(
  server: Server,
  config: Config,
  settings: () => Pick<SettingsStore, 'current'>,
): void {
  server.setTimeout(STALLED_MS, endStalled)
  const open = new OpenConnections(config.maxConnections)
  const share = config.maxConnectionsPerAddress || Infinity
  const addresses = connectionPlaces(share)
  server.on('connection', (socket: Socket) => {
    const ip = addressOf(socket)
    // with a trusted proxy header, only proxies are expected to connect
    const isProxy = isListed(config.trustedProxies, ip) || settings().current.trustedProxy.headers.length > 0
    const leave = isProxy || addresses.tryEnter(networkOf(ip))
    if (!leave || !open.add(socket, guestHolder(ip))) socket.destroy()
    if (typeof leave === 'function') socket.once('close', leave)
  })
  server.on('request', ({ socket }, res) => {
    open.beginRequest(socket)
    res.once('close', () => open.endRequest(socket))
  })
}

/** Closes a silent connection, unless its answer is still being made or waits for events. */
export function endStalled(socket: Socket): void {
  // Node's internal reference to the connection's answer
  const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse }
  if (answer && socket.writableLength === 0) socket.setTimeout(STALLED_MS)
  else socket.destroy()
}

/**
 * Stops accepting and asks clients to close after their answer. Resolves when the last has closed. Node's own
 * `close` also ends idle connections, on which a proxy may be sending: 5 of 15 stops failed a POST.
 */
export function stopAccepting(server: Server, tracker: RequestTracker): Promise<void> {
  tracker.close()
  return new Promise((resolve) => void TcpServer.prototype.close.call(server, () => resolve()))
}
