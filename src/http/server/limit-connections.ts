import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { SettingsStore } from '../../engine/settings/settings-store.ts'
import type { Config } from '../../platform/config.ts'
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
/** How long a network is refused after a connection exceeds MAX_WAITING; maximum number of such networks. */
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

const connections = new WeakMap<
  Socket,
  { readonly all: OpenConnections; readonly connection: Connection }
>()

/** Counts a connection as idle, and for the client instead of a proxy, while its request waits for events. */
export function waitForNews(socket: Socket, client: Holder): void {
  const { all, connection } = connections.get(socket)!
  all.change(connection, client, false)
}

/** Limits connections in total and per address. A connection's requests run one at a time. RFC 9112 */
export function limitConnections(
  server: Server<typeof ServedRequest, typeof ClosingResponse>,
  running: { handle: Handler },
  config: Config,
  settings: () => Pick<SettingsStore, 'current'>,
): void {
  server.setTimeout(STALLED_MS, endStalled)
  const all = new OpenConnections(config.maxConnections)
  const addresses = makeConnectionPlaces(config.maxConnectionsPerAddress || Infinity)
  const bannedUntilMs = new Map<string, number>()
  server.on('connection', (socket) => {
    const ip = readSocketAddress(socket)
    const origin = makeGuestHolder(ip)
    const connection = {
      socket,
      origin,
      network: origin,
      isBusy: false,
      requests: 0,
      waitingBytes: 0,
    }
    connections.set(socket, { all, connection })
    // if the settings trust a proxy header, all connections are taken for those of proxies
    const isProxy =
      isIpListed(config.trustedProxies, ip) || settings().current.trustedProxy.headers.length > 0
    const isBanned =
      bannedUntilMs.size > 0 && (bannedUntilMs.get(toNetwork(ip)) ?? 0) > performance.now()
    const leave = isProxy || addresses.tryEnter(toNetwork(ip))
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

interface Connection {
  readonly socket: Socket
  readonly origin: Holder
  /** The network charged: the connection's other end, or the client while a request waits for events. */
  network: Holder
  isBusy: boolean
  /** Requests without an answer. `waitingBytes`: the size of those that wait for earlier answers. */
  requests: number
  waitingBytes: number
}

/** All open connections. If full, a new one usually replaces the longest idle one of the largest network. */
class OpenConnections {
  readonly #max: number
  /** Connections by network. In each set, those that became idle or busy longest ago are first. */
  readonly #networks = new Map<Holder, Set<Connection>>()
  #count = 0

  constructor(max: number) {
    this.#max = max
  }

  add(connection: Connection): boolean {
    if (this.#count >= this.#max && !this.#makeRoom(connection.network)) return false
    this.#put(connection)
    this.#count++
    connection.socket.once('close', () => this.#remove(connection))
    return true
  }

  change(connection: Connection, network: Holder, isBusy: boolean): void {
    if (!this.#take(connection)) return
    connection.network = network
    connection.isBusy = isBusy
    this.#put(connection)
  }

  #put(connection: Connection): void {
    const own = this.#networks.get(connection.network)
    if (own) own.add(connection)
    else this.#networks.set(connection.network, new Set([connection]))
  }

  #take(connection: Connection): boolean {
    const own = this.#networks.get(connection.network)
    if (!own?.delete(connection)) return false
    if (own.size === 0) this.#networks.delete(connection.network)
    return true
  }

  #remove(connection: Connection): void {
    if (this.#take(connection)) this.#count--
  }

  #makeRoom(origin: Holder): boolean {
    let most: Set<Connection> | undefined
    let idlest: Set<Connection> | undefined
    for (const own of this.#networks.values()) {
      if (own.size > (most?.size ?? 0)) most = own
      if (own.size > (idlest?.size ?? 0) && findFirstConnection(own, false)) idlest = own
    }
    const isFarAhead = most && most.size > 2 * (idlest?.size ?? 1)
    if (isFarAhead && most === this.#networks.get(origin)) return false
    const closed =
      (isFarAhead && most && findFirstConnection(most, true)) ||
      (idlest && findFirstConnection(idlest, false))
    if (!closed) return false
    this.#remove(closed)
    closed.socket.destroy()
    return true
  }
}

function findFirstConnection(own: Iterable<Connection>, isBusy: boolean): Connection | undefined {
  for (const connection of own) if (connection.isBusy === isBusy) return connection
}
