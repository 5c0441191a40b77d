import { type IncomingMessage, ServerResponse } from 'node:http'

/**
 * Unread bodies of up to MAX_UNREAD_BYTES are read to the end. A larger one is not: the answer announces that
 * the connection closes, and the client has HANG_UP_MS to read it. Go: net/http
 */
const [MAX_UNREAD_BYTES, HANG_UP_MS] = [256 << 10, 500]

/** The body's length that the headers declare: 0 without a body, Infinity for a chunked one. */
export const bodyBytes = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity

const isLeftUnread = (req: IncomingMessage) => !req.complete && bodyBytes(req) > MAX_UNREAD_BYTES

/** A response that says `Connection: close` if the rest of the request's body stays unread. */
export class ClosingResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  override writeHead(...head: unknown[]): this {
    // writes the header, too, but Node then does not destroy the socket before the client has read the answer
    if (isLeftUnread(this.req)) Object.assign(this, { maxRequestsOnConnectionReached: true })
    return super.writeHead(...(head as Parameters<ServerResponse['writeHead']>))
  }
}

/** Reads the rest of an answered request's body, or closes the connection. */
export function leaveBody(req: IncomingMessage): void {
  if (!isLeftUnread(req)) return void req.resume()
  req.socket.pause().end()
  req.socket.setTimeout(HANG_UP_MS) // then endStalled closes it
}
