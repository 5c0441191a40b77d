import { IncomingMessage } from 'node:http'

/** A chunked body may have this many small chunks. */
const FREE_CHUNKS = 1_000
/** Beyond them its chunks must have this many bytes on average. */
const MIN_AVERAGE_BYTES = 64

/**
 * Closes the connection of a body in tiny chunks (RFC 9112, 7.1). A chunk costs 3 µs: 16 connections with
 * chunks of one byte kept the event loop busy for 3 s.
 */
export class LimitedIncomingMessage extends IncomingMessage {
  #chunks = 0
  #bytes = 0

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (chunk !== null && this.#isTooFine(chunk.length)) {
      this.destroy()
      return false
    }
    return super.push(chunk, encoding)
  }

  #isTooFine(bytes: number): boolean {
    this.#bytes += bytes
    // a body without chunks comes in pieces as the network delivers them
    if (++this.#chunks <= FREE_CHUNKS || this.headers['transfer-encoding'] === undefined) return false
    return this.#bytes < this.#chunks * MIN_AVERAGE_BYTES
  }
}
