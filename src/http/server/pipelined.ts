import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { BriefBans } from './brief-bans.ts'

type Handler = (req: IncomingMessage, res: ServerResponse) => unknown

/** Requests that a connection may send before the one ahead of them is answered. */
const MAX_WAITING = 32

/**
 * Handles the requests of a connection one after the other: a client that sends many without reading has one
 * answer in memory, not one for each. A connection with too many of them is closed, and its address banned
 * for a moment: Node has parsed up to a thousand requests of it by then. RFC 9112, 9.3.2
 */
export function oneAtATime(handle: Handler, bans: BriefBans): Handler {
  const waiting = new WeakMap<Socket, number>()
  return (req, res) => {
    // Node gives an answer its connection when those before it were sent
    if (res.socket) return handle(req, res)
    const { socket } = req
    const count = waiting.get(socket) ?? 0
    if (count >= MAX_WAITING) {
      if (socket.destroyed) return
      bans.ban(socket)
      return destroyWithoutTraces(socket)
    }
    waiting.set(socket, count + 1)
    res.once('socket', () => {
      waiting.set(socket, waiting.get(socket)! - 1)
      handle(req, res)
    })
  }
}

/**
 * Closes a connection. When it ends, Node makes an error for each of its requests, some thousand from one
 * read: with their stack traces, which nobody sees, that blocks for 40 ms.
 */
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
