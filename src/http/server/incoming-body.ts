import { IncomingMessage, ServerResponse } from 'node:http'
import { readMediaType } from '../../platform/tools/charsets.ts'
import { SMALL_BYTES } from '../limit-request-memory.ts'
import { isEncoded } from './content-encoding.ts'

/**
 * Unread bodies of up to MAX_UNREAD_BYTES are read to the end. A larger one is not: the answer announces that
 * the connection closes, and the client has HANG_UP_MS to read it. Go: net/http
 */
const [MAX_UNREAD_BYTES, HANG_UP_MS] = [256 << 10, 500]

/** The body's length that the headers declare: 0 without a body, Infinity for a chunked one. */
export const readBodyLength = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity

const isBodyLeftUnread = (req: IncomingMessage) =>
  !req.complete && readBodyLength(req) > MAX_UNREAD_BYTES

/** A response that says `Connection: close` if the rest of the request's body stays unread. */
export class ClosingResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  override writeHead(...head: unknown[]): this {
    // writes the header, too, but Node then does not destroy the socket before the client has read the answer
    if (isBodyLeftUnread(this.req)) Object.assign(this, { maxRequestsOnConnectionReached: true })
    return super.writeHead(...(head as Parameters<ServerResponse['writeHead']>))
  }
}

/** Reads the rest of an answered request's body, or closes the connection. */
export function leaveBody(req: IncomingMessage): void {
  if (!isBodyLeftUnread(req)) return void req.resume()
  req.socket.pause().end()
  req.socket.setTimeout(HANG_UP_MS) // then endStalled closes it
}

const FREE_CHUNKS = 1_000
/** Minimum average bytes per chunk of a body with more than FREE_CHUNKS chunks. */
const MIN_AVERAGE_BYTES = 64

/** A request that closes its connection if the body has many tiny chunks (each takes 3 µs). RFC 9112, 7.1 */
export class LimitedIncomingMessage extends IncomingMessage {
  #chunks = 0
  #bytes = 0
  #arrived: (() => void) | undefined

  get isWhole(): boolean {
    return this.complete || this.#bytes >= Number(this.headers['content-length'])
  }

  /** Resolves when the body has arrived or the client has left. The body must fit the stream's buffer. */
  arrival(): Promise<void> {
    return new Promise((resolve) => {
      if (this.isWhole || this.destroyed) return resolve()
      this.#arrived = resolve
      this.once('close', resolve)
    })
  }

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (chunk !== null) {
      this.#chunks++
      this.#bytes += chunk.length
      // without chunked encoding, the network decides how large the pieces are
      const isChunked =
        this.#chunks > FREE_CHUNKS && this.headers['transfer-encoding'] !== undefined
      if (isChunked && this.#bytes < this.#chunks * MIN_AVERAGE_BYTES) {
        this.destroy()
        return false
      }
    }
    if (this.#arrived && this.isWhole) this.#arrived()
    return super.push(chunk, encoding)
  }
}

/**
 * Whether a body may need much memory: it exceeds SMALL_BYTES, has no declared length, is compressed, or is
 * multipart.
 */
export const mayExceedSmall = (incoming: IncomingMessage, length: number): boolean =>
  length > SMALL_BYTES ||
  isEncoded(incoming) ||
  readMediaType(incoming.headers['content-type']).startsWith('multipart/')
