import type { IncomingMessage } from 'node:http'
import { ApiError, badRequest } from '../errors.ts'

/** A body as it comes in. Throws 413 when it says that it is too long, 400 when it turns out to be. */
export async function* limitedBody(incoming: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw new ApiError(413)
  let size = 0
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw badRequest()
      yield chunk
    }
  } catch (error) {
    // a client that went away in the middle of its body: nobody reads the answer
    throw error instanceof ApiError ? error : badRequest()
  }
}

/** The raw body, whole. Throws as `limitedBody` does. */
export async function readBytes(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of limitedBody(incoming, maxBytes)) chunks.push(chunk)
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}
