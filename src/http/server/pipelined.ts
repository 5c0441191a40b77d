import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../../auth/limits/addresses.ts'
import { addressOf } from './client-ip.ts'

/** Requests that a connection may send before the one ahead of them is answered. */
const MAX_WAITING = 32
/** How long new connections of a network are closed after one had too many. */
const BAN_MS = 2_000
const MAX_BANS = 1_000

/**
 * Handles the requests of a connection one at a time, so that at most one answer is in memory. Too many
 * waiting requests close it and ban its network briefly. RFC 9112, 9.3.2
 */
export function handleOneAtATime(
  server: Server,
  handle: (req: IncomingMessage, res: ServerResponse) => unknown,
): void {
  const waiting = new WeakMap<Socket, number>()
  const bannedUntilMs = new Map<string, number>()
  server.on('connection', (socket) => {
    const untilMs = bannedUntilMs.size > 0 && bannedUntilMs.get(networkOf(addressOf(socket)))
    if (untilMs && untilMs > performance.now()) socket.destroy()
  })
  server.on('request', (req, res) => {
    // Node gives an answer its connection when those before it were sent
    if (res.socket) return handle(req, res)
    const { socket } = req
    const count = waiting.get(socket) ?? 0
    if (count >= MAX_WAITING) {
      if (socket.destroyed) return
      if (bannedUntilMs.size >= MAX_BANS) bannedUntilMs.clear()
      bannedUntilMs.set(networkOf(addressOf(socket)), performance.now() + BAN_MS)
      return destroyWithoutTraces(socket)
    }
    waiting.set(socket, count + 1)
    res.once('socket', () => {
      waiting.set(socket, waiting.get(socket)! - 1)
      handle(req, res)
    })
  })
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
