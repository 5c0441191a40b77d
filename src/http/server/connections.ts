import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { guestHolder, type Holder, networkOf } from '../../admission/holder.ts'
import { connectionPlaces } from '../../admission/shares.ts'
import { isListed } from '../../auth/limits/addresses.ts'
import type { Config } from '../../config.ts'
import type { SettingsStore } from '../../settings/settings-store.ts'
import { SMALL_BYTES } from '../request-memory.ts'
import { addressOf, isTrusted } from './client-ip.ts'
import type { Handler } from './front.ts'
import { type Connection, OpenConnections } from './open-connections.ts'

/** A client that reads nothing of its answer for this long is disconnected. */
const STALLED_MS = 60_000
/** Maximum requests, and their bytes, that wait behind another on a connection. */
const [MAX_WAITING, MAX_WAITING_BYTES] = [32, 64 << 10]
/** How long a network's new connections are refused after one had too many; networks to remember. */
const [BAN_MS, MAX_BANS] = [2_000, 1_000]

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

const connections = new WeakMap<Socket, { readonly all: OpenConnections; readonly connection: Connection }>()

/** Counts a connection as idle, for the client and not its proxy, while its request waits for events. */
export function waitForNews(socket: Socket, client: Holder): void {
  const { all, connection } = connections.get(socket)!
  all.change(connection, client, false)
}

/**
 * Closes stalled connections, and those above the limits in total and per address. Handles the requests of a
 * connection one at a time, so that at most one answer is in memory. Too many waiting requests close it and
 * ban its network briefly, unless a proxy's. RFC 9112, 9.3.2
 */
export function limitConnections(
  server: Server,
  running: { handle: Handler },
  config: Config,
  settings: () => Pick<SettingsStore, 'current'>,
): void {
  server.setTimeout(STALLED_MS, endStalled)
  const all = new OpenConnections(config.maxConnections)
  const addresses = connectionPlaces(config.maxConnectionsPerAddress || Infinity)
  const bannedUntilMs = new Map<string, number>()
  server.on('connection', (socket) => {
    const ip = addressOf(socket)
    const origin = guestHolder(ip)
    const connection = { socket, origin, network: origin, isBusy: false, requests: 0, waitingBytes: 0 }
    connections.set(socket, { all, connection })
    // with a trusted proxy header, only proxies are expected to connect
    const isProxy = isListed(config.trustedProxies, ip) || settings().current.trustedProxy.headers.length > 0
    const isBanned = bannedUntilMs.size > 0 && (bannedUntilMs.get(networkOf(ip)) ?? 0) > performance.now()
    const leave = isProxy || addresses.tryEnter(networkOf(ip))
    if (isBanned || !leave || !all.add(connection)) socket.destroy()
    if (typeof leave === 'function') socket.once('close', leave)
  })
  server.on('request', (req, res) => {
    const { socket } = req
    const { connection } = connections.get(socket)!
    if (connection.requests++ === 0) all.change(connection, connection.origin, true)
    res.once('close', () => {
      if (--connection.requests === 0) all.change(connection, connection.network, false)
    })
    // Node assigns the socket once the answers before it were sent
    if (res.socket) return running.handle(req, res)
    const bytes = waitingBytes(req)
    connection.waitingBytes += bytes
    if (connection.requests <= MAX_WAITING + 1 && connection.waitingBytes <= MAX_WAITING_BYTES) {
      res.once('socket', () => {
        connection.waitingBytes -= bytes
        running.handle(req, res)
      })
    } else if (!socket.destroyed) {
      if (bannedUntilMs.size >= MAX_BANS) bannedUntilMs.clear()
      if (!isTrusted(req, config)) bannedUntilMs.set(networkOf(addressOf(socket)), performance.now() + BAN_MS)
      destroyWithoutTraces(socket)
    }
  })
}

/** Bytes of a request's head and body. A chunked body, of unknown length, counts as the maximum. */
const waitingBytes = ({ headers, rawHeaders, url = '' }: IncomingMessage): number => {
  const bytes = Number(headers['content-length'] ?? 0) + url.length + rawHeaders.join('').length
  return headers['transfer-encoding'] ? MAX_WAITING_BYTES : Math.min(bytes, MAX_WAITING_BYTES)
}

/** Closes a connection without stack traces of its requests' errors, which block for 40 ms. */
function destroyWithoutTraces(socket: Socket): void {
  const { stackTraceLimit } = Error
  socket.prependOnceListener('close', () => {
    Error.stackTraceLimit = 0
  })
  socket.once('close', () => {
    Error.stackTraceLimit = stackTraceLimit
  })
  socket.destroy()
}

/** Closes a silent connection, unless its answer is still being made or waits for events. */
export function endStalled(socket: Socket): void {
  // Node's internal reference to the connection's answer
  const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse }
  if (answer && socket.writableLength === 0) socket.setTimeout(STALLED_MS)
  else socket.destroy()
}
