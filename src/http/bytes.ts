import type { IncomingMessage } from 'node:http'
import { ApiError, badRequest } from '../errors.ts'

/** So many pieces are put together: each costs 400 bytes of memory, and a chunked body may have one a byte. */
const GATHERED = 1_000
/** Beyond so many pieces they must not be tiny: 5 million take 15 s of processor, whatever is in them. */
const MAX_TINY = 100_000
const TINY_BYTES = 512

/**
 * A body as it comes in. Throws 413 when it says that it is too long, 400 when it turns out to be, or comes in more pieces
 * than anybody honest makes of it.
 */
export async function* limitedBody(incoming: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw new ApiError(413)
  let size = 0
  let count = 0
  let tiny: Buffer[] = []
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes || (++count > MAX_TINY && size < count * TINY_BYTES)) throw badRequest()
      tiny.push(chunk)
      if (chunk.length < TINY_BYTES && tiny.length < GATHERED) continue
      yield joined(tiny)
      tiny = []
    }
  } catch (error) {
    // a client that went away in the middle of its body: nobody reads the answer
    throw error instanceof ApiError ? error : badRequest()
  }
  if (tiny.length > 0) yield joined(tiny)
}

const joined = (chunks: Buffer[]) => (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))

/** The raw body, whole. Throws as `limitedBody` does. */
export async function readBytes(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of limitedBody(incoming, maxBytes)) chunks.push(chunk)
  return joined(chunks)
}
