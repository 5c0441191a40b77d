import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../../admission/holder.ts'
import type { Config } from '../../config.ts'
import { addressOf, isTrusted } from './client-ip.ts'
import type { Handler } from './front.ts'

/** Maximum requests, and their bytes, that wait behind another on a connection. */
const [MAX_WAITING, MAX_WAITING_BYTES] = [32, 64 << 10]
/** How long a network's new connections are refused after one had too many; networks to remember. */
const [BAN_MS, MAX_BANS] = [2_000, 1_000]

/**
 * Handles the requests of a connection one at a time, so that at most one answer is in memory. Too many
 * waiting requests close it and ban its network briefly, unless a proxy's. RFC 9112, 9.3.2
 */
export function handleOneAtATime(server: Server, running: { handle: Handler }, config: Config): void {
  const waiting = new WeakMap<Socket, { readonly count: number; readonly bytes: number }>()
  const bannedUntilMs = new Map<string, number>()
  server.on('connection', (socket) => {
    const untilMs = bannedUntilMs.size > 0 && bannedUntilMs.get(networkOf(addressOf(socket)))
    if (untilMs && untilMs > performance.now()) socket.destroy()
  })
  server.on('request', (req, res) => {
    // Node assigns the socket once the answers before it were sent
    if (res.socket) return running.handle(req, res)
    const { socket } = req
    const { count, bytes } = waiting.get(socket) ?? { count: 0, bytes: 0 }
    const more = waitingBytes(req)
    if (count >= MAX_WAITING || bytes + more > MAX_WAITING_BYTES) {
      if (socket.destroyed) return
      if (bannedUntilMs.size >= MAX_BANS) bannedUntilMs.clear()
      bannedUntilMs.set(networkOf(addressOf(socket)), isTrusted(req, config) ? 0 : performance.now() + BAN_MS)
      return destroyWithoutTraces(socket)
    }
    waiting.set(socket, { count: count + 1, bytes: bytes + more })
    res.once('socket', () => {
      const left = waiting.get(socket)!
      waiting.set(socket, { count: left.count - 1, bytes: left.bytes - more })
      running.handle(req, res)
    })
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
