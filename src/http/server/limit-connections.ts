import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { SettingsStore } from '../../engine/settings/settings-store.ts'
import type { Config } from '../../platform/config.ts'
import { Budget } from '../../platform/limits/byte-budget.ts'
import { type Holder, makeGuestHolder, toNetwork } from '../../platform/limits/limit-holder.ts'
import { makeConnectionPlaces } from '../../platform/limits/waiting-places.ts'
import { isIpListed } from '../../platform/tools/ip-lists.ts'
import { SMALL_BYTES } from '../limit-request-memory.ts'
import type { ServedRequest } from '../served-request.ts'
import type { Handler } from './before-routes.ts'
import { isTrustedProxy, readSocketAddress } from './client-address.ts'
import type { ClosingResponse } from './incoming-body.ts'

/** A client that reads nothing of its answer for this long is disconnected. */
const STALLED_MS = 60_000
/** Maximum requests that wait for earlier answers on one connection, and their maximum bytes. */
const [MAX_WAITING, MAX_WAITING_BYTES] = [32, 64 << 10]
/**
 * How long a network is refused after a connection exceeds MAX_WAITING; maximum number of such networks.
 * Without it, `pipelined requests with unread answers` (test/torture) lets others wait for over 10 s.
 */
const [BAN_MS, MAX_BANS] = [2_000, 1_000]

/** Limits of connections. Node's default keepAliveTimeout, 5 s, would close connections still in use. */
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
 * HTTP/1.0 requests without Host get this `hostname`. request-tracker.ts handles unread bodies. RFC 1945, 5
 */
export const LISTENER_OPTIONS = { hostname: 'localhost', autoCleanupIncoming: false }

interface Connection {
  /** Requests without an answer. */
  requests: number
  /** Bytes of the requests that wait for earlier answers. */
  waitingBytes: number
}

/** The budget of each server's connections whose clients share them with others behind a trusted proxy. */
const proxied = new WeakMap<Socket, Budget>()

/** Counts a proxy's connection for `client` while its request waits for events. Throws RetryLater. */
export function waitForNews(socket: Socket, client: Holder, answer: ServerResponse): void {
  const share = proxied.get(socket)?.open(client)
  if (!share || answer.closed) return
  share.takeNow(1)
  answer.once('close', () => share.close())
}

/**
 * Limits connections per address, and per network: a network may have as many as it leaves free. A
 * connection's requests run one at a time. RFC 9112
 */
export function limitConnections(
  server: Server<typeof ServedRequest, typeof ClosingResponse>,
  running: { handle: Handler },
  config: Config,
  settings: () => Pick<SettingsStore, 'current'>,
): void {
  server.setTimeout(STALLED_MS, endStalled)
  const all = new Budget({ name: 'connections', total: config.maxConnections })
  const addresses = makeConnectionPlaces(config.maxConnectionsPerAddress || Infinity)
  const connections = new WeakMap<Socket, Connection>()
  const bannedUntilMs = new Map<string, number>()
  let open = 0
  server.on('connection', (socket) => {
    connections.set(socket, { requests: 0, waitingBytes: 0 })
    const ip = readSocketAddress(socket)
    const leave = addresses.tryEnter(toNetwork(ip))
    const share = all.open(makeGuestHolder(ip))
    // if the settings trust a proxy header, all connections are taken for those of proxies
    const isProxy =
      isIpListed(config.trustedProxies, ip) || settings().current.trustedProxy.headers.length > 0
    if (isProxy) proxied.set(socket, all)
    const isBanned =
      bannedUntilMs.size > 0 && (bannedUntilMs.get(toNetwork(ip)) ?? 0) > performance.now()
    const isAdmitted = !isBanned && (isProxy || (leave && share.tryTake(1)))
    if (++open > config.maxConnections || !isAdmitted) socket.destroy()
    socket.once('close', () => {
      open--
      leave?.()
      share.close()
    })
  })
  server.on('request', (req, res) => {
    const { socket } = req
    const connection = connections.get(socket)!
    connection.requests++
    res.once('close', () => void connection.requests--)
    if (res.socket) return running.handle(req, res)
    const bytes = countWaitingBytes(req)
    connection.waitingBytes += bytes
    if (connection.requests <= MAX_WAITING + 1 && connection.waitingBytes <= MAX_WAITING_BYTES) {
      res.once('socket', () => {
        connection.waitingBytes -= bytes
        running.handle(req, res)
      })
    } else if (!socket.destroyed) {
      if (bannedUntilMs.size >= MAX_BANS) bannedUntilMs.clear()
      if (!isTrustedProxy(req, config))
        bannedUntilMs.set(toNetwork(readSocketAddress(socket)), performance.now() + BAN_MS)
      destroyWithoutTraces(socket)
    }
  })
}

/** Bytes of a request's head and body. A chunked body, of unknown length, counts as the maximum. */
const countWaitingBytes = ({ headers, rawHeaders, url = '' }: IncomingMessage): number => {
  const bytes = Number(headers['content-length'] ?? 0) + url.length + rawHeaders.join('').length
  return headers['transfer-encoding'] ? MAX_WAITING_BYTES : Math.min(bytes, MAX_WAITING_BYTES)
}

/** Closes a connection. Its requests' errors get no stack traces, which would take 40 ms to make. */
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
